"""The games, values, agents and jobs of ``runner``, at native speed.

>>> import runner
>>> game = runner.Game("2048(rows: 3)")
>>> agent = runner.Agent("expectimax(depth: 2)", game)
>>> agent.act(game.start(seed=1)) in range(4)
True
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._native import (
    Agent,
    Batch,
    Game,
    PythonValue,
    RunnerError,
    Value,
    __version__,
    analyse,
    compare,
    evaluate,
    experiment,
    load_plugin,
    plugins,
    solve,
    tournament,
)
from ._native import train as _train
from .conformance import conform
from .results import Result

if TYPE_CHECKING:
    from ._native import Callback, State, Words

__all__ = [
    "Agent",
    "Batch",
    "Game",
    "PythonValue",
    "Result",
    "RunnerError",
    "Value",
    "__version__",
    "analyse",
    "compare",
    "conform",
    "evaluate",
    "experiment",
    "load_plugin",
    "plugins",
    "solve",
    "tournament",
    "train",
]


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
    progress: bool = True,
) -> Result:
    """Trains a learner, and saves its model, and its curve beside it.

    ``moves``, ``episodes`` and ``seconds`` limit the training, counted from its start. A model that
    exists is refused, unless ``resume`` continues its training or ``force`` overwrites it. ``resume``
    refuses a file that is missing, that holds no learning state, or whose game, learner or seed
    differs. ``begin_with`` is a model whose weights the training begins with. ``callback`` gets the
    progress, and ends the training if it returns ``False``. ``progress`` shows it by tqdm where that
    is installed.
    """
    bar = _bar() if progress else None

    def report(now: dict[str, Any]) -> bool | None:
        if bar is not None:
            bar.n = round(now["share"], 4)
            mean = "-" if now["mean"] is None else f"{now['mean']:,.0f}"
            bar.set_postfix_str(f"{now['moves']:,} moves, mean {mean}")
        return callback(now) if callback is not None else None

    try:
        return _train(
            learner,
            game,
            model,
            moves=moves,
            episodes=episodes,
            seconds=seconds,
            seed=seed,
            threads=threads,
            starts=starts,
            resume=resume,
            force=force,
            begin_with=begin_with,
            callback=report,
        )
    finally:
        if bar is not None:
            bar.close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar}| {elapsed}<{remaining} {postfix}")
