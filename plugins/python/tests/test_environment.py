"""Tests of the environment against a built `runner`, which the variable RUNNER names."""

import sys
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from runner_gym import RunnerEnv, RunnerError

GAMES = ["2048", "threes", "2048(rows: 2, cols: 3)"]


def play(env, **reset):
    """Plays a random episode with legal actions; returns the boards and the rewards."""
    board, info = env.reset(**reset)
    env.action_space.seed(1)
    boards, rewards, terminated = [board], [], False
    while not terminated:
        action = env.action_space.sample(info["action_mask"])
        board, reward, terminated, truncated, info = env.step(action)
        assert board in env.observation_space and not truncated
        boards.append(board)
        rewards.append(reward)
    return boards, rewards, info


class Environment(unittest.TestCase):
    def make(self, game, **arguments):
        env = RunnerEnv(game, **arguments)
        self.addCleanup(env.close)
        return env

    def test_gymnasium_checker_accepts_every_game(self):
        for game in GAMES:
            env = gymnasium.make("runner_gym:Runner-v0", game=game)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_env(env.unwrapped)
            env.close()

    def test_rewards_of_an_episode_sum_to_its_score(self):
        for game in ["2048", "2048(rows: 2, cols: 3)"]:
            boards, rewards, info = play(self.make(game), seed=3)
            self.assertEqual(sum(rewards), info["score"])
            self.assertEqual(len(rewards), info["moves"])
            self.assertEqual(len(boards), info["moves"] + 1)

    def test_seed_determines_the_episode(self):
        env = self.make("threes")
        first, again = play(env, seed=5), play(env, seed=5)
        np.testing.assert_array_equal(first[0], again[0])
        self.assertEqual(first[2]["score"], again[2]["score"])
        following = play(env)
        other = play(self.make("threes"), seed=6)
        for different in (following, other):
            self.assertNotEqual(first[2]["state"], different[2]["state"])

    def test_unseeded_environments_differ(self):
        states = {self.make("2048").reset()[1]["state"] for _ in range(4)}
        self.assertGreater(len(states), 1)

    def test_ranks_and_masks_describe_the_board(self):
        env = self.make("2048", render_mode="ansi")
        state = "2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,1024"
        board, info = env.reset(options={"state": state})
        self.assertEqual(board[0].tolist(), [1, 1, 0, 0])
        self.assertEqual(env.values[board[3, 3]], 1024)
        self.assertEqual(info["state"], state)
        self.assertEqual(info["action_mask"].tolist(), [1, 1, 1, 1])
        self.assertIn("1024", env.render())
        left = env.actions.index("left")
        boards = {action: board for action, _, board in env.afterstates()}
        self.assertEqual(boards[left][0].tolist(), [2, 0, 0, 0])
        _, reward, terminated, _, _ = env.step(left)
        self.assertEqual((reward, terminated), (4.0, False))

    def test_illegal_action_changes_nothing(self):
        env = self.make("2048")
        board, info = env.reset(options={"state": "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0"})
        up = env.actions.index("up")
        self.assertFalse(env.action_masks()[up])
        same, reward, terminated, _, after = env.step(up)
        np.testing.assert_array_equal(board, same)
        self.assertEqual((reward, terminated, after["state"]), (0.0, False, info["state"]))

    def test_errors_are_exceptions(self):
        env = self.make("2048")
        with self.assertRaisesRegex(RunnerError, "reset"):
            env.step(0)
        with self.assertRaisesRegex(RunnerError, "no position"):
            env.reset(options={"state": "2,2"})
        with self.assertRaisesRegex(RunnerError, "has ended"):
            RunnerEnv("no-such-game")
        env.reset(seed=1)


if __name__ == "__main__":
    unittest.main()
