"""The examples and the page of the guide run, with small budgets."""

import json
import os
import re
import runpy
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
EXAMPLES = PACKAGE / "examples"


def test_ppo_in_numpy_learns():
    module = runpy.run_path(str(EXAMPLES / "ppo_numpy.py"))
    curve = module["train"](moves=120_000)
    assert sum(curve[-5:]) > 1.15 * sum(curve[:5])


def test_maskable_ppo_runs():
    pytest.importorskip("sb3_contrib")
    module = runpy.run_path(str(EXAMPLES / "maskable_ppo.py"))
    assert min(module["play"](module["train"](moves=2048, steps=64), games=2)) > 0


def test_notebook_runs():
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text())["cells"]
    names = {"BUDGET": 0.03}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["losses"].mean() < 50


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "../../framework/guide/src/python.md",
        "../../framework/guide/src/first-steps/python.md",
    ],
)
def test_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (PACKAGE / page).read_text(), re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert os.listdir(tmp_path) or page == "README.md"
