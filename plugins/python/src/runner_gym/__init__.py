"""Games of `runner` as gymnasium environments; see `RunnerEnv`."""

import gymnasium

from .environment import RunnerEnv, RunnerError

__all__ = ["RunnerEnv", "RunnerError"]

gymnasium.register(id="Runner-v0", entry_point=RunnerEnv)
