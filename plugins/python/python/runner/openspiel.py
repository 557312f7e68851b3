"""The games as games of OpenSpiel, with explicit chance.

``load_game("threes")`` returns a game of ``pyspiel`` for one player. Its type is registered under the
name ``type_name("threes")``, by which ``pyspiel.load_game`` finds it in this process.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Any

import numpy as np
import pyspiel

from . import Game

__all__ = ["load_game", "type_name"]

_CHANCE = pyspiel.PlayerId.CHANCE
_TERMINAL = pyspiel.PlayerId.TERMINAL
_MOST_MOVES = 1_000_000
_STARTS = 1000
_types: dict[str, Any] = {}


def type_name(spec: str, starts: int = _STARTS) -> str:
    """Returns the name of the type of a game, which has letters, digits and underscores only. It ends with
    a checksum if the spec has other signs, which may be all that differs in two specs, or if the number of
    start positions is given."""
    text = spec if starts == _STARTS else f"{spec}, {starts} starts"
    name = "runner_" + re.sub(r"\W+", "_", text).strip("_")
    return name if re.fullmatch(r"\w+", text) else f"{name}_{zlib.crc32(text.encode()):08x}"


def load_game(spec: str, starts: int = _STARTS) -> Any:
    """Returns a game of ``pyspiel``. A game that does not list its start positions begins with one that
    is drawn from a sample of this many."""
    if starts < 1:
        raise ValueError("`starts` must be at least 1")
    name = type_name(spec, starts)
    if name not in _types:
        _types[name] = _register(Game(spec), name, starts)
    return pyspiel.load_game(name)


def _register(rules: Game, name: str, drawn: int) -> Any:
    listed = rules.starts()
    if listed is None:
        counts = Counter(rules.start(seed) for seed in range(drawn))
        listed = [(state, count / drawn) for state, count in counts.items()]
    starts = listed
    game_type = pyspiel.GameType(
        short_name=name,
        long_name=str(rules),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=1,
        min_num_players=1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=len(rules.actions),
        max_chance_outcomes=max(rules.max_outcomes, len(starts)),
        num_players=1,
        min_utility=0.0,
        max_utility=1e9,
        max_game_length=_MOST_MOVES,
    )

    class RunnerGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None):
            super().__init__(game_type, info, params or {})
            self.rules = rules
            self.starts = starts

        def new_initial_state(self) -> Any:
            return RunnerState(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return _Observer(rules)

    class RunnerState(pyspiel.State):  # type: ignore[misc]
        """A start to be drawn, a position of the player, or an afterstate."""

        def __init__(self, game: Any):
            super().__init__(game)
            self.state: int | None = None
            self.afterstate: int | None = None
            self._successors: list[tuple[int, float, int]] = []
            self._last_reward = 0.0
            self._score = 0.0

        def _outcomes(self) -> list[tuple[int, float]]:
            if self.afterstate is None:
                return starts
            return rules.outcomes(self.afterstate)

        def current_player(self) -> int:
            if self.state is None:
                return int(_CHANCE)
            return 0 if self._successors else int(_TERMINAL)

        def is_terminal(self) -> bool:
            return self.state is not None and not self._successors

        def _legal_actions(self, player: int) -> list[int]:
            return [action for action, _, _ in self._successors]

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(k, share) for k, (_, share) in enumerate(self._outcomes())]

        def _apply_action(self, action: int) -> None:
            if self.state is None:
                self.state = self._outcomes()[action][0]
                reward = rules.chance_reward(self.afterstate, self.state)
                # OpenSpiel sums the rewards of positions of the player: what was earned since the last.
                self._last_reward += reward
                self.afterstate = None
                self._successors = rules.successors(self.state)
            else:
                _, reward, afterstate = next(s for s in self._successors if s[0] == action)
                self._last_reward, self.afterstate, self.state = reward, afterstate, None
            self._score += reward

        def _action_to_string(self, player: int, action: int) -> str:
            if player == _CHANCE:
                return rules.write(self._outcomes()[action][0])
            return rules.actions[action]

        def rewards(self) -> list[float]:
            return [self._last_reward]

        def returns(self) -> list[float]:
            return [self._score]

        def __str__(self) -> str:
            if self.state is not None:
                return rules.write(self.state)
            if self.afterstate is not None:
                return f"{rules.write_afterstate(self.afterstate)} after a move"
            return "before the start"

    pyspiel.register_game(game_type, RunnerGame)
    return RunnerGame


class _Observer:
    """Ranks of the cells, and what is known beside them."""

    def __init__(self, rules: Game):
        rows, cols = rules.shape or (0, 0)
        self._rules = rules
        cells = rows * cols
        self.tensor = np.zeros(cells + len(rules.fields), np.float32)
        self.dict = {"board": self.tensor[:cells].reshape(rows, cols)}
        for k, name in enumerate(rules.fields):
            self.dict[name] = self.tensor[cells + k : cells + k + 1]

    def set_from(self, state: Any, player: int) -> None:
        self.tensor.fill(0)
        bits = state.afterstate if state.state is None else state.state
        if bits is None:
            return
        words = np.array([[bits & (2**64 - 1), bits >> 64]], np.uint64)
        boards, extras = self._rules.decode(words)
        self.dict["board"][:] = boards[0]
        self.tensor[boards[0].size :] = extras[0]

    def string_from(self, state: Any, player: int) -> str:
        return str(state)
