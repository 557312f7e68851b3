"""The results of jobs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


class Result(dict[str, Any]):
    """The document of a job, with the fields that ``--json`` prints. They are items and attributes.

    >>> result = Result(game="2048", score={"mean": 12.5})
    >>> result.game, result["score"]["mean"]
    ('2048', 12.5)
    """

    _table: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"no `{name}` in this result; it has: {', '.join(self)}")

    def to_dict(self) -> dict[str, Any]:
        """Returns plain dicts and lists."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def to_frame(self, *fields: str) -> Any:
        """Returns a ``DataFrame`` of pandas: the table of the job, or of a field that is a list, such as
        ``to_frame("pairs")`` of a tournament or ``to_frame("configurations.trainings")`` of an
        experiment. Several fields of equal lengths are its columns. Without a table, the result is one
        row."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("`to_frame` needs pandas: pip install pandas") from error
        columns = {field: _rows(self, field) for field in fields or self._table or ("",)}
        rows = next(iter(columns.values()))
        if len(columns) > 1 or not all(isinstance(row, dict) for row in rows):
            return pandas.DataFrame(columns)
        return pandas.json_normalize(rows)


def _rows(result: Result, path: str) -> list[Any]:
    """Returns the elements of a list, or of the lists in the elements of a list."""
    rows: list[Any] = [result]
    for name in filter(None, path.split(".")):
        found: list[Any] = []
        for row in rows:
            inner = row.get(name) if isinstance(row, dict) else None
            if isinstance(inner, dict):
                found.append(inner)
            elif isinstance(inner, list | np.ndarray):
                found.extend(inner)
            else:
                raise ValueError(f"no list `{path}` in this result")
        rows = found
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _read(document: str, table: list[str]) -> Result:
    """Parses a JSON document. ``table`` names the fields of its table."""
    result: Result = json.loads(document, object_hook=Result)
    result._table = tuple(table)
    return result
