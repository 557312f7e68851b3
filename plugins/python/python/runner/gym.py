"""The games as gymnasium environments, single and vectorized.

Importing this module registers ``runner/2048-v0``, ``runner/Threes-v0`` and one environment for each
other game, and ``runner/Game-v0``, which takes the spec of any game. Parameters of a game are keyword
arguments: ``gymnasium.make("runner/2048-v0", rows=3)``.
"""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import Batch, Game, plugins

__all__ = ["GameEnv", "GameVectorEnv", "spec_of"]

_AUTORESET = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


def spec_of(name: str, parameters: dict[str, Any]) -> str:
    """Returns the spec of a game with these parameters. Texts stand in it as they are: words and
    nested specs."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, Path):
            return json.dumps(str(value))
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(item, value))}]"
        return str(value)

    def item(value: Any) -> str:
        """A tuple in a list is a tuple: `spawn=[(2, 0.9), (4, 0.1)]`."""
        if isinstance(value, tuple):
            return f"({', '.join(map(text, value))})"
        return text(value)

    if not parameters:
        return name
    return f"{name}({', '.join(f'{key}: {text(value)}' for key, value in parameters.items())})"


class _Observer:
    """The observation space of a game, and observations from boards and extras."""

    def __init__(self, game: Game, kind: str):
        if game.shape is None:
            raise ValueError(f"{game} is not played on a board")
        if kind not in ("ranks", "one_hot"):
            raise ValueError('`observation` is "ranks" or "one_hot"')
        self.one_hot = kind == "one_hot"
        self.fields = game.fields
        ranks = len(game.values)
        self.unit = np.eye(max(ranks, *self.fields.values(), 1), dtype=np.uint8)
        self.ranks = ranks
        space: spaces.Space[Any]
        if self.one_hot:
            space = spaces.Box(0, 1, (*game.shape, ranks), np.uint8)
        else:
            space = spaces.Box(0, ranks - 1, game.shape, np.uint8)
        if self.fields:
            fields: dict[str, spaces.Space[Any]] = {"board": space}
            for name, size in self.fields.items():
                if self.one_hot:
                    fields[name] = spaces.Box(0, 1, (size,), np.uint8)
                else:
                    fields[name] = spaces.Discrete(size)
            space = spaces.Dict(fields)
        self.space = space

    def observe(self, boards: np.ndarray, extras: np.ndarray) -> Any:
        """Returns new arrays, or a dict of them, with a row for each board."""
        board = self.unit[:, : self.ranks][boards] if self.one_hot else boards.copy()
        if not self.fields:
            return board
        observation: dict[str, Any] = {"board": board}
        for k, (name, size) in enumerate(self.fields.items()):
            column = extras[:, k]
            observation[name] = (
                self.unit[:, :size][column] if self.one_hot else column.astype(np.int64)
            )
        return observation


def _first(observation: Any) -> Any:
    """Returns the first row of an observation of several games."""
    if isinstance(observation, dict):
        return {name: rows[0] for name, rows in observation.items()}
    return observation[0]


class _Games:
    """What single and vectorized environments have in common: games in a batch."""

    def __init__(
        self,
        n: int,
        spec: str,
        observation: str,
        illegal: Literal["error", "ignore"],
        starts: Any,
        parameters: dict[str, Any],
        **options: Any,
    ):
        self.game = Game(spec_of(spec, parameters))
        self.observer = _Observer(self.game, observation)
        self.batch = Batch(self.game, n, illegal=illegal, starts=starts, **options)
        arrays = self.batch.arrays
        self.boards: np.ndarray = arrays["boards"]
        self.extras: np.ndarray = arrays["extras"]
        self.rewards: np.ndarray = arrays["rewards"]
        self.masks: np.ndarray = arrays["masks"]
        self.terminated: np.ndarray = arrays["terminated"]
        self.truncated: np.ndarray = arrays["truncated"]
        self.final_boards: np.ndarray = arrays["final_boards"]
        self.final_extras: np.ndarray = arrays["final_extras"]

    def state(self, state: int | str) -> list[int]:
        """Returns the two words of a state that is given as a number or a text."""
        bits = self.game.parse(state) if isinstance(state, str) else int(state)
        return [bits & (2**64 - 1), bits >> 64]

    def observation(self) -> Any:
        return self.observer.observe(self.boards, self.extras)


class GameEnv(gymnasium.Env[Any, np.int64]):
    """One game. Observations are the ranks of the cells, or a dict with the board and what the
    player knows beside it, such as the announced tile of Threes.

    An illegal action changes nothing and has the reward 0, or raises an exception with
    ``illegal="error"``. The rewards of an episode sum to its score.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        spec: str = "2048",
        *,
        observation: str = "ranks",
        illegal: Literal["error", "ignore"] = "ignore",
        starts: Any = None,
        render_mode: str | None = None,
        **parameters: Any,
    ):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render modes: {', '.join(self.metadata['render_modes'])}")
        self._games = _Games(
            1, spec, observation, illegal, starts, parameters, autoreset="disabled"
        )
        self.game = self._games.game
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = self._games.observer.space
        self._is_seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a game: game 0 of the run with this seed, or else the next one. The option
        ``state`` is its first position, as text or as a number."""
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(2**63))
        self._is_seeded = True
        state = (options or {}).get("state")
        states = None if state is None else np.array([self._games.state(state)], np.uint64)
        self._games.batch.reset(
            seeds=None if seed is None else np.array([seed], np.uint64), states=states
        )
        return _first(self._games.observation()), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        games = self._games
        games.batch.step(np.array([operator.index(action)], np.int64))
        terminated = bool(games.terminated[0])
        info = self._info()
        if terminated:
            info["score"] = self.score
            info["max_tile"] = self.game.max_tile(self.state)
        return _first(games.observation()), float(games.rewards[0]), terminated, False, info

    def action_masks(self) -> np.ndarray:
        """Returns which actions are legal, as sb3-contrib expects it."""
        return np.array(self._games.masks[0])

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.masks[0].astype(np.int8)}

    @property
    def state(self) -> int:
        """The position, as the methods of ``game`` take it."""
        low, high = self._games.batch.states[0]
        return int(low) | int(high) << 64

    @property
    def score(self) -> float:
        return float(self._games.batch.scores[0])

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return self.game.write(self.state).replace("/", "\n")
        if self.render_mode == "rgb_array":
            return _picture(self._games.boards[0], self.game.values)
        return None


class GameVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Many games, whose steps are one call of the engine. Game k of ``reset(seed=s)`` is that of a
    single environment with seed ``s + k``."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        spec: str = "2048",
        *,
        observation: str = "ranks",
        illegal: Literal["error", "ignore"] = "ignore",
        starts: Any = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: str | None = None,
        **parameters: Any,
    ):
        if render_mode is not None:
            raise ValueError("a vectorized environment does not render: make a single one")
        mode = AutoresetMode(autoreset_mode)
        self._games = _Games(
            num_envs,
            spec,
            observation,
            illegal,
            starts,
            parameters,
            autoreset=_AUTORESET[mode],
            max_steps=max_episode_steps,
            threads=threads,
        )
        self.game = self._games.game
        self.metadata = {"autoreset_mode": mode}
        self.render_mode = None
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.single_observation_space = self._games.observer.space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._is_seeded = False

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts the games. Options are ``state``, the first position of all, ``states``, a row of
        words for each, and ``reset_mask``, which games start."""
        options = options or {}
        if seed is None and not self._is_seeded:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
        self._is_seeded = True
        seeds = None
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seeds = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed)
        elif seed is not None:
            if any(one is None for one in seed):
                raise ValueError("`seed` is a number, or a list with one for each game")
            seeds = np.array(seed, np.uint64)
        states = options.get("states")
        if "state" in options:
            states = np.array([self._games.state(options["state"])] * self.num_envs, np.uint64)
        mask = options.get("reset_mask")
        self._games.batch.reset(seeds=seeds, mask=mask, states=states)
        return self._games.observation(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        games = self._games
        games.batch.step(actions)
        info = self._info()
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            ended = games.terminated | games.truncated
            if ended.any():
                final = games.observer.observe(games.final_boards, games.final_extras)
                info["final_obs"], info["_final_obs"] = final, ended
                info["final_info"], info["_final_info"] = {}, ended
        return (
            games.observation(),
            games.rewards.copy(),
            games.terminated.copy(),
            games.truncated.copy(),
            info,
        )

    def action_masks(self) -> np.ndarray:
        """Returns which actions are legal: a row for each game."""
        return self._games.masks.copy()

    def _info(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, bool)
        return {"action_mask": self._games.masks.astype(np.int8), "_action_mask": everyone}

    @property
    def batch(self) -> Batch:
        """The games, for what the environment does not offer."""
        return self._games.batch


# Digits of three by five pixels, a bit for each.
_DIGITS = (0x7B6F, 0x2C97, 0x73E7, 0x73CF, 0x5BC9, 0x79CF, 0x79EF, 0x7249, 0x7BEF, 0x7BCF)
_CELL = 48


def _picture(board: np.ndarray, values: list[int]) -> np.ndarray:
    """Returns a picture of a board, uint8 with shape (height, width, 3)."""
    rows, cols = board.shape
    picture = np.full((rows * _CELL, cols * _CELL, 3), 187, np.uint8)
    top = max(len(values) - 1, 1)
    for row, col in np.ndindex(rows, cols):
        rank = int(board[row, col])
        cell = picture[row * _CELL :, col * _CELL :][:_CELL, :_CELL]
        share = rank / top
        if rank == 0:
            cell[2:-2, 2:-2] = (205, 193, 180)
            continue
        if values[rank] == 0:
            # A stone.
            cell[2:-2, 2:-2] = (87, 82, 76)
            continue
        cell[2:-2, 2:-2] = (238, int(224 - 160 * share), int(200 - 180 * share))
        text = str(values[rank])
        scale = 3 if len(text) < 4 else 2 if len(text) < 6 else 1
        width = (4 * len(text) - 1) * scale
        for k, digit in enumerate(text):
            bits = np.array([_DIGITS[int(digit)] >> (14 - i) & 1 for i in range(15)], bool)
            glyph = bits.reshape(5, 3).repeat(scale, 0).repeat(scale, 1)
            x, y = (_CELL - width) // 2 + 4 * k * scale, (_CELL - 5 * scale) // 2
            cell[y : y + 5 * scale, x : x + 3 * scale][glyph] = (60, 50, 40)
    return picture


def _register() -> None:
    names = [plugin["name"] for plugin in plugins() if plugin["kind"] == "game"]
    for name in [*names, "game"]:
        words = "".join(word[:1].upper() + word[1:] for word in name.split("-"))
        gymnasium.register(
            f"runner/{words}-v0",
            entry_point="runner.gym:GameEnv",
            vector_entry_point="runner.gym:GameVectorEnv",
            kwargs={} if name == "game" else {"spec": name},
            disable_env_checker=True,
            order_enforce=False,
        )


_register()
