# SPDX-License-Identifier: BSD-3-Clause
"""A watched run as text: what is slower than it should be, then all classes of calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.report.table import figure
from orrery.units import show_bytes, show_time
from orrery.watch.result import ComparedTime, WatchOutcome

_HOW = {
    "names": "ranks are where their hosts' names say",
    "order": "hosts are taken to be those of the platform in their order, as their names are not in it",
    "map": "ranks are where --map says",
}
_MOST_ROWS = 12
_MOST_WAITING = 5
_HEADINGS = ("calls", "time", "measured", "expected", "range", "ratio", "")


def text(watched: WatchOutcome) -> str:
    """Facts, findings, a table of collectives and one of messages, who waits for whom, and what is left out."""
    lines = [*_facts(watched)]
    lines += [f"slow: {finding.words}" for finding in watched.findings]
    if not watched.findings and watched.placed is not None:
        lines.append("no rank, node or link stands out")
    out = "".join(f"orrery: {line}\n" for line in lines)
    tables = [*_collectives(watched), *_messages(watched), *_waiting(watched)]
    out += "".join(f"{line}\n" for line in tables)
    rest = [f"left out: {left_out.calls:,} {left_out.what}" for left_out in watched.left_out]
    return out + "".join(f"orrery: {line}\n" for line in [*rest, *watched.cautions])


def _facts(watched: WatchOutcome) -> Iterator[str]:
    share = 100 * watched.mpi_s / watched.run_s if watched.run_s > 0 else 0.0
    yield (
        f"{watched.ranks:,} ranks on {_hosts(watched)}, {watched.calls:,} calls in "
        f"{show_time(watched.run_s)}, {share:.0f} % of the time in MPI"
    )
    if watched.placed is not None:
        guess = f" (guessed from {' '.join(watched.library.split(',')[0].split())})" if watched.guessed else ""
        yield (
            f"expected: platform {watched.platform}, model {watched.model}, selector {watched.selector}{guess}; "
            f"{_HOW[watched.placed]}"
        )
    if watched.missing:
        yield f"left nothing: {_ranks(watched.missing)}"
    if watched.cut_off:
        yield f"did not come to MPI_Finalize: {_ranks(watched.cut_off)}; what they did until then is here"


def _hosts(watched: WatchOutcome) -> str:
    count = len(set(watched.hosts) - {""})
    return f"{count:,} host{'s' if count != 1 else ''}"


def _collectives(watched: WatchOutcome) -> Iterator[str]:
    if not watched.collectives:
        return
    rows = []
    notes = []
    for collective in watched.collectives[:_MOST_ROWS]:
        on = f"{collective.ranks:,}" + (f" x {collective.communicators:,}" if collective.communicators > 1 else "")
        root = (
            f" from {collective.root}"
            if collective.root is not None and collective.kind in ("bcast", "scatter", "scatterv")
            else ""
        )
        root = f" to {collective.root}" if collective.root is not None and not root else root
        size = "" if collective.kind == "barrier" else f" of {show_bytes(collective.bytes)}"
        rows.append(
            [
                f"{collective.kind}{size}{root} on {on}",
                f"{collective.calls:,}",
                show_time(collective.time_s),
                *_cells(collective.compared),
            ]
        )
        name = rows[-1][0]
        if collective.left_out and watched.placed is not None:
            notes.append(f"  {name}: nothing is expected: {collective.left_out}")
        elif not collective.together and collective.apart_s is not None:
            notes.append(
                f"  {name}: not judged: ranks come {show_time(collective.apart_s)} apart, "
                f"rank {collective.last} last in {100 * collective.last_share:.0f} %"
            )
    yield from _table("collectives", rows)
    yield from notes
    if len(watched.collectives) > _MOST_ROWS:
        yield f"  and {len(watched.collectives) - _MOST_ROWS:,} classes with less time (-o FILE.json has all)"


def _messages(watched: WatchOutcome) -> Iterator[str]:
    rows = [
        [
            f"{show_bytes(message_class.bytes)} {message_class.way}",
            f"{message_class.messages:,}",
            "",
            *_cells(message_class.compared),
        ]
        for message_class in sorted(
            watched.messages, key=lambda message_class: -message_class.messages * message_class.bytes
        )
    ]
    yield from _table("messages that were awaited", rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        yield f"  and {len(rows) - _MOST_ROWS:,} classes with less bytes (-o FILE.json has all)"


def _waiting(watched: WatchOutcome) -> Iterator[str]:
    long = [wait for wait in watched.waiting if wait.seconds > 0.001 * watched.run_s]
    if long:
        yield "who waits for whom"
    for wait in long[:_MOST_WAITING]:
        share = f"{100 * wait.seconds / watched.run_s:.1f} % of the run"
        yield f"  rank {wait.rank} for rank {wait.late}: {show_time(wait.seconds)}, {share}"


def _cells(compared: ComparedTime) -> list[str]:
    if compared.measured_s is None:
        return ["", "", "", "", ""]
    if compared.expected_s is None or compared.ratio is None:
        return [show_time(compared.measured_s), "", "", "", ""]
    limits = (
        ""
        if compared.low_s is None or compared.high_s is None
        else f"{show_time(compared.low_s)} - {show_time(compared.high_s)}"
    )
    ratio = figure(compared.ratio)
    if compared.samples > 1 and compared.ratio_low is not None and compared.ratio_high is not None:
        ratio += f" ({figure(compared.ratio_low)} - {figure(compared.ratio_high)})"
    mark = compared.verdict if compared.verdict in ("slower", "faster") else ""
    return [show_time(compared.measured_s), show_time(compared.expected_s), limits, ratio, mark]


def _table(title: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    cells = [(title, *_HEADINGS), *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        first, *others = (
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *others]).rstrip()


def _ranks(ranks: Sequence[int]) -> str:
    most = 12
    named = ", ".join(str(rank) for rank in ranks[:most])
    more = f" and {len(ranks) - most:,} more" if len(ranks) > most else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {named}{more}"
