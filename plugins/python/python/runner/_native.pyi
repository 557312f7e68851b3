"""The compiled part of the package."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .results import Result

__version__: str

Words: TypeAlias = NDArray[np.uint64]
"""Positions, uint64 with shape (n, 2): the low and the high word of each."""

State: TypeAlias = int | str
"""A state as its number or its text."""

Callback: TypeAlias = Callable[[dict[str, Any]], bool | None]
"""Receives progress. The job ends if it returns ``False``."""

class RunnerError(Exception): ...

@final
class Game:
    def __init__(self, spec: str = "2048") -> None: ...
    def __hash__(self) -> int: ...
    @property
    def spec(self) -> str: ...
    @property
    def actions(self) -> list[str]: ...
    @property
    def max_outcomes(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int] | None: ...
    @property
    def values(self) -> list[int]: ...
    @property
    def fields(self) -> dict[str, int]: ...
    def start(self, seed: int | None = None) -> int: ...
    def starts(self) -> list[tuple[int, float]] | None: ...
    def successors(self, state: State) -> list[tuple[int, float, int]]: ...
    def outcomes(self, afterstate: int) -> list[tuple[int, float]]: ...
    def spawn(self, afterstate: int, seed: int | None = None) -> int: ...
    def chance_reward(self, afterstate: int | None, state: State) -> float: ...
    def is_over(self, state: State) -> bool: ...
    def max_tile(self, state: State) -> int | None: ...
    def parse(self, text: str) -> int: ...
    def write(self, state: State) -> str: ...
    def write_afterstate(self, afterstate: int) -> str: ...
    def decode(self, positions: Words) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def encode(
        self, boards: NDArray[np.uint8], extras: NDArray[np.uint8] | None = None
    ) -> Words: ...
    def afterstates(
        self, states: Words
    ) -> tuple[Words, NDArray[np.float32], NDArray[np.bool_]]: ...

@final
class Batch:
    def __init__(
        self,
        game: Game,
        n: int,
        *,
        autoreset: Literal["next_step", "same_step", "disabled"] = "next_step",
        illegal: Literal["error", "ignore"] = "error",
        max_steps: int | None = None,
        threads: int = 1,
        starts: Words | Iterable[State] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def reset(
        self,
        *,
        seed: int | None = None,
        mask: ArrayLike | None = None,
        seeds: ArrayLike | None = None,
        states: Words | None = None,
    ) -> None: ...
    def step(self, actions: ArrayLike | None = None) -> None: ...
    @property
    def states(self) -> Words: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def steps(self) -> NDArray[np.uint64]: ...
    @property
    def arrays(self) -> dict[str, NDArray[Any]]: ...

@final
class Judge:
    def __init__(
        self,
        game: Game,
        *,
        steps: int,
        seed: int,
        takes_seeds: bool,
        lanes: int,
        ranks: bool,
        actions: list[str],
    ) -> None: ...
    def request(self, lane: int) -> str | None: ...
    def answer(self, lane: int, answer: str) -> None: ...
    def verdict(self, subject: str) -> Result: ...

@final
class PythonValue:
    def __init__(
        self,
        function: Callable[..., Any],
        *,
        extras: bool = False,
        bounds: tuple[float, float] | None = None,
    ) -> None: ...

@final
class Value:
    def __init__(
        self, spec: str | PythonValue, game: Game | str | None = None, *, threads: int = 1
    ) -> None: ...
    def __hash__(self) -> int: ...
    @property
    def spec(self) -> str: ...
    @property
    def game(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float] | None: ...
    def evaluate(
        self,
        afterstates: NDArray[np.uint8] | Words,
        extras: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float32]: ...
    def action_values(self, states: Words) -> NDArray[np.float32]: ...
    def evaluate_repeatedly(self, afterstates: Words, times: int) -> None: ...

@final
class Agent:
    def __init__(
        self, spec: str | PythonValue, game: Game | str | None = None, *, threads: int = 1
    ) -> None: ...
    def __hash__(self) -> int: ...
    @property
    def spec(self) -> str: ...
    # A text is a state, not its characters.
    @overload
    def act(self, state: State, seed: int = 1) -> int | None: ...  # type: ignore[overload-overlap]
    @overload
    def act(self, state: Words | Iterable[State], seed: int = 1) -> NDArray[np.int64]: ...
    def think(self, state: State, seed: int = 1) -> dict[str, Any]: ...

Player: TypeAlias = str | Agent | Value | PythonValue

def load_plugin(path: str | PathLike[str]) -> None: ...
def plugins() -> list[dict[str, Any]]: ...
def train(
    learner: str | Value,
    game: Game | str,
    model: str | PathLike[str],
    *,
    moves: int | None = None,
    episodes: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    starts: Words | Iterable[State] | None = None,
    resume: bool = False,
    force: bool = False,
    begin_with: str | PathLike[str] | None = None,
    callback: Callback | None = None,
) -> Result: ...
def evaluate(
    agent: Player,
    game: Game | str,
    games: int = 1000,
    *,
    seed: int = 1,
    threads: int | None = None,
    starts: Words | Iterable[State] | None = None,
    max_moves: int | None = None,
    seconds: float | None = None,
) -> Result: ...
def solve(
    game: Game | str,
    out: str | PathLike[str] | None = None,
    *,
    state: State | None = None,
    memory: int | None = None,
    threads: int | None = None,
    force: bool = False,
    large: bool = False,
) -> Result: ...
def compare(
    a: Player,
    b: Player,
    game: Game | str | None = None,
    *,
    margin: float | str | None = None,
    games: int | str | None = None,
    tile: int | None = None,
    starts: Words | Iterable[State] | None = None,
    luck: str | Value | None = None,
    seed: int = 1,
    threads: int | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    accept_changes: bool = False,
) -> Result: ...
def tournament(
    agent: Player | Iterable[Player] | None = None,
    game: Game | str | Iterable[Game | str] | None = None,
    games: int | str | None = None,
    *,
    rounds: str | None = None,
    move_limit: int | str | None = None,
    game_time: str | None = None,
    luck: str | Value | None = None,
    anchor: str | None = None,
    title: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    accept_changes: bool = False,
) -> Result: ...
def analyse(
    file: str | PathLike[str],
    agent: Player | None = None,
    *,
    game: Game | str | None = None,
    game_number: int | None = None,
    seed: int = 1,
    threads: int | None = None,
) -> Result: ...
def experiment(
    file: str | PathLike[str],
    out: str | PathLike[str] | None = None,
    *,
    resume: bool = False,
    accept_changes: bool = False,
    scale: float | None = None,
    seeds: int | None = None,
    max_games: int | str | None = None,
    only: Sequence[str] = (),
    delete_models: bool = False,
    dry_run: bool = False,
    threads: int | None = None,
) -> Result: ...
