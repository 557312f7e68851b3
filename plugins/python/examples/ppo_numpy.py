"""PPO in one file, with numpy alone: a network over one-hot boards learns to play.

    python ppo_numpy.py [--moves N] [--game SPEC]
"""

import argparse

import gymnasium
import numpy as np

import runner.gym  # noqa: F401

ENVS, STEPS, EPOCHS, BATCH, HIDDEN = 64, 64, 3, 512, 128
GAMMA, LAMBDA, CLIP, RATE, ENTROPY = 0.997, 0.95, 0.2, 1e-3, 0.01


class Network:
    """Two layers: logits of the actions, and a value."""

    def __init__(self, inputs, actions, rng):
        scale = np.sqrt(2 / inputs)
        self.weights = [
            rng.normal(0, scale, (inputs, HIDDEN)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            rng.normal(0, 0.01, (HIDDEN, actions + 1)).astype(np.float32),
            np.zeros(actions + 1, np.float32),
        ]
        self.moments = [[np.zeros_like(w), np.zeros_like(w)] for w in self.weights]
        self.updates = 0

    def forward(self, x):
        w1, b1, w2, b2 = self.weights
        hidden = np.maximum(x @ w1 + b1, 0)
        out = hidden @ w2 + b2
        return hidden, out[:, :-1], out[:, -1]

    def update(self, x, hidden, gradient):
        """Makes a step of Adam against the gradient of the outputs."""
        w2 = self.weights[2]
        back = (gradient @ w2.T) * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ gradient, gradient.sum(0)]
        self.updates += 1
        for weight, moment, g in zip(self.weights, self.moments, gradients):
            moment[0] += 0.1 * (g - moment[0])
            moment[1] += 0.001 * (g * g - moment[1])
            first = moment[0] / (1 - 0.9**self.updates)
            second = moment[1] / (1 - 0.999**self.updates)
            weight -= RATE * first / (np.sqrt(second) + 1e-8)


def policy(logits, masks):
    logits = np.where(masks, logits, -1e9)
    logits = logits - logits.max(1, keepdims=True)
    shares = np.exp(logits)
    return shares / shares.sum(1, keepdims=True)


def train(game="2048(rows: 3, cols: 3)", moves=1_000_000, seed=1):
    """Returns the mean scores of the games that ended in each iteration."""
    rng = np.random.default_rng(seed)
    envs = gymnasium.make_vec("runner/Game-v0", ENVS, spec=game, observation="one_hot")
    boards, _ = envs.reset(seed=seed)
    network = Network(int(np.prod(envs.single_observation_space.shape)), 4, rng)
    scores, curve = np.zeros(ENVS), []
    over = np.zeros(ENVS, bool)
    for iteration in range(max(1, moves // (ENVS * STEPS))):
        rows, ended = [], []
        for _ in range(STEPS):
            x = boards.reshape(ENVS, -1).astype(np.float32)
            masks = envs.action_masks()
            masks[~masks.any(1)] = True  # The game is over: the action is ignored.
            _, logits, values = network.forward(x)
            shares = policy(logits, masks)
            actions = (shares.cumsum(1) < rng.random((ENVS, 1))).sum(1).clip(max=3)
            actions = np.where(masks[np.arange(ENVS), actions], actions, masks.argmax(1))
            boards, rewards, terminated, _, _ = envs.step(actions)
            scores += rewards
            ended += scores[terminated].tolist()
            scores[terminated] = 0
            chosen = shares[np.arange(ENVS), actions]
            # The step after the end of a game is no move.
            rows.append((x, masks, actions, chosen, values, np.log1p(rewards) / 4, terminated, ~over))
            over = terminated
        x, masks, actions, chosen, values, rewards, ends, real = map(np.array, zip(*rows))
        _, _, last = network.forward(boards.reshape(ENVS, -1).astype(np.float32))
        advantages, running, following = np.zeros_like(values), np.zeros(ENVS), last
        for t in reversed(range(STEPS)):
            goes_on = ~ends[t]
            delta = rewards[t] + GAMMA * following * goes_on - values[t]
            running = delta + GAMMA * LAMBDA * goes_on * running
            advantages[t], following = running, values[t]
        returns = advantages + values
        keep = real.ravel()
        x, masks, actions, chosen, advantages, returns = (
            a.reshape(ENVS * STEPS, *a.shape[2:])[keep]
            for a in (x, masks, actions, chosen, advantages, returns)
        )
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for _ in range(EPOCHS):
            order = rng.permutation(len(x))
            for some in np.array_split(order, max(1, len(x) // BATCH)):
                hidden, logits, value = network.forward(x[some])
                shares = policy(logits, masks[some])
                index = np.arange(len(some))
                ratio = shares[index, actions[some]] / chosen[some]
                gain = advantages[some]
                is_clipped = (ratio - 1) * np.sign(gain) > CLIP
                pull = np.where(is_clipped, 0, ratio * gain)
                gradient = np.zeros((len(some), 5), np.float32)
                gradient[:, :4] = shares * pull[:, None]
                gradient[index, actions[some]] -= pull
                logs = np.log(shares + 1e-9)
                entropy = -(shares * logs).sum(1, keepdims=True)
                gradient[:, :4] += ENTROPY * shares * (logs + entropy)
                gradient[:, 4] = 0.5 * (value - returns[some])
                network.update(x[some], hidden, gradient / len(some))
        if ended:
            curve.append(float(np.mean(ended)))
            if iteration % 10 == 0:
                print(f"{(iteration + 1) * ENVS * STEPS:10,} moves  mean score {curve[-1]:8.1f}")
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=1_000_000)
    parser.add_argument("--game", default="2048(rows: 3, cols: 3)")
    arguments = parser.parse_args()
    train(arguments.game, arguments.moves)
