"""Games as rules and in batches: every game, and what is refused."""

import _thread
import pickle
import signal
import threading
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

import runner

GAMES = ["2048", "1024", "threes", "2048(rows: 2, cols: 3)", "2048(rows: 5, cols: 5)",
         'threes(bonus: "set", bonus_odds: 3)']


def words(*states):
    return np.array([[state & (2**64 - 1), state >> 64] for state in states], np.uint64)


def play(game, seed):
    """Returns the states of a game, always with the first legal action."""
    states = [game.start(seed)]
    while successors := game.successors(states[-1]):
        states.append(game.spawn(successors[0][2], len(states)))
    return states


@pytest.mark.parametrize("spec", GAMES)
def test_rules_agree_with_each_other(spec):
    game = runner.Game(spec)
    states = play(game, 1)
    assert game.is_over(states[-1]) and not game.is_over(states[0])
    boards, extras = game.decode(words(*states))
    np.testing.assert_array_equal(game.encode(boards, extras), words(*states))
    afterstates, rewards, legal = game.afterstates(words(*states))
    for k, state in enumerate(states):
        assert game.parse(game.write(state)) == state
        successors = game.successors(state)
        assert legal[k].nonzero()[0].tolist() == [action for action, _, _ in successors]
        for action, reward, afterstate in successors:
            assert rewards[k, action] == reward
            np.testing.assert_array_equal(afterstates[k, action], words(afterstate)[0])
            outcomes = game.outcomes(afterstate)
            assert abs(sum(share for _, share in outcomes) - 1) < 1e-9
            assert game.spawn(afterstate, k) in [state for state, _ in outcomes]
    assert max(game.values[rank] for rank in boards[-1].flat) == game.max_tile(states[-1])


def test_threes_shows_the_announced_tile_and_the_bag():
    game = runner.Game("threes")
    state = game.parse("0,3,0,0/2,0,3,1/2,3,0,1/1,0,2,0 next=3 bag=1,1,0")
    assert game.fields == {"next": 4, "ones": 16, "twos": 16, "threes": 16}
    assert game.decode(words(state))[1].tolist() == [[2, 1, 1, 0]]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_batch_plays_by_the_rules(spec, autoreset):
    game, n = runner.Game(spec), 16
    batch = runner.Batch(game, n, autoreset=autoreset)
    one = batch.arrays
    batch.reset(seed=3)
    rng, totals, seen = np.random.default_rng(1), np.zeros(n), 0
    for _ in range(400):
        states, over = batch.states, one["terminated"].copy()
        if autoreset == "next_step":
            seen += over.sum()
            totals[over] = 0
        masks = one["masks"].copy()
        actions = (masks * rng.random(masks.shape)).argmax(1)
        batch.step(actions)
        for k in range(n):
            if autoreset == "next_step" and over[k]:
                assert one["rewards"][k] == 0
                continue
            (state,) = [int(low) | int(high) << 64 for low, high in states[k : k + 1]]
            after = {action: afterstate for action, _, afterstate in game.successors(state)}
            assert sorted(after) == masks[k].nonzero()[0].tolist()
            totals[k] += one["rewards"][k]
            if autoreset == "same_step" and one["terminated"][k]:
                boards, seen = one["final_boards"], seen + 1
            else:
                boards = one["boards"]
                np.testing.assert_allclose(totals[k], batch.scores[k])
            outcomes = words(*(state for state, _ in game.outcomes(after[actions[k]])))
            assert (game.decode(outcomes)[0] == boards[k]).all((1, 2)).any()
        if autoreset == "same_step":
            totals[one["terminated"]] = 0
        else:
            np.testing.assert_array_equal(game.decode(batch.states)[0], one["boards"])
    assert seen > 0 or "5" in spec


@pytest.mark.parametrize("spec", ["2048", "threes"])
def test_games_are_those_of_evaluations(spec):
    """The random player of the runner draws as random steps do."""
    batch = runner.Batch(runner.Game(spec), 20, autoreset="disabled")
    batch.reset(seed=7)
    scores = np.zeros(20)
    live = runner.Batch(runner.Game(spec), 20)
    live.reset(seed=7)
    over = np.zeros(20, bool)
    while not over.all():
        live.step()
        ended = live.arrays["terminated"] & ~over
        scores[ended] = live.scores[ended]
        over |= ended
    expected = runner.evaluate("random", spec, 20, seed=7, threads=1)["scores"]
    np.testing.assert_array_equal(scores, expected)


def test_threads_change_nothing():
    game = runner.Game("threes")
    one, two = runner.Batch(game, 33), runner.Batch(game, 33, threads=2)
    for batch in (one, two):
        batch.reset(seed=1)
        for _ in range(300):
            batch.step()
    np.testing.assert_array_equal(one.states, two.states)
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, two.arrays[name])


def test_some_games_start_at_given_positions():
    game = runner.Game()
    batch = runner.Batch(game, 3)
    batch.reset(seed=1)
    boards = batch.arrays["boards"]
    kept = boards[:2].copy()
    batch.reset(mask=np.array([False, False, True]), seeds=np.array([9, 9, 9], np.uint64))
    np.testing.assert_array_equal(boards[:2], kept)
    # The array of the batch itself may be the mask.
    batch.reset(mask=batch.arrays["terminated"])
    state = game.parse("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,1024")
    batch.reset(states=words(state, state, state))
    after, rewards, _ = game.afterstates(batch.states)
    assert after.shape == (3, 4, 2) and rewards[0].tolist() == [0, 4, 0, 4]


def test_actions_are_what_numpy_casts_without_loss():
    game = runner.Game()
    one, other = runner.Batch(game, 4, illegal="ignore"), runner.Batch(game, 4, illegal="ignore")
    one.reset(seeds=[1, 2, 3, 4])
    other.reset(seeds=np.array([1, 2, 3, 4], np.uint64))
    actions = np.array([0, 1, 2, 3])
    for given in (
        actions.tolist(),
        tuple(actions),
        *(actions.astype(dtype) for dtype in ("i1", "u1", "<i4", ">i8", "u8")),
        actions.repeat(2)[::2],
        actions[::-1].copy()[::-1],
        np.frombuffer(b" " + actions.tobytes(), np.int64, offset=1),
    ):
        one.step(given)
        other.step(actions)
        np.testing.assert_array_equal(one.states, other.states)
    before = one.states
    one.reset(mask=[False, True, False, True])
    assert (one.states == before).all(1).tolist() == [True, False, True, False]
    # Bytes that are no truth values of Rust.
    one.reset(mask=np.array([0, 2, 0, 255], np.uint8).view(bool))
    assert (one.steps == 0).tolist() == [False, True, False, True]


def test_a_batch_that_failed_can_be_reset():
    game = runner.Game("threes")
    batch = runner.Batch(game, 2)
    rewards = batch.arrays["rewards"]
    batch.reset(seed=1)
    batch.arrays["rewards"].shape = (1, 2)
    with pytest.raises(ValueError, match=r"`rewards` must be .* not \[1, 2\]"):
        batch.step()
    rewards.shape = (2,)
    batch.step()
    assert (batch.steps == 1).all()
    batch.reset(seed=1)
    assert (batch.steps == 0).all()


def test_games_are_equal_and_pickled_by_their_specs():
    game, same = runner.Game("2048(rows: 3)"), runner.Game("2048( cols: 4, rows: 3 )")
    assert game == same and hash(game) == hash(same) and game.spec == same.spec
    assert game != runner.Game() and game != "2048(rows: 3)"
    value, agent = runner.Value("rows", game, threads=2), runner.Agent("greedy", game)
    assert value == runner.Value("rows", same) != runner.Value("rows") and value != agent
    for one in (game, value, agent):
        copy = pickle.loads(pickle.dumps(one))
        assert copy == one and hash(copy) == hash(one) and repr(copy) == repr(one)
        assert eval(repr(one), vars(runner)) == one if one is game else True
    assert repr(runner.Batch(game, 3)) == 'Batch(Game("2048(rows: 3)"), 3)'
    function = runner.PythonValue(len)
    for one in (function, runner.Value(function)):
        with pytest.raises(TypeError, match="cannot be pickled|cannot pickle"):
            pickle.dumps(one)


def test_starts_without_a_seed_differ():
    game = runner.Game()
    assert game.start(1) == game.start(seed=1) and len({game.start() for _ in range(20)}) > 1
    afterstate = game.successors(game.start(1))[0][2]
    assert len({game.spawn(afterstate) for _ in range(20)}) > 1


def test_the_version_is_that_of_the_package():
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    assert runner.__version__ == tomllib.loads(project.read_text())["project"]["version"]


def test_starts_are_drawn_alike():
    texts = [f"{tile},0,0,0/0,0,0,0/0,0,0,0/0,0,0,0" for tile in (2, 4, 4, 4)]
    batch = runner.Batch(runner.Game(), 4000, starts=texts)
    batch.reset(seed=1)
    counts = np.bincount(batch.arrays["boards"][:, 0, 0], minlength=3)
    assert counts.sum() == 4000 and abs(counts[2] / 4000 - 0.75) < 0.05


def test_limit_of_steps_truncates():
    batch = runner.Batch(runner.Game(), 2, max_steps=3)
    batch.reset(seed=1)
    for _ in range(3):
        batch.step()
    assert batch.arrays["truncated"].all() and not batch.arrays["terminated"].any()
    batch.step()
    assert not batch.arrays["truncated"].any() and (batch.steps == 0).all()


def test_bad_input_is_refused_with_its_place():
    with pytest.raises(ValueError, match="did you mean `rows`") as error:
        runner.Game("2048(row: 3)")
    assert str(error.value).endswith("2048(row: 3)\n     ^^^")
    game = runner.Game()
    with pytest.raises(ValueError, match="row 1 is too short"):
        game.parse("2,2")
    for bad in (1.5, None, b"2"):
        with pytest.raises(TypeError, match="a position is"):
            game.successors(bad)
    for bad in (2**128, -1, 2**127, 2**128 - 1, 31 | 1 << 100):
        with pytest.raises(ValueError, match="is no position"):
            game.successors(bad)
    batch = runner.Batch(game, 4)
    with pytest.raises(RuntimeError, match="call `reset`"):
        batch.step()
    batch.reset(seed=1)
    before = batch.states
    for bad, error, text in [
        (np.zeros(3, np.int64), ValueError, r"shape \(4,\), not \[3\]"),
        ([0, 0, 0], ValueError, r"shape \(4,\), not \[3\]"),
        (np.zeros(4), TypeError, "array of int64 .* not of float64"),
        ("0000", TypeError, "not of <U4"),
        ([[0], [1, 2], [], []], ValueError, "inhomogeneous"),
        (np.array([0, 0, 0, 2**63], np.uint64), ValueError, "of uint64 does not fit"),
        (np.array([0, 1, 2, 4]), ValueError, "is 4, which is not from 0 to 3"),
        (np.array([-1, 1, 2, 3]), ValueError, "is -1"),
    ]:
        with pytest.raises(error, match=text):
            batch.step(bad)
    state = game.parse("2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0")
    np.testing.assert_array_equal(batch.states, before)
    batch.reset(states=words(state, state, state, state))
    with pytest.raises(ValueError, match="game 3, `up`, is not legal in 2,0"):
        batch.step(np.array([1, 1, 2, 0]))
    assert batch.states.tolist() == words(state, state, state, state).tolist()
    for arguments in ({"n": 0}, {"n": 1, "max_steps": 0}):
        with pytest.raises(ValueError, match="at least one"):
            runner.Batch(game, **arguments)
    with pytest.raises(MemoryError):
        runner.Batch(game, 2**60)
    with pytest.raises(MemoryError):
        runner.Batch(game, 2**44)
    for task in (runner.Batch, runner.evaluate, runner.Agent):
        with pytest.raises(ValueError, match="from 1 to 1024"):
            task(*((game, 2) if task is runner.Batch else ("random", game)), threads=2000)
    full = game.parse("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2")
    with pytest.raises(runner.RunnerError, match="no outcomes"):
        game.spawn(full, 1)
    with pytest.raises(TypeError, match="uint8"):
        game.decode(np.zeros((2, 4, 4), np.float32))
    frozen = runner.Batch(game, 4)
    frozen.arrays["boards"].flags.writeable = False
    with pytest.raises(ValueError, match="cannot be written"):
        frozen.reset(seed=1)
    for job in (runner.Agent, runner.Value, lambda spec: runner.evaluate("random", spec)):
        with pytest.raises(TypeError, match="a spec is a text, not <class 'NoneType'>"):
            job(None)
    with pytest.raises(ValueError, match="needs a state"):
        runner.Batch(game, 4, starts=[])
    over = runner.Batch(game, 1, autoreset="disabled")
    over.reset(states=words(game.parse("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2")))
    with pytest.raises(ValueError, match="game 0 is over"):
        over.step()
    with pytest.raises(ValueError, match="too large"):
        game.encode(np.full((1, 4, 4), 200, np.uint8))


def test_numbers_that_are_no_positions_are_refused():
    game = runner.Game("threes")
    start = game.start(1)
    agent, batch = runner.Agent("random", game), runner.Batch(game, 2)
    afterstate = game.successors(start)[0][2]
    empty_bag = ~(0xFFF << 102)
    for use in (
        lambda: batch.reset(states=words(start, start & empty_bag)),
        lambda: runner.Batch(game, 2, starts=[start & empty_bag]),
        lambda: runner.evaluate("random", game, 1, starts=words(start & empty_bag)),
        lambda: agent.act(start & empty_bag),
        lambda: agent.think(start & empty_bag),
        # Entries beyond the board.
        lambda: game.spawn(afterstate | 31 << 120),
    ):
        with pytest.raises(ValueError, match="is no position of threes"):
            use()
    # The second is a bonus of a board without one.
    for wrong in (afterstate & empty_bag, afterstate | 3 << 100):
        with pytest.raises(runner.RunnerError, match="returned no outcomes at all"):
            game.spawn(wrong)
    batch.reset(seed=1)
    batch.reset(states=words(start, start & empty_bag), mask=[True, False])


def test_a_batch_in_use_refuses_a_second_thread():
    batch = runner.Batch(runner.Game(), 20_000)
    batch.reset(seed=1)
    refused, steps = [], []

    def step():
        for _ in range(60):
            try:
                batch.step()
                steps.append(1)
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(steps) + len(refused) == 120 and steps
    assert set(refused) <= {"the batch is in use by another thread"}


@pytest.fixture(scope="module")
def faulty():
    root = Path(__file__).resolve().parents[3]
    library = root / "target/debug/deps/libtest_faulty.so"
    if not library.exists():
        pytest.skip("`cargo test` of the workspace builds the faulty plugin")
    runner.load_plugin(library)


@pytest.mark.parametrize(
    "call",
    [
        lambda: runner.Agent("faulty-agent(at: endless)").act(runner.Game().start(1)),
        lambda: runner.Agent("faulty-agent(at: endless)").think(runner.Game().start(1)),
        lambda: runner.Agent("faulty-agent(at: endless_new)"),
    ],
    ids=["act", "think", "constructor"],
)
def test_ctrl_c_leaves_a_call_that_does_not_return(call, faulty):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.0, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call()
    assert time.monotonic() - began < 10


def test_faults_of_plugins_are_exceptions(faulty):
    for at, task in [
        ("new", lambda game: None),
        ("start", lambda game: [game.start(seed) for seed in range(50)]),
        ("write", lambda game: game.write(1)),
        ("parse", lambda game: game.parse("1 fate=0")),
        ("no_actions", lambda game: None),
    ]:
        with pytest.raises(runner.RunnerError, match="faulty"):
            task(runner.Game(f"faulty(at: {at})"))
    with pytest.raises(runner.RunnerError, match="ended in a fault: .*faulty"):
        runner.evaluate("random", "faulty(at: successors)", 100)
    game = runner.Game("faulty")
    assert len(game.successors(game.start(1))) == 2 and game.shape is None
    with pytest.raises(ValueError, match="is not played on a board"):
        runner.Batch(game, 2)
