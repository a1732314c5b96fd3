# SPDX-License-Identifier: BSD-3-Clause
"""What tools/words.py counts in the source."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from harness import module_of

ROOT = Path(__file__).parents[2]

PYTHON = '''
"""The same file."""

class Found:
    """Of a search."""

class Speed: ...

def names(one: str, ones: int) -> list[str]:
    """Names that one may have."""
    return [one for one in [one]]
'''
CPP = """
/// Of the program.
/// The same line goes on here.
constexpr int kMost = 8;
int sum(int one) { return one + 1; }  // one more
const char* word = "one";
"""


@pytest.fixture(scope="module")
def words() -> ModuleType:
    """The program as a module."""
    return module_of(ROOT / "tools" / "words.py")


def test_each_kind_is_found_where_it_stands_and_nowhere_else(words: ModuleType) -> None:
    sources = [words.Source("python/orrery/search.py", PYTHON), words.Source("src/sum.cpp", CPP)]
    again = words.Source("python/orrery/other.py", "class Speed: ...")
    of_kind = words.places([*sources, again])
    found = {kind: [(place.file[-7:], place.line) for place in places] for kind, places in of_kind.items()}
    assert found == {
        "one": [("arch.py", 9), ("arch.py", 11), ("arch.py", 11), ("arch.py", 11), ("sum.cpp", 5), ("sum.cpp", 5)],
        "docstrings": [("arch.py", 2), ("arch.py", 5), ("sum.cpp", 2)],
        "participles": [("arch.py", 4)],
        "doubled": [("arch.py", 7), ("ther.py", 1)],
        "constants": [("sum.cpp", 4)],
    }


def test_a_number_that_has_risen_fails_and_one_that_has_fallen_is_kept(
    words: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = tmp_path / "words.toml"
    limits.write_text("# head\n\none = 5\ndocstrings = 9\nparticiples = 9\ndoubled = 9\nconstants = 9\n")
    monkeypatch.setattr(words, "LIMITS", limits)
    monkeypatch.setattr(words, "sources", lambda: [words.Source("python/orrery/search.py", PYTHON)])
    assert words.main(["--keep"]) == 0
    assert limits.read_text() == "# head\n\none = 4\ndocstrings = 2\nparticiples = 1\ndoubled = 0\nconstants = 0\n"
    limits.write_text(limits.read_text().replace("one = 4", "one = 3"))
    assert words.main([]) == 1
    assert "more than before: one" in capsys.readouterr().err
