"""A game of `runner` as a gymnasium environment."""

import gymnasium
import numpy as np
from gymnasium import spaces

from .session import RunnerError, Session

__all__ = ["RunnerEnv", "RunnerError"]


class RunnerEnv(gymnasium.Env):
    """A game on a board, such as `2048`, `threes` or `2048(rows: 3, cols: 4)`.

    An observation holds the rank of each cell: 0 if it is empty, k for the k-th
    value of a tile. `values[rank]` is the displayed value. Illegal actions leave
    the position as it is; `info["action_mask"]` marks the legal ones.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, game="2048", runner=None, render_mode=None):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode {render_mode!r} is not one of None, 'ansi'")
        self.render_mode = render_mode
        self._session = Session(game, runner)
        board = self._session.game["board"]
        if board is None:
            self._session.close()
            raise RunnerError(f"the game {game} has no board")
        self.actions = self._session.game["actions"]
        self.values = np.array(board["values"], dtype=np.int64)
        self._ranks = {value: rank for rank, value in enumerate(board["values"])}
        self._position = None
        shape = (board["rows"], board["cols"])
        self.observation_space = spaces.Box(0, len(self._ranks) - 1, shape, np.uint8)
        self.action_space = spaces.Discrete(len(self.actions))

    def reset(self, *, seed=None, options=None):
        """Starts a game: at `options["state"]`, a position as text, if it is given."""
        super().reset(seed=seed)
        request = {}
        if seed is None and self._position is None:
            seed = int(self.np_random.integers(2**63))
        if seed is not None:
            request["seed"] = int(seed)
        if options and "state" in options:
            request["state"] = options["state"]
        self._position = self._session.ask("reset", **request)
        return self._observation(), self._info()

    def step(self, action):
        """Takes the action with this index."""
        if self._position is None:
            raise RunnerError("no game has started: call reset")
        reward = 0.0
        if any(legal["index"] == action for legal in self._position["legal"]):
            self._position = self._session.ask("step", action=int(action))
            reward = float(self._position["reward"])
        terminated = bool(self._position["terminal"])
        return self._observation(), reward, terminated, False, self._info()

    def action_masks(self):
        """Returns True for each legal action, in the order of the action space."""
        return self._info()["action_mask"].astype(bool)

    def afterstates(self):
        """Returns (action, reward, board) for each legal action, before chance."""
        legal = self._position["legal"]
        return [(each["index"], each["reward"], self._board(each["cells"])) for each in legal]

    def render(self):
        """Returns the board as text."""
        if self.render_mode != "ansi" or self._position is None:
            return None
        rows = self._position["cells"]
        return "\n".join(" ".join(f"{value or '.':>6}" for value in row) for row in rows) + "\n"

    def close(self):
        """Ends the program."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _observation(self):
        return self._board(self._position["cells"])

    def _board(self, cells):
        return np.array([[self._ranks[value] for value in row] for row in cells], np.uint8)

    def _info(self):
        mask = np.zeros(len(self.actions), np.int8)
        mask[[legal["index"] for legal in self._position["legal"]]] = 1
        names = ("state", "score", "moves", "max_tile")
        return {"action_mask": mask} | {name: self._position[name] for name in names}
