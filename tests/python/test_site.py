# SPDX-License-Identifier: BSD-3-Clause
"""The documentation: all pages are reached, links lead somewhere, and nothing is loaded from other hosts."""

from __future__ import annotations

import html.parser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from handbook.__main__ import pages
from handbook.links import without_links_outside
from orrery import _core

REPOSITORY = Path(__file__).parent.parent.parent
DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
OTHERS = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "src/README.md", "examples/README.md")]

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def test_pages_that_are_written_from_the_code_are_up_to_date() -> None:
    outdated = [str(file.name) for file, text in pages().items() if not file.exists() or file.read_text() != text]
    assert outdated == [], "make reference"


@pytest.mark.parametrize("word", ["regions", "host noise", "cold caches", "expected"])
def test_the_words_of_a_summary_are_in_the_glossary_and_those_of_computation_in_the_help(word: str) -> None:
    singular = word.removesuffix("s") if word == "regions" else word
    assert f"\n**{singular}**: " in (DOCS / "glossary.md").read_text()
    for command in ("run", "replay") if word != "expected" else ():
        assert f"`{word}`" in " ".join((DOCS / "reference" / "commands" / f"{command}.md").read_text().split())


@pytest.mark.parametrize("word", ["time goes to", "slowest", "L factor, B factor", "large count"])
def test_words_of_reports_are_in_the_glossary(word: str) -> None:
    assert re.search(rf"^\*\*{word}\*\*( \([^)]+\))?: ", (DOCS / "glossary.md").read_text(), re.MULTILINE)


def test_every_algorithm_is_on_the_page_of_algorithms_with_a_sentence() -> None:
    text = (DOCS / "reference" / "algorithms.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    for algorithm in _core.algorithms():
        row = re.search(rf"^\| `{algorithm.name}` \| (?P<does>[^|]*) \|", sections[algorithm.collective], re.MULTILINE)
        assert row is not None, (algorithm.collective, algorithm.name)
        assert len(row["does"].split()) > 2, row[0]
    assert "Stream of one" not in text


def test_each_page_is_in_the_navigation() -> None:
    navigation = re.findall(r"[\w/.-]+\.md\b", (REPOSITORY / "mkdocs.yml").read_text().partition("\nnav:")[2])
    assert sorted(navigation) == [page.relative_to(DOCS).as_posix() for page in PAGES]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_to_files_of_the_repository(page: Path) -> None:
    targets = [link["target"] for link in _LINK.finditer(_FENCE.sub("", page.read_text()))]
    files = [target.partition("#")[0] for target in targets if not target.startswith(("https://", "#"))]
    assert [target for target in files if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("page", "text", "said"),
    [
        ("design/a.md", "[b](b.md), [c](../c.md#d)", "[b](b.md), [c](../c.md#d)"),
        ("design/a.md", "the [evidence](../../tests/evidence/README.md)", "the evidence (`tests/evidence/README.md`)"),
        ("a.md", "[`src/README.md`](../src/README.md)", "`src/README.md`"),
    ],
)
def test_links_out_of_the_site_become_names_of_files(page: str, text: str, said: str) -> None:
    assert without_links_outside(text, page) == said


class _Loads(html.parser.HTMLParser):
    """What a browser fetches for a page, without that anyone clicks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(values.get("href") or "")
        if tag not in ("link", "a"):
            self.found.append(values.get("src") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built so that a warning is an error."""
    pytest.importorskip("material", reason="there is no mkdocs-material")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.mark.slow
def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        loads = _Loads()
        loads.feed(page.read_text())
        assert [address for address in loads.found if re.match(r"(https?:)?//", address)] == [], page
    for style in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", style.read_text()) == [], style


@pytest.mark.slow
def test_it_follows_the_systems_light_and_dark(site: Path) -> None:
    start = (site / "index.html").read_text()
    assert "(prefers-color-scheme: dark)" in start
    assert "(prefers-color-scheme: light)" in start
