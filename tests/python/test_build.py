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
    text = '// #define F\nnamespace {\n// int a() {}\nauto b = "} int c() {";\n}\nstatic int d(int x);\n'
    assert units()["groups"]({"1": text, "2": "int a; int c; int x; int F;\n"}, 1000) == [0, 0]
    assert units()["groups"]({"1": text, "2": "int b;\n"}, 1000) == [0, 1]
    assert units()["groups"]({"1": text, "2": "int d;\n"}, 1000) == [0, 1]


def test_a_file_in_which_another_s_own_name_occurs_is_compiled_apart() -> None:
    uses = "int second() { return first(2); }\n"  # another `first`, of a header
    assert units()["groups"]({"a": A, "b": uses, "c": "int nothing;\n"}, 1000) == [0, 1, 0]


def test_a_file_is_not_behind_headers_that_declare_what_it_has_of_its_own() -> None:
    own = "namespace {\nvoid check_count(long count) {\n}\n}\n"  # mpi/collective/run.hpp declares one, too
    assert units()["groups"]({"a": '#include "mpi/collective/run.hpp"\n', "b": own}, 1000) == [0, 1]


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
