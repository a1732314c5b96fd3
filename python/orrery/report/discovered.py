# SPDX-License-Identifier: BSD-3-Clause
"""A discovery as text: what the MPI chooses, how sure that is, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.experiment.mapping import describe_mapping
from orrery.tune.discover.selector_file import SelectorBand, bands_of, family
from orrery.tune.discover.session import Discovery
from orrery.units import show_bytes

_SURE = 0.9
_MOST_ALIKE = 2


def text(discovery: Discovery, files: Sequence[str]) -> str:
    """Rules, and what to mind."""
    lines = [*_head(discovery), "", "choices", *(_band(band) for band in bands_of(discovery.inferred.choices)), ""]
    if files:
        lines += [f"wrote      {name}" for name in files]
        lines.append(f"use        --selector-rules {files[0]}")
    lines += [f"caution    {caution}" for caution in _cautions(discovery)]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _head(discovery: Discovery) -> Iterator[str]:
    choices = discovery.inferred.choices
    sure = sum(1 for choice in choices if choice.confidence >= _SURE)
    more = f"; {len(discovery.missing)} more are missing" if discovery.missing else ""
    yield f"platform   {discovery.platform}, ranks {describe_mapping(discovery.mapping)}"
    yield f"library    {family(discovery.inferred.families)}"
    yield f"cells      {len(choices)} (collective, ranks, size), {sure} of them sure to {100 * _SURE:.0f} % or more{more}"
    yield f"measured   {discovery.loops} loops; by each algorithm they would be {discovery.exhaustive}"


def _band(band: SelectorBand) -> str:
    return f"  {band.collective:<12} {_ranks(band):<18} {_sizes(band):<24} {band.algorithm:<34} {100 * band.confidence:3.0f} %{_alike(band)}"


def _ranks(band: SelectorBand) -> str:
    if band.max_ranks is None:
        return f"{band.min_ranks:,} ranks or more"
    return f"{band.min_ranks:,}-{band.max_ranks:,} ranks"


def _sizes(band: SelectorBand) -> str:
    if band.max_bytes is None:
        return "" if band.min_bytes == 0 else f"from {show_bytes(band.min_bytes)}"
    return f"{show_bytes(band.min_bytes)} to {show_bytes(band.max_bytes)}"


def _alike(band: SelectorBand) -> str:
    """Those that times do not tell from it."""
    names = band.alike
    if not names:
        return ""
    more = f" and {len(names) - _MOST_ALIKE} more" if len(names) > _MOST_ALIKE else ""
    return f"  or {', '.join(names[:_MOST_ALIKE])}{more}"


def _cautions(discovery: Discovery) -> Iterator[str]:
    yield from discovery.cautions
    if discovery.missing and not discovery.interrupted:
        yield f"{len(discovery.missing)} loops were not timed: the time for them was over; with --keep FOLDER the same command goes on"
    if any(band.alike for band in bands_of(discovery.inferred.choices)):
        yield 'algorithms behind "or" take the same time here, to 5 %: on another platform they may differ'
