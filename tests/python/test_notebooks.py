# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks of examples/ run as they are, in their folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness import EXAMPLES, HUNG_S, Sandbox

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))

# Cells one after the other; what the last line of a cell gives is shown as a notebook shows it.
RUN = """
import ast, json, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        print(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
"""


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs_from_its_first_cell_to_its_last(notebook: Path, sandbox: Sandbox) -> None:
    environment = {**sandbox.environment, "XDG_CACHE_HOME": str(sandbox.folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, notebook],
        cwd=notebook.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HUNG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "<table>" in done.stdout


def test_there_are_three_notebooks_and_they_hold_no_outputs() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analyse-a-capture", "tune-a-collective", "what-if"]
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if "outputs" in cell)
