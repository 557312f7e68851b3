"""Arrays of any type, shape, layout and content: each is taken, or refused by an exception of the right class.

``RUNNER_FUZZ`` is the number of arrays [default: 20,000].
"""

import os

import numpy as np

import runner

COUNT = int(os.environ.get("RUNNER_FUZZ", 20_000))
REFUSED = (TypeError, ValueError)
DTYPES = ["?", "i1", "u1", "<i2", ">i4", "i8", ">i8", "u8", "f4", "f8", "c8", "U3", "M8[s]", "O", "i1,u2"]


def any_length(rng, n):
    return int(rng.choice([n, n, n, n, 0, 1, max(n - 1, 0), n + 1, 2 * n]))


def any_array(rng, dtype, shape):
    """Returns an array that is often of the right kind, and rarely of the simplest layout."""
    if rng.random() < 0.3:
        dtype = str(rng.choice(DTYPES))
    if rng.random() < 0.3:
        shape = [any_length(rng, n) for n in shape]
        shape = shape[: rng.integers(1, len(shape) + 1)] if rng.random() < 0.3 else shape
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    high = int(rng.choice([1, 2, 4, 12, 256]))
    numbers = rng.integers(0, high, count)
    if rng.random() < 0.1:
        numbers = -numbers
    if dtype.kind in "OUMV":
        array = np.array(numbers.tolist(), object) if dtype.kind == "O" else np.zeros(count, dtype)
    elif count and rng.random() < 0.1:
        # Bytes that mean nothing, such as truth values of 255 and numbers that are not finite.
        array = np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()
    else:
        with np.errstate(all="ignore"):
            array = numbers.astype(dtype)
    array = array.reshape(shape)
    match rng.integers(10):
        case 0:
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        case 1:
            array = array[::-1]
        case 2:
            array = np.asfortranarray(array)
        case 3 if dtype.kind != "O" and array.size:
            array = np.frombuffer(b" " + array.tobytes(), dtype, offset=1).reshape(shape)
        case 4:
            array.flags.writeable = False
        case 5 if array.size:
            array = np.broadcast_to(array[:1], array.shape)
        case 6:
            return array.tolist()
        case 7:
            return array[..., None] if rng.random() < 0.5 else array[0] if len(array) else array
    return array


def test_every_array_is_taken_or_refused():
    rng, taken, refused = np.random.default_rng(1), 0, 0
    for spec in ("2048", "threes", "2048(rows: 3, cols: 5)", "2048(walls: [5], cap: 2048)"):
        game, n = runner.Game(spec), 6
        rows, cols = game.shape
        batch = runner.Batch(game, n, illegal="ignore")
        value = runner.Value("rows", game)
        batch.reset(seed=1)
        boards, extras = ("u1", (n, rows, cols)), ("u1", (n, len(game.fields)))
        words = ("u8", (n, 2))
        calls = [
            (lambda a: batch.step(a), ("i8", (n,))),
            (lambda a: batch.reset(mask=a), ("?", (n,))),
            (lambda a: batch.reset(seeds=a), ("u8", (n,))),
            (lambda a: batch.reset(states=a), words),
            (lambda a: runner.Batch(game, 2, starts=a).reset(), words),
            (lambda a: game.afterstates(a), words),
            (lambda a: game.decode(a), words),
            (lambda a: game.encode(a), boards),
            (lambda a: game.encode(np.zeros(boards[1], "u1"), a), extras),
            (lambda a: value.evaluate(a), boards),
            (lambda a: value.evaluate(a), words),
            (lambda a: value.action_values(a), words),
        ]
        for _ in range(COUNT // 5):
            call, (dtype, shape) = calls[rng.integers(len(calls))]
            array = any_array(rng, dtype, shape)
            own = list(batch.arrays.values()) + [batch.states, batch.scores]
            if rng.random() < 0.1:
                array = own[rng.integers(len(own))]
            try:
                if rng.random() < 0.05:
                    batch.step()
                call(array)
                taken += 1
            except REFUSED:
                refused += 1
            except runner.RunnerError:
                # A position that no game reaches.
                refused += 1
                batch.reset(seed=1)
    print(f"{taken + refused} arrays: {taken} taken, {refused} refused")
    assert min(taken, refused) > COUNT // 10


def test_arrays_of_a_batch_that_were_changed_are_refused():
    rng = np.random.default_rng(2)
    changes = [
        lambda a: setattr(a, "shape", (a.size,)),
        lambda a: setattr(a, "shape", (1, *a.shape)),
        lambda a: setattr(a, "dtype", "V1"),
        lambda a: setattr(a, "dtype", ">i8" if a.itemsize == 8 else "i1"),
        lambda a: setattr(a.flags, "writeable", False),
        lambda a: a.resize((2, *a.shape[1:]), refcheck=False),
        lambda a: a.resize((1000, *a.shape[1:]), refcheck=False),
    ]
    game, count = runner.Game("threes"), 0
    for _ in range(min(COUNT, 2000) // 10):
        batch = runner.Batch(game, 6)
        batch.reset(seed=1)
        names = list(batch.arrays)
        array = batch.arrays[names[rng.integers(len(names))]]
        before = (array.shape, array.dtype, array.flags.writeable)
        try:
            changes[rng.integers(len(changes))](array)
        except (AttributeError, TypeError, ValueError):
            continue
        if before == (array.shape, array.dtype, array.flags.writeable):
            continue
        states = batch.states
        for call in (batch.step, batch.reset):
            try:
                call()
            except REFUSED:
                count += 1
            else:
                raise AssertionError(f"{before} became {array.shape}, {array.dtype}")
        np.testing.assert_array_equal(batch.states, states)
    assert count > 50


def test_results_of_a_value_in_python_are_taken_or_refused():
    rng, game = np.random.default_rng(3), runner.Game()
    state, n = game.start(1), []

    def function(boards):
        n.append(len(boards))
        return any_array(rng, "f4", (len(boards),))

    value = runner.PythonValue(function)
    agent = runner.Agent(value, game)
    for _ in range(COUNT // 10):
        try:
            assert agent.act(state) in range(4)
        except (*REFUSED, OverflowError):
            pass
    assert len(n) == COUNT // 10
