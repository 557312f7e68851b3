"""Values, agents and jobs."""

import _thread
import shutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import runner


def some_states(game, n=500):
    batch = runner.Batch(game, n)
    batch.reset(seed=1)
    for _ in range(60):
        batch.step()
    return batch


def test_estimates_of_boards_equal_those_of_words():
    for spec in ("2048", "threes", "2048(rows: 3, cols: 3)"):
        game = runner.Game(spec)
        states = some_states(game).states
        afterstates, rewards, legal = game.afterstates(states)
        value = runner.Value("rows", game)
        estimates = value.evaluate(afterstates[legal])
        boards, extras = game.decode(afterstates[legal])
        np.testing.assert_array_equal(value.evaluate(boards), estimates)
        np.testing.assert_array_equal(value.evaluate(boards, extras), estimates)
        threaded = runner.Value("rows", game, threads=2)
        np.testing.assert_array_equal(threaded.evaluate(afterstates[legal]), estimates)
        actions = value.action_values(states)
        np.testing.assert_array_equal(np.isnan(actions), ~legal)
        np.testing.assert_array_equal(actions[legal], estimates)
        assert value.bounds


def test_agents_act_and_think():
    agent = runner.Agent("expectimax(depth: 2)", runner.Game())
    state = "2,4,8,2/0,0,4,16/0,0,2,64/0,0,0,2"
    thought = agent.think(state)
    assert agent.act(state) == thought["action"] == max(thought["values"], key=thought["values"].get)
    assert thought["facts"]["plies"] == 2
    over = "2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2"
    assert agent.act(over) is None and agent.think(over)["values"] == {}


def test_agents_act_in_many_states():
    game = runner.Game()
    batch = runner.Batch(game, 300)
    batch.reset(seed=1)
    for agent in (runner.Agent("greedy"), runner.Agent("expectimax(depth: 1)", threads=2)):
        for _ in range(5):
            actions = agent.act(batch.states)
            batch.step(actions)
    states = [int(low) | int(high) << 64 for low, high in batch.states]
    actions = agent.act(batch.states, seed=7)
    assert actions.dtype == np.int64
    np.testing.assert_array_equal(actions, agent.act(states, 7))
    assert list(actions[:20]) == [agent.act(state, 7) for state in states[:20]]
    over = "2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2"
    assert list(agent.act([over])) == [-1] and agent.act([]).shape == (0,)
    with pytest.raises(ValueError, match="no position"):
        agent.act([states[0], 2**128 - 1])
    # A game that is over takes any action.
    batch = runner.Batch(runner.Game("2048(rows: 2, cols: 2)"), 50)
    batch.reset(seed=1)
    player, ends = runner.Agent("greedy", "2048(rows: 2, cols: 2)"), 0
    for _ in range(40):
        batch.step(player.act(batch.states))
        ends += batch.arrays["terminated"].sum()
    assert ends > 50


def test_evaluations_are_those_of_the_program():
    evaluated = runner.evaluate("greedy", "2048", 100, seed=2)
    with pytest.raises(ValueError, match="`max_moves` must be at least 1"):
        runner.evaluate("greedy", "2048", 100, max_moves=0)
    assert evaluated["games"] == 100 == len(evaluated["scores"])
    assert evaluated["score"]["mean"] == pytest.approx(evaluated["scores"].mean())
    assert evaluated["lengths"].sum() == evaluated["moves"]
    again = runner.evaluate(runner.Agent("greedy"), runner.Game(), 100, seed=2, threads=1)
    np.testing.assert_array_equal(evaluated["scores"], again["scores"])


@pytest.mark.parametrize(
    "use",
    [
        lambda starts, path: runner.evaluate("greedy", "2048(rows: 2, cols: 3)", 5, starts=starts),
        lambda starts, path: runner.train(
            "tc-ntuple", "2048(rows: 2, cols: 3)", path, moves=9, starts=starts, progress=False
        ),
        lambda starts, path: runner.Batch(runner.Game("2048(rows: 2, cols: 3)"), 2, starts=starts),
    ],
    ids=["evaluate", "train", "batch"],
)
def test_starts_without_a_move_are_refused(use, tmp_path):
    with pytest.raises(ValueError, match="`starts` needs a state"):
        use([], tmp_path / "a.model")
    with pytest.raises(ValueError, match="`starts`: no legal action in 2,4,2/4,2,4"):
        use(["2,2,0/0,0,0", "2,4,2/4,2,4"], tmp_path / "a.model")
    assert not list(tmp_path.iterdir())


def test_numbers_out_of_range_are_wrong_values(tmp_path):
    game, state = runner.Game(), runner.Game().start(1)
    agent, batch = runner.Agent("random"), runner.Batch(runner.Game(), 2)
    for use in (
        lambda wrong: game.start(wrong),
        lambda wrong: game.spawn(game.successors(state)[0][2], wrong),
        lambda wrong: agent.act(state, wrong),
        lambda wrong: agent.think(state, seed=wrong),
        lambda wrong: batch.reset(seed=wrong),
        lambda wrong: runner.Batch(game, wrong),
        lambda wrong: runner.Batch(game, 2, max_steps=wrong),
        lambda wrong: runner.Batch(game, 2, threads=wrong),
        lambda wrong: runner.Agent("random", threads=wrong),
        lambda wrong: runner.Value("rows", threads=wrong),
        lambda wrong: runner.evaluate("random", "2048", wrong),
        lambda wrong: runner.evaluate("random", "2048", 1, seed=wrong),
        lambda wrong: runner.evaluate("random", "2048", 1, max_moves=wrong),
        lambda wrong: runner.train("tc-ntuple", "2048", tmp_path / "a", moves=wrong, progress=False),
        lambda wrong: runner.solve("2048(rows: 2, cols: 2)", memory=wrong),
    ):
        for wrong in (-1, 2**64):
            with pytest.raises(ValueError, match=f"the number {wrong} is out of range"):
                use(wrong)
    with pytest.raises(ValueError, match="is out of range"):
        runner.evaluate("random", "2048", 1, seconds=10**400)
    with pytest.raises(TypeError):
        game.start("1")


def test_solution_is_the_oracle_of_a_learner(tmp_path):
    game, table = "2048(rows: 2, cols: 2)", tmp_path / "two.exact"
    start = runner.Game(game).start(1)
    solved = runner.solve(game, table, state=start)
    assert solved["value"] == pytest.approx(66.964, abs=1e-3)
    exact = f"exact(model: {str(table)!r})".replace("'", '"')
    values = runner.Value(exact, game)
    words = np.array([[start, 0]], np.uint64)
    assert np.nanmax(values.action_values(words)) == pytest.approx(solved["state_value"])
    played = runner.evaluate(exact, game, 20_000, seed=1)
    assert abs(played["score"]["mean"] - solved["value"]) < 1
    model = tmp_path / "two.model"
    seen = []
    trained = runner.train(
        "tc-ntuple", game, model, moves=200_000, threads=1, progress=False, callback=seen.append
    )
    assert trained["moves"] >= 200_000 and trained["curve"]
    assert 0 < seen[-1]["share"] <= 1
    learned = runner.evaluate(f'tc-ntuple(model: "{model}")', game, 5000)
    assert learned["score"]["mean"] > 0.97 * solved["value"]
    resumed = runner.train("tc-ntuple", game, model, moves=210_000, resume=True, progress=False)
    assert resumed["moves"] >= 210_000
    with pytest.raises(ValueError, match="the seed of .* is 1, not 2"):
        runner.train("tc-ntuple", game, model, moves=1, resume=True, seed=2, progress=False)
    before = model.read_bytes()
    with pytest.raises(FileExistsError, match="two.model exists already"):
        runner.train("tc-ntuple", game, model, moves=1, progress=False)
    with pytest.raises(FileExistsError, match="two.model exists already; `force`"):
        runner.solve(game, model)
    with pytest.raises(ValueError, match="the game of .* is .*, not 2048"):
        runner.train("tc-ntuple", "2048", model, moves=1, resume=True, progress=False)
    with pytest.raises(ValueError, match="is the input"):
        runner.train("tc-ntuple", game, model, moves=1, begin_with=model, force=True, progress=False)
    with pytest.raises(FileNotFoundError, match="there is no model"):
        runner.train("tc-ntuple", game, tmp_path / "no.model", moves=1, resume=True, progress=False)
    assert model.read_bytes() == before
    runner.solve(game, model, force=True)
    assert model.read_bytes() == table.read_bytes()


def test_weights_without_a_learning_state_are_not_resumed(tmp_path):
    trained = Path(__file__).resolve().parents[3] / "agents/ntuple/trained/threes.model"
    model = Path(shutil.copy(trained, tmp_path))
    with pytest.raises(ValueError, match="no learning state to resume: `begin_with`"):
        runner.train("tc-ntuple", "threes", model, moves=1, resume=True, progress=False)
    assert list(tmp_path.iterdir()) == [model] and model.read_bytes() == trained.read_bytes()


def test_callbacks_stop_trainings_and_their_exceptions_are_raised(tmp_path):
    arguments = ("tc-ntuple", "2048(rows: 3, cols: 3)", tmp_path / "a.model")
    began = time.monotonic()
    stopped = runner.train(
        *arguments, moves=10**12, threads=1, progress=False, callback=lambda now: False
    )
    assert stopped["interrupted"] and stopped["moves"] < 10**9

    def fail(now):
        raise KeyError("the callback failed")

    with pytest.raises(KeyError, match="the callback failed"):
        runner.train(
            *arguments, force=True, moves=10**12, threads=1, progress=False, callback=fail
        )
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "job",
    [
        lambda path: runner.train("tc-ntuple", "2048", path, moves=10**12, threads=1, progress=False),
        lambda path: runner.evaluate("expectimax(depth: 3)", "2048", 10**6, threads=1),
        lambda path: runner.solve("2048(rows: 3, cols: 3)", threads=1),
    ],
    ids=["train", "evaluate", "solve"],
)
def test_ctrl_c_stops(job, tmp_path):
    # A shell starts programs in the background with the signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.0, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        job(tmp_path / "a.model")
    assert time.monotonic() - began < 20


def test_a_player_that_never_returns_is_left_alone():
    release = threading.Event()

    def function(boards):
        release.wait()
        return empty_cells(boards)

    value = runner.PythonValue(function)
    try:
        began = time.monotonic()
        with pytest.raises(runner.RunnerError, match="time is over, 0 of 3 games .*not returned"):
            runner.evaluate(value, "2048", 3, seconds=0.1)
        threading.Timer(1.0, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            runner.evaluate(value, "2048", 3)
        assert time.monotonic() - began < 60
    finally:
        release.set()


def test_games_that_are_over_outlive_those_that_never_end():
    release, calls = threading.Event(), []

    def function(boards):
        calls.append(len(boards))
        if len(calls) > 3000:
            release.wait()
        return empty_cells(boards)

    value = runner.PythonValue(function)
    try:
        with pytest.warns(RuntimeWarning, match="the time is over, [1-9].* games are over"):
            played = runner.evaluate(value, "2048(rows: 3, cols: 3)", 10**6, seconds=5, threads=1)
        assert played["games"] == len(played["scores"]) > 0
    finally:
        release.set()


def empty_cells(boards):
    return (boards == 0).sum((1, 2)).astype(np.float32)


def test_value_in_python_is_searched():
    sizes = []

    def function(boards):
        sizes.append(len(boards))
        return empty_cells(boards)

    value = runner.PythonValue(function, bounds=(-1, 16))
    state = "2,4,8,2/0,0,4,16/0,0,2,64/0,0,0,2"
    for spec in (
        f"expectimax(depth: 2, value: {value})",
        f"mcts(value: {value}, simulations: 100)",
        str(value),
    ):
        assert runner.Agent(spec).act(state) in range(4)
    assert max(sizes) > 20
    played = runner.evaluate(f"expectimax(depth: 1, value: {value})", "2048", 4, threads=2)
    assert played["score"]["mean"] > 1000
    native = runner.Value(value)
    np.testing.assert_array_equal(native.evaluate(np.eye(4, dtype=np.uint8)[None]), [12])
    bag = runner.PythonValue(lambda boards, extras: extras[:, 1], extras=True)
    assert runner.Agent(bag, "threes").act(runner.Game("threes").start(1)) is not None


def test_estimates_outside_their_bounds_are_refused():
    boards = np.zeros((1, 4, 4), np.uint8)
    for estimate in (-1, 0.5, 16):
        value = runner.PythonValue(lambda boards: np.full(len(boards), estimate), bounds=(-1, 16))
        assert runner.Value(value).evaluate(boards) == [estimate]
    for estimate in (-1.5, 16.5):
        value = runner.PythonValue(lambda boards: np.full(len(boards), estimate), bounds=(-1, 16))
        message = f"returned {estimate}, which is outside its `bounds` -1 to 16"
        with pytest.raises(ValueError, match=message):
            runner.Value(value).evaluate(boards)
        with pytest.raises(ValueError, match=message):
            runner.evaluate(f"expectimax(depth: 2, value: {value})", "2048", 1)
    for bounds in ((1, 1), (2, 1), (float("-inf"), 1), (0, float("nan"))):
        with pytest.raises(ValueError, match="two finite numbers, the lower first"):
            runner.PythonValue(empty_cells, bounds=bounds)


def test_faults_of_a_value_in_python_are_exceptions():
    def fail(boards):
        raise KeyError("no estimate")

    state = runner.Game().start(1)
    failing = runner.PythonValue(fail)
    with pytest.raises(KeyError, match="no estimate"):
        runner.Agent(f"expectimax(depth: 2, value: {failing})").act(state)
    with pytest.raises(KeyError, match="no estimate"):
        runner.evaluate(failing, "2048", 3)
    for function, error in [
        (lambda boards: np.zeros(3), r"float32 with shape \(4,\), not \[3\]"),
        (lambda boards: np.full(len(boards), np.nan), "not finite"),
        (lambda boards: "text", "could not convert"),
    ]:
        wrong = runner.PythonValue(function)
        with pytest.raises(ValueError, match=error):
            runner.Agent(wrong).act(state)
    spec = str(failing)
    del failing, wrong
    with pytest.raises(ValueError, match="keep it as long as its spec is used"):
        runner.Agent(spec)


def test_errors_have_the_text_of_the_program(tmp_path):
    with pytest.raises(ValueError, match="has no model and would play untrained"):
        runner.Agent("tc-ntuple")
    missing = tmp_path / "missing.model"
    with pytest.raises((ValueError, runner.RunnerError), match="missing.model"):
        runner.Agent(f'tc-ntuple(model: "{missing}")')
    with pytest.raises(ValueError, match="did you mean `expectimax`"):
        runner.Agent("expectimx")
    with pytest.raises(ValueError, match="needs `moves`"):
        runner.train("tc-ntuple", "2048", tmp_path / "a", progress=False)
    with pytest.raises(runner.RunnerError, match="no-plugin.so"):
        runner.load_plugin(tmp_path / "no-plugin.so")
    with pytest.raises(runner.RunnerError, match="too large|limit"):
        runner.solve("2048", memory=10_000_000, large=True)
    with pytest.raises(ValueError, match="take hours, .* `large=True`"):
        runner.solve("2048")
