"""MaskablePPO of sb3-contrib plays 2048: ``pip install sb3-contrib``, which needs PyTorch.

    python maskable_ppo.py [--moves N]
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import runner.gym  # noqa: F401


def make():
    env = gymnasium.make("runner/2048-v0", observation="one_hot")
    env = gymnasium.wrappers.FlattenObservation(env)
    # Rewards grow with the tiles; their logarithm is easier to learn.
    return gymnasium.wrappers.TransformReward(env, lambda reward: float(np.log1p(reward)))


def train(moves=200_000, steps=256):
    envs = make_vec_env(make, n_envs=8)
    model = MaskablePPO("MlpPolicy", envs, n_steps=steps, batch_size=256, gamma=0.997, verbose=0)
    model.learn(moves)
    return model


def play(model, games=20):
    env, scores = make(), []
    for seed in range(games):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            masks = env.unwrapped.action_masks()
            action, _ = model.predict(observation, action_masks=masks, deterministic=False)
            observation, _, over, _, info = env.step(int(action))
        scores.append(info["score"])
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=200_000)
    model = train(parser.parse_args().moves)
    print(f"mean score {np.mean(play(model)):.0f}")
