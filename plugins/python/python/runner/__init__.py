"""The games, values, agents and jobs of ``runner``, at native speed.

>>> import runner
>>> game = runner.Game("2048(rows: 3)")
>>> agent = runner.Agent("expectimax(depth: 2)", game)
>>> agent.act(game.start(seed=1)) in range(4)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._native import (
    Agent,
    Batch,
    Game,
    PythonValue,
    RunnerError,
    Value,
    evaluate,
    load_plugin,
    plugins,
    solve,
)
from ._native import train as _train

__all__ = [
    "Agent",
    "Batch",
    "Game",
    "PythonValue",
    "RunnerError",
    "Value",
    "evaluate",
    "load_plugin",
    "plugins",
    "solve",
    "train",
]


def train(
    learner: Any,
    game: Any,
    model: Any,
    *,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
    progress: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Trains a learner, and saves its model, and its curve beside it.

    Options are ``moves``, ``episodes`` and ``seconds``, which limit the training, and ``seed``,
    ``threads``, ``starts``, ``resume``, ``force`` and ``begin_with``. A model that exists is refused,
    unless ``resume`` continues its training or ``force`` overwrites it. ``callback`` gets the
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
        return _train(learner, game, model, callback=report, **options)
    finally:
        if bar is not None:
            bar.close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar}| {elapsed}<{remaining} {postfix}")
