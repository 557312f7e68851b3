"""The build of the wheel, without a compiler."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
WORKSPACE = PACKAGE.parents[1]


class Maturin(ModuleType):
    """Keeps the target folder of each build instead of building."""

    def __init__(self):
        super().__init__("maturin")
        self.targets = []

    def __getattr__(self, name):
        return lambda *arguments: self.targets.append(Path(os.environ["CARGO_TARGET_DIR"]))


@pytest.mark.skipif(not (PACKAGE / "build_backend.py").is_file(), reason="not in the sources")
@pytest.mark.parametrize("folder", [None, "elsewhere"])
def test_builds_leave_the_libraries_of_the_program(folder, monkeypatch, tmp_path):
    program = WORKSPACE / "target" if folder is None else tmp_path / folder
    # Set first, so that it is restored.
    monkeypatch.setenv("CARGO_TARGET_DIR", str(program))
    if folder is None:
        monkeypatch.delenv("CARGO_TARGET_DIR")
    maturin = Maturin()
    monkeypatch.setitem(sys.modules, "maturin", maturin)
    spec = importlib.util.spec_from_file_location("build_backend", PACKAGE / "build_backend.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    for build in (backend.build_wheel, backend.build_editable):
        build(str(tmp_path))
        monkeypatch.setenv("CARGO_TARGET_DIR", str(program))
    assert maturin.targets == [program / "python-wheel"] * 2
