# SPDX-License-Identifier: BSD-3-Clause
"""Figures as files."""

from __future__ import annotations

from pathlib import Path

import plotly.graph_objects as go  # type: ignore[import-untyped]

from orrery.errors import OrreryError


def write_figure(figure: go.Figure, file: Path, width: int = 1000) -> None:
    """HTML that stands for itself and needs no network, or a picture of this many pixels, by the file's suffix.

    Raises OrreryError when the file cannot be written, or the browser that draws pictures cannot be started.
    """
    try:
        if file.suffix.lower() in {".html", ".htm"}:
            figure.write_html(file, include_plotlyjs=True, full_html=True)
        else:
            figure.write_image(file, width=width)
    except (OSError, ValueError) as error:
        raise OrreryError(f"--plot {file}: {error}") from None
    except RuntimeError as error:
        why = next((line for line in str(error).splitlines() if line.strip()), "the browser that draws it failed")
        raise OrreryError(f"--plot {file}: {why.strip()}; FILE.html needs no browser") from None
