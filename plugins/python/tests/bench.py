"""Speeds, each beside what it is compared with in the same run. `--short` takes a tenth of the time.

Rates are per second of processor time of all threads: those of one core, also where other programs
run.

    python bench.py [--short]
"""

import sys
import time

import numpy as np

import runner

TIME = 0.2 if "--short" in sys.argv else 2.0
N = 4096
# Steps in a second of one environment over `runner play --stdio`, the package that this one replaced.
PIPE = 30_000


def rate(task, count):
    """Returns the best rate of five measurements."""
    task()
    best = 0.0
    for _ in range(5):
        began, calls = time.process_time(), 0
        while (elapsed := time.process_time() - began) < TIME / 5:
            task()
            calls += 1
        best = max(best, calls * count / elapsed)
    return best


def show(name, figure, base=None, what=""):
    ratio = f"{figure / base:10.2f} x {what}" if base else ""
    print(f"{name:52}{figure:14,.0f}/s{ratio}")


def batches(spec):
    batch = runner.Batch(runner.Game(spec), N)
    batch.reset(seed=1)
    for _ in range(50):
        batch.step()
    random = rate(batch.step, N)
    show(f"{spec}: batch of {N}, random actions", random, PIPE, "the pipe")
    masks, noise = batch.arrays["masks"], np.random.default_rng(1).random((50, N, 4))
    spent = calls = 0
    while spent < TIME:
        actions = (masks * noise[calls % 50]).argmax(1)
        began = time.process_time()
        batch.step(actions)
        spent += time.process_time() - began
        calls += 1
    show(f"{spec}: batch of {N}, an array of actions", calls * N / spent, PIPE, "the pipe")
    return random


def environments():
    import gymnasium

    import runner.gym  # noqa: F401

    env = gymnasium.make("runner/2048-v0")
    env.reset(seed=1)

    def step():
        for _ in range(100):
            mask = env.unwrapped.action_masks().astype(np.int8)
            if env.step(env.action_space.sample(mask))[2]:
                env.reset()

    show("gymnasium: one environment", rate(step, 100), PIPE, "the pipe")
    vec = gymnasium.make_vec("runner/2048-v0", N)
    vec.reset(seed=1)
    actions = np.random.default_rng(1).integers(4, size=(50, N))
    k = iter(range(10**9))
    speed = rate(lambda: vec.step(actions[next(k) % 50]), N)
    show(f"gymnasium: {N} environments, some moves illegal", speed, PIPE, "the pipe")


def values():
    batch = runner.Batch(runner.Game(), 10_000)
    batch.reset(seed=1)
    for _ in range(60):
        batch.step()
    boards, words = batch.arrays["boards"], batch.states
    for spec in ("trained", "tc-ntuple", "snake-paths", "rows"):
        value = runner.Value(spec)
        native = rate(lambda: value.evaluate_repeatedly(words, 20), 200_000)
        for name, positions in (("boards", boards), ("words", words)):
            speed = rate(lambda: value.evaluate(positions), 10_000)
            show(f"{spec}: 10,000 {name}", speed, native, "the engine alone")
    agent = runner.Agent("rows")
    show("rows: act in 10,000 states", rate(lambda: agent.act(words), 10_000))


def python_values():
    leaves = 0

    def function(boards):
        nonlocal leaves
        leaves += len(boards)
        return (boards == 0).sum((1, 2)).astype(np.float32)

    value = runner.PythonValue(function, bounds=(-1, 16))
    for spec in (
        f"expectimax(depth: 2, value: {value})",
        f"mcts(value: {value}, simulations: 400)",
    ):
        agent = runner.Agent(spec)
        states = [runner.Game().start(seed) for seed in range(10)]
        leaves, began = 0, time.process_time()
        while (elapsed := time.process_time() - began) < TIME:
            for state in states:
                agent.act(state)
        name = spec.split("(")[0]
        show(f"a value in Python in {name}: leaves", leaves / elapsed, 100_000, "the aim")


def openspiel():
    import pyspiel

    rng = np.random.default_rng(1)
    state = pyspiel.load_game("2048", {"max_tile": 1 << 20}).new_initial_state()

    def step():
        nonlocal state
        for _ in range(20):
            if state.is_terminal():
                state = state.get_game().new_initial_state()
            while state.is_chance_node():
                actions, shares = zip(*state.chance_outcomes())
                state.apply_action(actions[np.searchsorted(np.cumsum(shares), rng.random() * 0.999)])
            if state.is_terminal():
                continue
            actions = state.legal_actions()
            state.apply_action(actions[rng.integers(len(actions))])

    return rate(step, 20)


def gymnasium_2048():
    import gymnasium
    import gymnasium_2048  # noqa: F401

    env = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0")
    env.reset(seed=1)

    def step():
        for _ in range(100):
            if env.step(env.action_space.sample())[2]:
                env.reset()

    return rate(step, 100)


def pgx():
    import jax
    import pgx as package

    env = package.make("2048")
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), N))
    step_all = jax.jit(jax.vmap(package.experimental.auto_reset(env.step, env.init)))

    @jax.jit
    def move(states, key):
        keys = jax.random.split(key, N)
        logits = jax.numpy.log(states.legal_action_mask.astype(jax.numpy.float32))
        return step_all(states, jax.random.categorical(key, logits, axis=1), keys)

    return _jax_rate(move, states)


def jumanji():
    import jax
    import jumanji as package
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(package.make("Game2048-v1"))
    start = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), N))

    @jax.jit
    def move(both, key):
        state, timestep = both
        logits = jax.numpy.log(timestep.observation.action_mask.astype(jax.numpy.float32))
        return env.step(state, jax.random.categorical(key, logits, axis=1))

    return _jax_rate(move, start)


def _jax_rate(move, states):
    import jax

    keys = jax.random.split(jax.random.PRNGKey(2), 100)
    k = 0

    def step():
        nonlocal states, k
        states = jax.block_until_ready(move(states, keys[k % 100]))
        k += 1

    return rate(step, N)


def others(ours):
    """Random moves of other packages, where they are installed."""
    for name, measure in (
        ("OpenSpiel, a loop in Python", openspiel),
        ("gymnasium-2048, one environment", gymnasium_2048),
        (f"pgx on the CPU, batch of {N}", pgx),
        (f"jumanji on the CPU, batch of {N}", jumanji),
    ):
        try:
            speed = measure()
        except ImportError as error:
            print(f"{name}: not measured, {error}")
            continue
        print(f"{name:52}{speed:14,.0f}/s  a batch makes {ours / speed:,.0f} times as many")


if __name__ == "__main__":
    print("per second of processor time, the best of 5 measurements")
    fast = batches("2048")
    batches("threes")
    environments()
    values()
    python_values()
    others(fast)
