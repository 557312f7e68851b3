"""The choice of the compiled module: of two, the one with the most instructions that this processor
has."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType

from . import _native as baseline

__all__ = ["baseline", "choose"]


def choose() -> ModuleType:
    path = Path(__file__).with_name("_native_v3.so")
    if not baseline.has_v3() or not path.exists():
        return baseline
    loader = ExtensionFileLoader(baseline.__name__, str(path))
    spec = importlib.util.spec_from_file_location(baseline.__name__, path, loader=loader)
    if spec is None:
        return baseline
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[baseline.__name__] = module
    setattr(sys.modules[__package__], "_native", module)
    return module
