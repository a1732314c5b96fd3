# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of the record, from the classes that it is made of."""

from __future__ import annotations

from handbook.members import Part, sections
from orrery.noise.intervals import Interval, MedianInterval
from orrery.record.document import AlgorithmUse, GroupPlace, Profile, Record, Row
from orrery.record.expected import ExpectedInterval
from orrery.record.folded import FoldedMemory, HeapPlace
from orrery.record.sampled import SampledBlock, SampledTime
from orrery.record.steady import SteadyComputation

_HEAD = """<!-- Written from python/orrery/record by `make reference`; run that instead of editing it. -->
# The record of a run, as JSON

`orrery run` and `orrery replay` write it with `-o FILE.json` and print it with `--json`; `orrery profile`, `orrery compare`
and `orrery validate program` read it. All of it is SI units: a name that ends in `_s` is in seconds, `bytes` are bytes.
Members may be added by a later version; programs should read those that they know. Members with a default may be absent
from records of earlier versions.

    orrery run -n 16 --json ./heat2d 2>report.txt | python -c 'import json, sys; print(json.load(sys.stdin)["simulated_s"])'

What other commands print with `--json` is on [a page of its own](json.md).
"""

PARTS = (
    Part(Record, "The record"),
    Part(Profile, "Profile"),
    Part(Row, "Row"),
    Part(AlgorithmUse, "AlgorithmUse"),
    Part(GroupPlace, "GroupPlace"),
    Part(Interval, "Interval"),
    Part(MedianInterval, "MedianInterval"),
    Part(ExpectedInterval, "Expected interval"),
    Part(FoldedMemory, "FoldedMemory"),
    Part(HeapPlace, "HeapPlace"),
    Part(SampledBlock, "SampledBlock"),
    Part(SampledTime, "SampledTime"),
    Part(SteadyComputation, "SteadyComputation"),
)


def page() -> str:
    """Markdown of the page."""
    return f"{_HEAD}\n{sections(PARTS, {})}"
