# SPDX-License-Identifier: BSD-3-Clause
"""What the build and the release do with the files of the tree."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

A = """namespace orrery {
namespace {
int first(int x) {
  return x;
}
struct Part {
  int size;
};
constexpr double most = 2;
}  // namespace
int seen() { return first(1); }
}  // namespace orrery
"""


def units() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "cmake" / "units.py"))


def test_names_in_an_unnamed_namespace_are_a_file_s_own() -> None:
    assert units()["own_names"](A) == {"first", "Part", "most"}


def test_words_of_comments_and_texts_are_no_names() -> None:
    text = 'namespace {\n// int a() {}\nconstexpr auto b = "int c() { ";\n}\nstatic int d(int x) { return x; }\n#define E 1\n'
    assert units()["own_names"](text) == {"b", "d", "E"}


def test_files_with_a_name_of_their_own_in_common_are_compiled_apart() -> None:
    other = A.replace("Part", "Place").replace("most", "least")  # `first` is still in both
    without = "int nothing;\n"
    assert units()["groups"]({"a": A, "b": other, "c": without}, 1000) == [0, 1, 0]


def test_files_that_look_for_names_in_different_namespaces_are_compiled_apart() -> None:
    files = {"a": "using namespace one;\n", "b": "int nothing;\n", "c": "using namespace one;\nusing namespace two;\n"}
    assert units()["groups"](files, 1000) == [0, 1, 2]


def test_a_group_has_no_more_lines_than_it_may() -> None:
    files = {str(number): f"int x{number};\n" * 40 for number in range(5)}
    assert units()["groups"](files, 100) == [0, 0, 1, 1, 2]


def test_changes_are_named_as_the_release_looks_for_them() -> None:
    """Towncrier passes over others without a word."""
    named = re.compile(r"\+[a-z0-9-]+\.(added|changed|fixed)\.md")
    found = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert [name for name in found if not named.fullmatch(name)] == [], "changelog.d/README.md says how to name them"
