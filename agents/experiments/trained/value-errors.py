"""Measures the errors of a value of 2048 in each phase of its own greedy games, with the module of Python:
`python3 value-errors.py trained 500 9`, where 9 is the seed.

A phase is named by the sum of the tiles from 4096 on, as the tiles that it would make. V is the value of a
position, the largest reward + value of its afterstates, and 0 at the end of a game. The TD error of a move is
its luck, the value of the position that came less the mean of V over all that could have come, and its
residual, that mean less the value of the afterstate. The columns: games in the phase, moves in it, the
standard deviations of luck and residual over afterstates that are drawn from the games; the sum of the TD
errors of a game in the phase, in which luck has the mean 0; V where games enter the phase, and the points
that they then had to come."""

import sys
from collections import defaultdict

import numpy as np
import runner

SAMPLED_STEPS = 20
SMALLEST_LARGE = 4096


def phases(tiles):
    """Returns the sum of the large tiles of each board in units of the smallest one."""
    return np.where(tiles >= SMALLEST_LARGE, tiles, 0).sum(axis=1) // SMALLEST_LARGE


def name(phase):
    tiles = [str(SMALLEST_LARGE << bit) for bit in range(phase.bit_length()) if phase >> bit & 1]
    return " ".join(reversed(tiles)) or "none"


def errors(game, value, afterstate):
    """Returns the residual of an afterstate and the variance of luck after it."""
    words, probabilities = zip(*game.outcomes(afterstate))
    states = np.array([(w & (1 << 64) - 1, w >> 64) for w in words], np.uint64)
    best = np.nan_to_num(value.action_values(states), nan=-np.inf).max(axis=1)
    values = np.where(np.isneginf(best), 0.0, best)
    mean = values @ np.array(probabilities)
    own = value.evaluate(np.array([[afterstate & (1 << 64) - 1, afterstate >> 64]], np.uint64))
    return mean - own[0], (values - mean) ** 2 @ np.array(probabilities)


def main():
    game = runner.Game("2048")
    value, count, seed = runner.Value(sys.argv[1], game), int(sys.argv[2]), int(sys.argv[3])
    draw = np.random.default_rng(seed)
    # A game that is over starts again, and is not looked at.
    batch = runner.Batch(game, count, illegal="ignore")
    batch.reset(seed=seed)
    tiles_of, before, final = np.array(game.values, np.int64), np.full(count, -1), np.full(count, np.nan)
    moves, sampled, entered = defaultdict(int), defaultdict(list), []
    while (live := np.flatnonzero(np.isnan(final))).size:
        states = batch.states[live]
        values = np.nan_to_num(value.action_values(states), nan=-np.inf)
        actions = values.argmax(axis=1)
        boards = game.decode(states)[0].reshape(live.size, -1)
        now = phases(tiles_of[boards])
        for lane in np.flatnonzero(now != before[live]):
            entered.append((now[lane], live[lane], values[lane].max(), batch.scores[live[lane]]))
        before[live] = now
        for phase, number in zip(*np.unique(now, return_counts=True)):
            moves[phase] += number
        drawn = np.flatnonzero(draw.random(live.size) < 1 / SAMPLED_STEPS)
        after = game.afterstates(states[drawn])[0][np.arange(drawn.size), actions[drawn]]
        for phase, (low, high) in zip(now[drawn], after.tolist()):
            sampled[phase].append(errors(game, value, high << 64 | low))
        every = np.zeros(count, int)
        every[live] = actions
        batch.step(every)
        over = live[batch.arrays["terminated"][live]]
        final[over] = batch.scores[over]
    print("phase | games | moves | luck | residual | sum of TD errors | V at entry | points to come")
    entries = defaultdict(list)
    for phase, lane, v, score in entered:
        entries[lane].append((phase, v, score))
    visits = defaultdict(list)
    for lane, own in entries.items():
        for (phase, v, score), (_, later, then) in zip(own, own[1:] + [(0, 0, final[lane])]):
            visits[phase].append((then + later - score - v, v, final[lane] - score))
    for phase in sorted(visits):
        residual, luck = np.array(sampled[phase]).reshape(-1, 2).T
        sums, v, rest = np.array(visits[phase]).T
        ends = [1.96 * numbers.std() / v.size**0.5 for numbers in (sums, rest - v)]
        print(
            f"{name(int(phase))} | {v.size} | {moves[phase] / v.size:.0f} | {luck.mean() ** 0.5:.0f} | "
            f"{(residual**2).mean() ** 0.5:.0f} | {sums.mean():+.0f} ± {ends[0]:.0f} | "
            f"{v.mean():.0f} | {rest.mean():.0f} ± {ends[1]:.0f}"
        )


main()
