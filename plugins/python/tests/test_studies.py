"""Comparisons, tournaments, analyses and experiments, and the results of jobs."""

import _thread
import functools
import json
import pickle
import signal
import sys
import threading

import numpy as np
import pytest

import runner

SMALL = "2048(rows: 2, cols: 3)"

EXPERIMENT = """(
    title: "Two rates",
    game: 2048(rows: 2, cols: 3),
    seeds: 2,
    evaluations: [(name: "greedy", games: 20)],
    configurations: [
        (name: "slow", agent: td-ntuple(network: "012 345", alpha: 0.1), moves: 3000),
        (name: "fast", agent: td-ntuple(network: "012 345", alpha: 1.0), moves: 3000),
    ],
)"""


def test_comparisons_find_the_better_player():
    compared = runner.compare("rows", "random", SMALL, games=800, seed=3, threads=2)
    assert compared.verdict == "a" and compared.games <= 800
    assert compared.difference.mean == pytest.approx(compared.mean_of_a - compared.mean_of_b)
    assert compared == runner.compare("rows", "random", SMALL, games="0.8k", seed=3, threads=1)
    undecided = runner.compare("random", "random", SMALL, games=8, margin="1%")
    assert (undecided.verdict, undecided.margin, undecided.games) == ("undecided", 0.01, 8)
    assert runner.compare("rows", "random", SMALL, games=80, tile=16).tile == 16


def test_comparisons_continue_with_their_file(tmp_path):
    file = tmp_path / "games.jsonl"
    compare = functools.partial(runner.compare, "random", "random", SMALL, margin="1%", out=file)
    with pytest.raises(ValueError, match="games.jsonl does not exist"):
        compare(resume=True)
    compare(games=8)
    with pytest.raises(ValueError, match="games.jsonl exists already: `resume` continues it"):
        compare()
    more = compare(games=16, resume=True)
    assert more == runner.compare("random", "random", SMALL, games=16, margin="1%")
    assert len(file.read_text().splitlines()) == 1 + 2 * 16
    with pytest.raises(ValueError, match="holds other games: its starts is not given"):
        compare(starts=[runner.Game(SMALL).start(1)], resume=True)


def test_tournaments_continue_in_their_folder(tmp_path):
    out = tmp_path / "t"
    first = runner.tournament(["random", "best=rows"], SMALL, games=10, out=out)
    assert [row.agent for row in first.rows] == ["best", "random"] and first.complete
    assert [row.games for row in first.rows] == [10, 10]
    assert json.loads((out / "report.json").read_text()) == first
    with pytest.raises(ValueError, match="holds a tournament already"):
        runner.tournament("random", SMALL, out=out)
    more = runner.tournament(games=20, out=out, resume=True, anchor="random")
    assert [row.games for row in more.rows] == [20, 20]
    assert {one.agent: one.rating for one in more.ratings}["random"] == 0
    alone = runner.tournament(("random", "best=rows"), SMALL, games=20, threads=1)
    assert [row.score for row in alone.rows] == [row.score for row in more.rows]


def test_analyses_judge_a_written_game(tmp_path):
    game = tmp_path / "game.txt"
    game.write_text("2,0,2/0,0,0\nleft 2@2,3\nup 2@2,1\n")
    review = runner.analyse(game, "rows", game=SMALL)
    assert [move.action for move in review.moves] == ["left", "up"]
    assert review.agent.startswith("rows") and review.number is None
    assert review.matches == sum(
        move.best == move.action or move.loss <= 0 for move in review.moves
    )
    with pytest.raises(ValueError, match="game.txt, line 3: .*"):
        game.write_text("2,0,2/0,0,0\nleft 2@2,3\nup 2@1,1\n")
        runner.analyse(game, "rows", game=SMALL)


def test_experiments_continue_in_their_folder(tmp_path):
    file, out = tmp_path / "e.ron", tmp_path / "e"
    file.write_text(EXPERIMENT)
    one = runner.experiment(file, out, only=["slow"], seeds=1)
    assert [c.name for c in one.configurations] == ["slow"] and not one.complete
    both = runner.experiment(file, out)
    assert both.complete and both.differences[0].configuration == "fast"
    assert both.configurations[0].trainings[0] == one.configurations[0].trainings[0]
    assert runner.experiment(file, out, dry_run=True) == both
    with pytest.raises(ValueError, match="no configuration `fats` .did you mean `fast`"):
        runner.experiment(file, out, only=["fats"])
    with pytest.raises(ValueError, match="holds no experiment; leave out `resume`"):
        runner.experiment(file, tmp_path / "other", resume=True)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: runner.compare("rows", "randm", SMALL), "`b`: .*did you mean `random`"),
        (lambda: runner.compare("rows", "random", SMALL, margin=2), "`margin`: must be a share"),
        (lambda: runner.compare("rows", "random", SMALL, games=7), "`games`: must be at least 8"),
        (lambda: runner.compare("rows", "random", SMALL, tile=7), "`tile`: .*has no tile 7"),
        (lambda: runner.compare("rows", "random", tile=8, luck="rows"), "exclude each other"),
        (lambda: runner.tournament([], SMALL), "at least one agent"),
        (lambda: runner.tournament("a=random", anchor="b"), "anchor: no agent `b` plays"),
        (lambda: runner.tournament("random", games=-1), "`games`: a count cannot be negative"),
        (lambda: runner.tournament("random", game_time=3), "`game_time`: a time needs a unit"),
        (lambda: runner.tournament("random", resume=True), "`resume` needs `out`"),
        (lambda: runner.analyse("no.rec", "rows"), "no.rec"),
        (lambda: runner.experiment("no.ron", scale=0), "`scale`: must be a number greater than 0"),
    ],
)
def test_wrong_arguments_are_refused_by_name(use, message):
    with pytest.raises(ValueError, match=message):
        use()


def test_results_are_dicts_objects_and_frames(monkeypatch):
    pandas = pytest.importorskip("pandas")
    played = runner.tournament(["random", "rows"], [SMALL, "2048(rows: 2, cols: 2)"], games=5)
    assert played.rows[0].score["mean"] == played["rows"][0]["score"].mean
    assert type(played.to_dict()["rows"][0]) is dict and played.to_dict() == played
    copy = pickle.loads(pickle.dumps(played))
    frame = copy.to_frame()
    assert list(frame["score.mean"]) == [row.score.mean for row in played.rows]
    assert len(played.to_frame("pairs")) == 2 and len(played.to_frame("rows.tiles")) > 4
    evaluated = runner.evaluate("rows", SMALL, 30)
    frame = evaluated.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 30
    np.testing.assert_array_equal(frame["scores"], evaluated.scores)
    assert len(evaluated.to_frame("scores")) == 30
    assert runner.solve("2048(rows: 2, cols: 2)").to_frame()["value"][0] > 66
    with pytest.raises(ValueError, match="no list `pears`"):
        played.to_frame("pears")
    with pytest.raises(AttributeError, match="no `pears` in this result; it has: "):
        played.pears
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        played.to_frame()


@pytest.mark.parametrize(
    "job",
    [
        lambda path: runner.compare("rows", "rows", games="1G", margin="0.001%", threads=1),
        lambda path: runner.tournament("rows", games="1G", threads=1, out=path / "t"),
        lambda path: runner.Agent("expectimax(depth: 3)").act([runner.Game().start(1)] * 10**5),
    ],
    ids=["compare", "tournament", "act"],
)
def test_ctrl_c_stops(job, tmp_path):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.0, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        job(tmp_path)
