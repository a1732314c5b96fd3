# SPDX-License-Identifier: BSD-3-Clause
"""Parts that come from what links carried: their load over time on the drawn platform, and the busiest of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
import numpy.typing as npt

from orrery import _core
from orrery.experiment.link_load import LinkLoad
from orrery.page.packing import Column
from orrery.page.parts import Fabric, Link, Part, Table, TableColumn
from orrery.platform.load import load
from orrery.report.drawing.links import LinkNumbers, PlacedLink
from orrery.report.drawing.platform import draw
from orrery.units import show_time

_MOST_LINKS = 20_000
_MOST_VALUES = 1 << 20
"""Bytes by link and bucket that a page has, compressed some 2 MB; above, buckets are joined."""
_MOST_ROWS = 400

_PLANE = re.compile(r"/plane\d+/")
_NODE_LINKS = (_core.LinkKind.NODE_UP, _core.LinkKind.NODE_DOWN, _core.LinkKind.NODE_LIMITER)
_INSIDE_NODES = (_core.LinkKind.MEMORY, _core.LinkKind.SOCKETS)

Bytes = npt.NDArray[np.float64]


def fabric_parts(found: LinkLoad) -> Iterator[Part]:
    """The picture and the table; nothing where no link carried anything, or there are none."""
    if found.load is None:
        return
    usage = LinkUsage.of(found, found.load)
    if usage.links:
        yield _picture(found, usage)
        yield _busiest(usage)


@dataclass(frozen=True, kw_only=True)
class LinkUsage:
    """What the links carried that carried most."""

    links: Sequence[_core.Link]
    """Those that carried most first."""
    bytes: Bytes
    """Shape (links, buckets)."""
    bucket_ns: int
    end_s: float
    left_out: int
    """Links that carried less than these."""

    @classmethod
    def of(cls, found: LinkLoad, load: _core.LinkLoad) -> LinkUsage:
        """The links of a simulation, at most 20,000."""
        numbers = np.frombuffer(load.numbers, dtype=np.uint32)
        carried = np.frombuffer(load.carried, dtype=np.float64).reshape(len(numbers), load.buckets)
        carried, end_s = _to_the_end(carried, load.bucket_ns, found.end_s)
        order = np.argsort(-carried.sum(axis=1), kind="stable")[:_MOST_LINKS]
        return cls(
            links=[found.hardware.link(int(number)) for number in numbers[order]],
            bytes=carried[order],
            bucket_ns=load.bucket_ns,
            end_s=end_s,
            left_out=len(numbers) - len(order),
        )

    @cached_property
    def rates(self) -> Bytes:
        """Bytes per second of each link."""
        return np.array([link.bandwidth_bytes_per_s for link in self.links])

    @cached_property
    def shares(self) -> Bytes:
        """Share of what each link could have carried, in each bucket; shape (links, buckets)."""
        begin_ns = self.bucket_ns * np.arange(self.bytes.shape[1])
        length_s = np.minimum(begin_ns + self.bucket_ns, max(1.0, self.end_s * 1e9)) - begin_ns
        could: Bytes = self.rates[:, None] * np.maximum(length_s, 1.0) * 1e-9
        return self.bytes / could

    @cached_property
    def mean(self) -> Bytes:
        """Share of what each link could have carried, in the whole run."""
        carried: Bytes = self.bytes.sum(axis=1)
        return carried / (self.rates * max(self.end_s, 1e-9))

    def joined(self, most_values: int) -> tuple[int, Bytes]:
        """Length of buckets in ns, and bytes, with buckets joined in pairs until there are at most so many numbers."""
        bucket_ns, carried = self.bucket_ns, self.bytes
        while carried.size > most_values and carried.shape[1] > 1:
            if carried.shape[1] % 2:
                carried = np.pad(carried, ((0, 0), (0, 1)))
            carried = carried[:, ::2] + carried[:, 1::2]
            bucket_ns *= 2
        return bucket_ns, carried


def _to_the_end(carried: Bytes, bucket_ns: int, end_s: float) -> tuple[Bytes, float]:
    """Without buckets that begin at the end of the run or later, unless messages were still under way; and the end."""
    kept = max(1, ceil(end_s * 1e9 / bucket_ns * (1 - 1e-12)))
    if carried.shape[1] <= kept:
        return carried, end_s
    if carried[:, kept:].max() >= 1:
        return carried, carried.shape[1] * bucket_ns * 1e-9
    return carried[:, :kept], end_s


def _picture(found: LinkLoad, usage: LinkUsage) -> Fabric:
    hardware = found.hardware
    numbers = LinkNumbers([_placed(hardware, link) for link in usage.links])
    svg = draw(load(found.platform), [host.name for host in hardware.hosts], numbers)
    bucket_ns, carried = usage.joined(_MOST_VALUES)
    small = carried.max(initial=0) < np.iinfo(np.uint32).max
    return Fabric(
        title="Load of links",
        note=_note(usage, numbers, bucket_ns, carried.shape[1]),
        svg=svg,
        end_ns=max(1, round(usage.end_s * 1e9)),
        bucket_ns=bucket_ns,
        buckets=carried.shape[1],
        links=[Link(name=link.name, rate=link.bandwidth_bytes_per_s) for link in usage.links],
        bytes=Column(np.rint(carried).astype(np.uint32 if small else np.float64).ravel()),
    )


def _placed(hardware: _core.Platform, link: _core.Link) -> PlacedLink:
    """Where the drawing looks for a link. Planes of several rails are drawn one above the other."""
    if link.kind in _NODE_LINKS:
        return PlacedLink(name=link.name, node=link.name.rpartition("/")[0])
    if link.source is None or link.target is None or link.kind in _INSIDE_NODES:
        return PlacedLink(name=link.name)
    source, target = (_PLANE.sub("/", hardware.vertex_name(vertex)) for vertex in (link.source, link.target))
    return PlacedLink(name=link.name, ends=(source, target))


def _note(usage: LinkUsage, numbers: LinkNumbers, bucket_ns: int, buckets: int) -> str:
    said = (
        "What each link carried, against what it could have carried: bytes of all messages on the wire, with the headers and "
        "frames that the platform has; requests and acknowledgements of protocols and accesses to files are not counted. "
        f"{buckets:,} buckets of {show_time(bucket_ns / 1e9)}. A node has the colour of the busiest of its links, a line "
        "that of the busiest of the links that it stands for, in both directions; what carried nothing is grey."
    )
    if usage.left_out:
        said += f" The {len(usage.links):,} links that carried most; {usage.left_out:,} that carried less are left out."
    inside = {number for number, link in enumerate(usage.links) if link.kind in _INSIDE_NODES}
    if inside:
        said += " Memory of nodes is in the table only."
    hidden = sorted(set(range(len(usage.links))) - numbers.drawn - inside, key=lambda number: -usage.mean[number])
    if hidden:
        first = hidden[0]
        said += (
            f" {len(hidden):,} links that carried something are not drawn; the busiest of them is {usage.links[first].name}, "
            f"{usage.mean[first]:.1%} of the run."
        )
    if not all(link.shared for link in usage.links):
        said += " Links that are not shared can carry more than their rate, which each message has for itself."
    return said


def _busiest(usage: LinkUsage) -> Table:
    order = np.argsort(-usage.mean, kind="stable")[:_MOST_ROWS]
    highest = usage.shares.argmax(axis=1)
    note = f"Load in the whole run, and in the bucket of {show_time(usage.bucket_ns / 1e9)} in which it was highest."
    if len(order) < len(usage.links) + usage.left_out:
        note += f" The {len(order):,} busiest of {len(usage.links) + usage.left_out:,}."
    return Table(
        title="Busiest links",
        note=note,
        columns=[
            TableColumn(name="link"),
            TableColumn(name="bytes", unit="bytes", help="On the wire"),
            TableColumn(name="rate", unit="bytes/s"),
            TableColumn(name="mean load", unit="share", help="Of what it could have carried in the whole run"),
            TableColumn(name="highest load", unit="share", help="Of what it could have carried in a bucket of time"),
            TableColumn(name="at", unit="ns", help="Begin of that bucket"),
        ],
        rows=[
            [
                usage.links[i].name,
                float(usage.bytes[i].sum()),
                usage.links[i].bandwidth_bytes_per_s,
                float(usage.mean[i]),
                float(usage.shares[i, highest[i]]),
                int(highest[i]) * usage.bucket_ns,
            ]
            for i in map(int, order)
        ],
        bar=3,
    )
