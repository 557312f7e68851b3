"""Judges one package of the registry, and prints its row of the table: `packages.py PACKAGE [GAME]`."""

import importlib.metadata
import os
import random
import sys
import time

import numpy as np

import runner

ROUND = ("left", "up", "right", "down")


def rows_of(text):
    return np.array([[int(cell) for cell in row.split(",")] for row in text.split("/")])


def gymnasium_2048():
    import gymnasium
    import gymnasium_2048  # noqa: F401

    return gymnasium.make("gymnasium_2048/TwentyFortyEight-v0"), {"ranks": True}


def gym_2048_extended():
    import gym_2048

    def set_board(env, text):
        env.set_board(rows_of(text))
        return env.board

    return gym_2048.Base2048Env(), {"actions": ROUND, "set": set_board}


def jumanji():
    import jumanji

    return jumanji.make("Game2048-v1"), {}


def pgx():
    import pgx

    return pgx.make("2048"), {"actions": ROUND}


def open_spiel():
    import pyspiel

    def read(state):
        return np.array(state.observation_tensor(0)).reshape(4, 4)

    return pyspiel.load_game("2048"), {"read": read}


class TextArena:
    """Actions are texts, and rewards come at the end only: the score is compared instead."""

    def __init__(self):
        from textarena.envs.Game2048.env import Game2048Env

        self.env = Game2048Env(target_tile=131072)

    def reset(self, seed, state):
        if state is not None:
            raise ValueError("positions cannot be set")
        self.env.reset(num_players=1, seed=seed)
        self.score = 0
        return self.answer(False)

    def step(self, action):
        over, _ = self.env.step(f"[{runner.Game().actions[action]}]")
        return self.answer(bool(over))

    def answer(self, over):
        game = self.env.state.game_state
        reward, self.score = game["score"] - self.score, game["score"]
        return {"state": game["board"], "reward": reward, "terminal": over, "score": self.score}


class Board2048:
    """Moves and tiles are separate functions. Its modules import each other as if they were no package."""

    def __init__(self):
        spec = importlib.util.find_spec("board2048")
        sys.path.insert(0, os.path.dirname(spec.origin))
        import board2048 as module

        self.new = lambda: module.Board2048(4, 4, 2048)

    def reset(self, seed, state):
        random.seed(seed)
        self.board = self.new()
        if state is not None:
            self.board.setBoard([[cell or None for cell in row] for row in rows_of(state).tolist()])
        else:
            self.board.addRandomTile()
            self.board.addRandomTile()
        return self.answer(0)

    def step(self, action):
        direction = "urdl"[action]
        if not self.board.legalSwipe(direction):
            return self.answer(0)
        reward = self.board.shift(direction)
        self.board.addRandomTile()
        return self.answer(reward)

    def answer(self, reward):
        return {
            "state": [[cell or 0 for cell in row] for row in self.board.getBoard()],
            "reward": reward,
            "terminal": not self.board.moreMoves(),
            "legal": [self.board.legalSwipe(direction) for direction in "urdl"],
        }


class C2048:
    """The loop of its description."""

    def __init__(self):
        import c2048

        self.module = c2048

    def reset(self, seed, state):
        if state is not None:
            raise ValueError("positions cannot be set")
        self.game = self.module.C2048()
        return self.answer()

    def step(self, action):
        move = self.module.Move
        self.game.move((move.Up, move.Right, move.Down, move.Left)[action])
        if self.game.has_moved:
            self.game.spawn_tile(0.9)
            self.game.reset()
        return self.answer()

    def answer(self):
        cells = [tile.exp for tile in self.game.grid]
        # The first row is the lowest.
        rows = [cells[first : first + 4] for first in (12, 8, 4, 0)]
        return {"state": rows, "terminal": self.game.is_lose()}


PACKAGES = {
    "gymnasium-2048": gymnasium_2048,
    "gym-2048-extended": gym_2048_extended,
    "jumanji": jumanji,
    "pgx": pgx,
    "open-spiel": open_spiel,
    # It is slow.
    "textarena": lambda: (TextArena(), {"steps": 2_000}),
    "board2048": lambda: (Board2048(), {}),
    "c2048": lambda: (C2048(), {"ranks": True, "takes_seeds": False}),
}


def main():
    package = sys.argv[1]
    env, options = PACKAGES[package]()
    steps = int(os.environ.get("RUNNER_STEPS", 100_000))
    game = sys.argv[2] if len(sys.argv) > 2 else "2048"
    verdict = runner.conform(env, game, **{"steps": steps, **options})
    print(verdict["report"], file=sys.stderr)
    found = [f"{one['law']}: {one['explanation']}" for one in verdict["counterexamples"]]
    found += [f"stopped at {verdict['error']}"] * (verdict["error"] is not None)
    cells = [
        f"`{package}`",
        importlib.metadata.version(package),
        time.strftime("%Y-%m-%d"),
        f"{verdict['steps']:,}",
        verdict["verdict"].replace("-", " "),
        ", ".join(verdict["not_tested"]),
        "; ".join(found),
    ]
    print("|", " | ".join(cells), "|", flush=True)


main()
