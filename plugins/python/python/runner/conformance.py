"""Environments of other packages, compared with the rules of a game.

``conform`` drives an adapter: an object with ``reset(seed, state)`` and ``step(action)``, both of which
return a dict with the position ``state``, and if they know it ``reward``, ``terminal``, ``truncated``,
``legal`` (a mask, or names) and ``score``. An exception refuses the request.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._native import Game, Judge
from .results import Result

__all__ = ["Gymnasium", "GymnasiumVector", "Jumanji", "OpenSpiel", "Pgx", "conform"]

Read = Callable[[Any], Any]


def conform(
    env: Any,
    game: Game | str = "2048",
    steps: int = 100_000,
    seed: int = 1,
    *,
    read: Read | None = None,
    set: Callable[[Any, str], Any] | None = None,
    actions: Sequence[str] = (),
    ranks: bool = False,
    takes_seeds: bool = True,
) -> Result:
    """Judges an environment of gymnasium, single or vectorized, of jumanji, of pgx or of OpenSpiel, or an
    adapter.

    ``read`` makes a position of an observation: rows of numbers, or the text of the game. The numbers are
    tiles, or ``ranks``. ``set`` puts the environment, its first argument, at the position of a text and
    returns the observation. ``actions`` are the names of the environment's actions in their order. Without
    ``takes_seeds`` no seeds are given. The result is what ``runner conform`` prints with
    ``--json``, and its ``report`` the text.
    """
    adapter = _adapter(env, read or _board, set)
    game = Game(game) if isinstance(game, str) else game
    names = list(actions) or game.actions
    lanes = getattr(adapter, "lanes", 1)
    judge = Judge(
        game,
        steps=steps,
        seed=seed,
        takes_seeds=takes_seeds,
        lanes=lanes,
        ranks=ranks or getattr(adapter, "ranks", False),
        actions=list(actions),
    )
    if lanes > 1:
        adapter.reset_all(seed if takes_seeds else None)
    while True:
        requests = []
        for lane in range(lanes):
            text = judge.request(lane)
            if text is None:
                return judge.verdict(f"`{env}`")
            requests.append(json.loads(text))
        chosen = [names.index(one["action"]) if "action" in one else None for one in requests]
        if lanes > 1:
            answers = adapter.step_all(chosen)
        else:
            answers = [[_answer(adapter, requests[0], chosen[0])]]
        for lane, of_lane in enumerate(answers):
            for number, answer in enumerate(of_lane):
                if number > 0:
                    judge.request(lane)  # The next game has started in the same step.
                judge.answer(lane, json.dumps(answer, default=_plain))


def _answer(adapter: Any, request: dict[str, Any], action: int | None) -> dict[str, Any]:
    try:
        if action is not None:
            answer: dict[str, Any] = adapter.step(action)
        else:
            answer = adapter.reset(request.get("seed"), request.get("state"))
        return answer
    except Exception as error:
        return {"type": "error", "message": f"{type(error).__name__}: {error}"}


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist()


def _finite(number: Any) -> float | str:
    number = float(number)
    return number if math.isfinite(number) else str(number)


def _board(observation: Any) -> Any:
    """Returns the board of an observation: an array of its cells, or one-hot with the ranks last."""
    for name in ("board", "observation"):
        if isinstance(observation, dict) and name in observation:
            observation = observation[name]
    board = np.asarray(getattr(observation, "board", observation))
    return board.argmax(-1) if board.ndim == 3 else board


def _adapter(env: Any, read: Read, set: Callable[[Any, str], Any] | None) -> Any:
    modules = {kind.__module__.split(".")[0] for kind in type(env).__mro__}
    if "jumanji" in modules:
        return Jumanji(env, read)
    if "pgx" in modules:
        return Pgx(env, read)
    if modules & {"pyspiel", "open_spiel"}:
        return OpenSpiel(env, read)
    if "gymnasium" in modules:
        return GymnasiumVector(env, read) if hasattr(env, "num_envs") else Gymnasium(env, read, set)
    return env


class Gymnasium:
    def __init__(self, env: Any, read: Read = _board, set: Callable[[Any, str], Any] | None = None):
        self.env, self.read, self.set = env, read, set

    def reset(self, seed: int | None, state: str | None) -> dict[str, Any]:
        observation, info = self.env.reset(seed=seed)
        if state is not None:
            if self.set is None:
                raise ValueError("positions cannot be set")
            observation, info = self.set(self.env, state), {}
        return {"state": self.read(observation), "legal": info.get("action_mask")}

    def step(self, action: int) -> dict[str, Any]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return {
            "state": self.read(observation),
            "reward": _finite(reward),
            "terminal": bool(terminated),
            "truncated": bool(truncated),
            "legal": info.get("action_mask"),
            "score": info.get("score"),
        }


class GymnasiumVector:
    """All games of a vectorized environment, which start again by themselves."""

    def __init__(self, env: Any, read: Read = _board):
        self.env, self.read, self.lanes = env, read, env.num_envs
        mode = env.metadata.get("autoreset_mode")
        self.mode = getattr(mode, "value", mode) or "NextStep"
        if self.mode not in ("NextStep", "SameStep"):
            raise ValueError(f"an environment that starts games by itself is judged: {self.mode}")

    def reset_all(self, seed: int | None) -> None:
        """Starts all games."""
        observations, infos = self.env.reset(seed=seed)
        self.starts = [self._position(observations, infos, lane) for lane in range(self.lanes)]

    def step_all(self, actions: list[int | None]) -> list[list[dict[str, Any]]]:
        """Returns the answers of each game: that to the action, and the start of the next game."""
        if self.starts:
            starts, self.starts = self.starts, []
            return [[start] for start in starts]
        given = np.array([action or 0 for action in actions])
        observations, rewards, terminated, truncated, infos = self.env.step(given)
        answers = []
        for lane in range(self.lanes):
            now = [self._position(observations, infos, lane)]
            if self.mode == "SameStep" and (terminated[lane] or truncated[lane]):
                now.insert(0, {"state": self.read(_of_lane(infos["final_obs"], lane))})
            if actions[lane] is not None:
                now[0]["reward"] = _finite(rewards[lane])
                now[0]["terminal"] = bool(terminated[lane])
                now[0]["truncated"] = bool(truncated[lane])
            answers.append(now)
        return answers

    def _position(self, observations: Any, infos: dict[str, Any], lane: int) -> dict[str, Any]:
        legal = infos["action_mask"][lane] if "action_mask" in infos else None
        return {"state": self.read(_of_lane(observations, lane)), "legal": legal}


def _of_lane(observations: Any, lane: int) -> Any:
    if isinstance(observations, dict):
        return {name: rows[lane] for name, rows in observations.items()}
    return observations[lane]


class _Jax:
    ranks = True

    def __init__(self, env: Any, read: Read = _board):
        import jax

        self.read, self.random, self.key = read, jax.random, jax.random.PRNGKey(0)
        # A function is compiled once only if the object that `jit` returns is kept.
        self.jit_start = jax.jit(env.reset if hasattr(env, "reset") else env.init)
        self.jit_step = jax.jit(env.step)

    def reset(self, seed: int | None, state: str | None) -> dict[str, Any]:
        if state is not None:
            raise ValueError("positions cannot be set")
        if seed is not None:
            self.key = self.random.PRNGKey(seed)
        return self._answer(self.jit_start(self._next_key()))

    def _answer(self, result: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _next_key(self) -> Any:
        self.key, key = self.random.split(self.key)
        return key


class Jumanji(_Jax):
    """An environment of jumanji. Ranks are the numbers of its boards."""

    def step(self, action: int) -> dict[str, Any]:
        return self._answer(self.jit_step(self.state, action))

    def _answer(self, result: Any) -> dict[str, Any]:
        self.state, step = result
        return {
            "state": self.read(step.observation),
            "reward": _finite(step.reward),
            "terminal": bool(step.last()),
            "legal": getattr(step.observation, "action_mask", None),
        }


class Pgx(_Jax):
    """An environment of pgx for one player, whose observations are one-hot. By its documentation all
    actions are in the mask of a position where the game is over, so that mask says nothing."""

    def step(self, action: int) -> dict[str, Any]:
        return self._answer(self.jit_step(self.state, action, self._next_key()))

    def _answer(self, state: Any) -> dict[str, Any]:
        self.state = state
        return {
            "state": self.read(state.observation),
            "reward": _finite(state.rewards[0]),
            "terminal": bool(state.terminated),
            "legal": None if state.terminated else state.legal_action_mask,
        }


class OpenSpiel:
    """A game of OpenSpiel for one player. Chance outcomes are drawn from the distributions that it lists."""

    def __init__(self, game: Any, read: Read = _board):
        self.game, self.read = game, read

    def reset(self, seed: int | None, state: str | None) -> dict[str, Any]:
        if state is not None:
            raise ValueError("positions cannot be set")
        self.random = np.random.default_rng(seed)
        self.state, self.score = self.game.new_initial_state(), 0.0
        return self._answer()

    def step(self, action: int) -> dict[str, Any]:
        if action not in self.state.legal_actions():
            raise ValueError("the action is not legal")
        self.state.apply_action(action)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        while self.state.is_chance_node():
            outcomes, shares = zip(*self.state.chance_outcomes(), strict=True)
            self.state.apply_action(int(self.random.choice(outcomes, p=shares)))
        before, self.score = self.score, self.state.returns()[0]
        count = self.game.num_distinct_actions()
        legal = self.state.legal_actions()
        return {
            "state": self.read(self.state),
            "reward": _finite(self.score - before),
            "terminal": self.state.is_terminal(),
            "legal": [action in legal for action in range(count)],
        }
