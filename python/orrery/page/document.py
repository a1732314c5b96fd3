# SPDX-License-Identifier: BSD-3-Clause
"""A page as a whole: the verdict and where it comes from as plain HTML, and parts that its script draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal

import orrery
from orrery.marks import PAGE
from orrery.output import Output
from orrery.page.packing import ColumnPacker
from orrery.page.parts import Part
from orrery.words import markup


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page says. Texts are plain; nothing in them is taken for HTML."""

    title: str
    """Title of the window, such as the command."""
    verdict: str
    """The result in a sentence or two."""
    tone: Literal["plain", "good", "bad"] = "plain"
    facts: Sequence[tuple[str, str]] = ()
    """Where the result comes from: name and text."""
    cautions: Sequence[str] = ()
    parts: Sequence[Part] = field(default_factory=list)


def write_page(page: Page, output: Output) -> None:
    """Write it. Raises InputError when the file cannot be written."""
    text = html(page)
    with output.partial() as partial:
        partial.write_text(text, encoding="utf-8")


def html(page: Page) -> str:
    """The page as a self-contained document."""
    data = ColumnPacker().packed({"title": page.title, "parts": list(page.parts)})
    facts = "".join(f"<dt>{markup(name)}</dt><dd>{markup(text)}</dd>" for name, text in page.facts)
    cautions = "".join(f'<p class="caution">{markup(caution)}</p>' for caution in page.cautions)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{PAGE}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{markup(page.title)} | Orrery</title>
<style>{_asset("uplot.css")}{_asset("page.css")}</style>
</head>
<body>
<header>
<h1>{markup(page.title)}</h1>
<p class="verdict {page.tone}">{markup(page.verdict)}</p>
{cautions}<details><summary>Where this comes from</summary><dl>{facts}</dl></details>
</header>
<main><noscript><p class="failure">Pictures and tables need JavaScript.</p></noscript></main>
<footer>Orrery {markup(orrery.__version__)}</footer>
<script type="text/plain" id="data">{data}</script>
<script>{_asset("page.js")}</script>
</body>
</html>
"""


@cache
def _asset(name: str) -> str:
    return resources.files("orrery.page").joinpath("assets", name).read_text(encoding="utf-8")
