# SPDX-License-Identifier: BSD-3-Clause
"""No test is skipped unseen: what it needs has a name and a cure, and continuous integration refuses skips that are not listed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import needs
from skips import why_allowed

HERE = Path(__file__).parent
TOOLS = Path(needs.__file__).parent
FREE = "there is no reason in the list"
HEAVY = next(need for need in needs.NEEDS.values() if need.heavy)
LIGHT = next(need for need in needs.NEEDS.values() if not need.heavy)
LISTED = needs.ALLOWED[0]


def _pytest(folder: Path, reason: str, *options: str, processes: int = 0) -> subprocess.CompletedProcess[str]:
    """A run of one test that passes and one that is skipped for this reason."""
    text = f"import pytest\ndef test_passes(): pass\ndef test_is_skipped(): pytest.skip({reason!r})\n"
    (folder / "test_two.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    paths = os.pathsep.join(map(str, (HERE, TOOLS)))
    spread = ["-n", str(processes)] if processes else ["-p", "no:xdist"]
    line = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", *spread, *options, "test_two.py"]
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("processes", [0, 2])
def test_a_skip_that_is_not_listed_fails_where_skips_are_refused(tmp_path: Path, processes: int) -> None:
    ended = _pytest(tmp_path, FREE, "--refuse-skips=all", processes=processes)
    assert ended.returncode == 1
    assert f"REFUSED 1: {FREE}, such as test_two.py::test_is_skipped" in ended.stdout


def test_a_file_of_tests_that_is_skipped_whole_fails_too(tmp_path: Path) -> None:
    (tmp_path / "test_all.py").write_text('import pytest\npytest.importorskip("no_such_module")\n')
    ended = _pytest(tmp_path, LISTED.reason, "--refuse-skips=all", "test_all.py")
    assert ended.returncode == 1
    assert "REFUSED 1: could not import 'no_such_module'" in ended.stdout


@pytest.mark.parametrize("options", [(), ("--refuse-skips=all",)])
def test_a_skip_that_is_listed_fails_nothing_and_its_reason_is_told(tmp_path: Path, options: tuple[str, ...]) -> None:
    ended = _pytest(tmp_path, LISTED.reason + ": as it says", *options)
    assert ended.returncode == 0
    assert f"allowed 1: {LISTED.reason}: as it says ({LISTED.why})" in ended.stdout


def test_who_may_install_nothing_is_told_what_was_skipped_and_the_cure(tmp_path: Path) -> None:
    ended = _pytest(tmp_path, LIGHT.reason)
    assert ended.returncode == 0
    assert f"skipped 1: {LIGHT.reason}" in ended.stdout
    assert f"as root, apt-get install {' '.join(LIGHT.debian)}" in ended.stdout


def test_what_is_heavy_may_be_missing_unless_all_is_asked_for() -> None:
    assert why_allowed(HEAVY.reason, "light") == "only make test ALL=yes gets it"
    assert why_allowed(HEAVY.reason, "all") is None
    assert why_allowed(LIGHT.reason, "light") is None


def test_pytest_takes_the_line_of_make_which_names_no_file_of_tests() -> None:
    # Without a file, pytest looks for options of conftest.py in the folders of testpaths alone, unless a word looks like a file.
    line = ["make", "--dry-run", "test", "ALL=yes", "SKIPS=refused"]
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    printed = subprocess.run(line, cwd=TOOLS.parent, env=clean, capture_output=True, text=True, check=True).stdout
    lines = [words for words in map(str.split, printed.splitlines()) if words[1:3] == ["-m", "pytest"]]
    assert {word for words in lines for word in words if "part" in word} == {"--part=quick", "--part=rest"}
    for words in lines:
        ended = subprocess.run(
            [sys.executable, *words[1:], "--markers"],
            cwd=TOOLS.parent,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert "@pytest.mark.slow" in ended.stdout


def test_a_failure_is_a_failure_still(tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text("def test_fails(): assert False\n")
    assert _pytest(tmp_path, LISTED.reason, "--refuse-skips=all", "test_wrong.py").returncode == 1


@pytest.mark.parametrize("name", needs.NEEDS)
def test_every_need_has_a_check_and_packages(name: str) -> None:
    need = needs.NEEDS[name]
    assert need.programs or need.modules or need.pypi
    assert bool(need.debian) != bool(need.pypi)
    assert need.cure in need.reason
    assert any(f'"{name}"' in file.read_text(encoding="utf-8") for file in HERE.glob("*.py")), "no test needs it"


def test_a_program_that_is_missing_makes_its_need_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need = needs.Need(name="it", what="it", programs=("a", "b|c"), debian=("d",))
    for name in ("a", "c"):
        assert not need.is_here()
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
    assert need.is_here()
    assert need.reason == "needs it: as root, apt-get install d"


def test_what_no_server_has_may_be_skipped_and_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = tmp_path / "not-to-be-had"
    tried.write_text(f"{LIGHT.name}\n")
    monkeypatch.setattr(needs, "_NOT_TO_BE_HAD", tried)
    assert "could not be installed here" in (why_allowed(LIGHT.reason, "all") or "")
    assert why_allowed(HEAVY.reason, "all") is None
