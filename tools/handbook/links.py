# SPDX-License-Identifier: BSD-3-Clause
"""Hook of MkDocs: links from pages to files of the repository that are not part of the site become names of these files.

On a page in the repository such a link is right. The site has no copy of the file, and knows no host that has one.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>(?:\.\./)+[^)#\s]+)(?:#[^)]*)?\)")


def without_links_outside(text: str, page: str) -> str:
    """The Markdown of a page without links that leave `docs`.

    Args:
        text: its Markdown.
        page: its path below `docs`, such as `design/rooms.md`.
    """

    def said(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link["target"]))
        if path.startswith("docs/"):
            return link[0]
        words = link["text"].strip("`")
        return f"`{path}`" if words == path or words == posixpath.basename(path) else f"{link['text']} (`{path}`)"

    return _LINK.sub(said, text)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return without_links_outside(markdown, page.file.src_uri)
