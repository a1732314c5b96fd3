# SPDX-License-Identifier: BSD-3-Clause
"""What a paper says came out, and whether it comes out here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from orrery.papers.rows import ASKED, CALLS, HIGH, LOW, PERCENT, TIME, USED, Row, Value, the_one
from orrery.units import byte_count, show_bytes, show_time

Verdict = Literal["reproduced", "sign right", "not reproduced", "left out"]
"""`sign right`: what is faster there is faster here, by another factor. `left out`: the quick form does not run it."""

Quantity = Literal["time", "calls", "percent"]
"""What a claim is about; `percent`: the share of a routine in the time of all ranks."""

_COLUMNS: dict[Quantity, str] = {"time": TIME, "calls": CALLS, "percent": PERCENT}
_HALF = 50.0
_EQUAL = 1e-3
"""How far from 1 a ratio of times is that are the same."""

Settings = dict[str, Value]


@dataclass(frozen=True, kw_only=True)
class CheckedClaim:
    """A claim with its verdict."""

    where: str
    """In the paper."""
    claim: str
    paper: str
    """What the paper has, as text."""
    here: str
    verdict: Verdict
    why: str = ""
    """Why it is not reproduced, as far as that is known."""


class Claim(BaseModel):
    """One `[[claim]]` of an experiment: one of `ratio`, `value`, `interval`, `order` and `memory`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    """What the paper says."""
    where: str = ""
    """In the paper; by default as the experiment."""
    ratio: Annotated[list[Settings], Field(min_length=2, max_length=2)] | None = None
    """The time of the first over that of the second."""
    value: Settings | None = None
    """A time, in seconds, or what `of` names."""
    each: dict[str, list[Value]] = {}
    """Settings that both times have, such as `bytes`, for a `ratio` without the paper's number. It is below 1 for each.
    The sign is right if it is above 1 for none, and 1, to a thousandth, for some."""
    of: Quantity = "time"
    """What `ratio`, `value` and `order` compare. Calls are the paper's if they are as many. A share that is not, but is
    more than a half here and there, or less than a half, has the right sign."""
    interval: Settings | None = None
    """A time of replicas, whose range from the 5th to the 95th percentile holds the paper's value, in seconds."""
    order: Annotated[list[Settings], Field(min_length=2)] | None = None
    """From the fastest to the slowest, or from the smallest to the largest."""
    memory: Settings | None = None
    """The memory of a program that shares some."""
    asked: str = ""
    """What the ranks of `memory` ask for, such as 71GiB."""
    below: str = ""
    """More than `memory` uses."""
    paper: float | None = None
    """The paper's ratio or value; of a ratio None: it only says that it is below 1."""
    at_most: bool = False
    """Whether the paper says only that `value` is not above `paper`."""
    within: Annotated[float, Field(gt=1)] = 1.1
    """Reproduced up to this factor above and below."""
    why: str = ""
    """Where it is known not to come out: why."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(kind is not None for kind in (self.ratio, self.value, self.interval, self.order, self.memory)) != 1:
            raise ValueError("expected one of ratio, value, interval, order, memory")
        if self.memory is not None and not (self.asked and self.below):
            raise ValueError("memory: expected asked and below, sizes such as 71GiB")
        if (self.value is not None or self.interval is not None) and self.paper is None:
            raise ValueError("the paper's value is missing: paper = SECONDS")
        if self.at_most and self.value is None:
            raise ValueError("at_most: acts only with value")
        if self.of != "time" and (self.interval is not None or self.memory is not None or self.at_most):
            raise ValueError("of: acts only with ratio, value and order")
        if self.each and (self.ratio is None or self.paper is not None):
            raise ValueError("each: acts only with a ratio that has no number of the paper")
        return self

    def check(self, rows: Sequence[Row], where: str) -> CheckedClaim:
        """The verdict on what an experiment gave. Raises InputError for settings that name several rows."""
        if self.each:
            return self._each(rows, where)
        wanted = self.ratio or self.order or [self.value or self.interval or self.memory or {}]
        found = [the_one(rows, settings, f"{where}: {self.text}") for settings in wanted]
        there = [row for row in found if row is not None]
        if len(there) < len(found):
            return self._said(where, "", "", "left out")
        if self.memory is not None:
            return self._memory(there[0], where)
        times = [float(row[_COLUMNS[self.of]]) for row in there]
        if self.ratio is not None:
            return self._ratio(times[0] / times[1], where)
        if self.order is not None:
            return self._order(times, where)
        if self.interval is not None:
            return self._interval(there[0], where)
        return self._value(times[0], where)

    def _ratio(self, ratio: float, where: str) -> CheckedClaim:
        if self.paper is None:
            return self._said(where, "below 1", f"{ratio:.3g}", "reproduced" if ratio < 1 else "not reproduced")
        verdict: Verdict = "not reproduced"
        if self._is_near(ratio, self.paper):
            verdict = "reproduced"
        elif (ratio - 1) * (self.paper - 1) > 0:
            verdict = "sign right"
        return self._said(where, f"{self.paper:.3g}", f"{ratio:.3g}", verdict)

    def _each(self, rows: Sequence[Row], where: str) -> CheckedClaim:
        ratios: dict[str, float] = {}
        for values in product(*self.each.values()):
            common = dict(zip(self.each, values, strict=True))
            found = [the_one(rows, {**settings, **common}, f"{where}: {self.text}") for settings in self.ratio or []]
            there = [float(row[_COLUMNS[self.of]]) for row in found if row is not None]
            if len(there) < len(found):
                return self._said(where, "", "", "left out")
            ratios[" ".join(str(value) for value in values)] = there[0] / there[1]
        above = [ratio > 1 + _EQUAL for ratio in ratios.values()]
        equal = [abs(ratio - 1) <= _EQUAL for ratio in ratios.values()]
        verdict: Verdict = "not reproduced"
        if not any(above) and not all(equal):
            verdict = "sign right" if any(equal) else "reproduced"
        here = f"{min(ratios.values()):.3g} to {max(ratios.values()):.3g}"
        here += "".join(
            f"; {said} at {', '.join(_stretches(list(ratios), flags))}"
            for said, flags in (("1", equal), ("above 1", above))
            if any(flags)
        )
        return self._said(where, "below 1 for each", here, verdict)

    def _value(self, here: float, where: str) -> CheckedClaim:
        paper = self.paper or 0.0
        verdict: Verdict = "not reproduced"
        if self._holds(here, paper):
            verdict = "reproduced"
        elif self.of == "percent" and (here - _HALF) * (paper - _HALF) > 0:
            verdict = "sign right"
        said = f"at most {_shown(paper, self.of)}" if self.at_most else _shown(paper, self.of)
        return self._said(where, said, _shown(here, self.of), verdict)

    def _holds(self, here: float, paper: float) -> bool:
        if self.at_most:
            return here <= paper
        return here == paper if self.of == "calls" else self._is_near(here, paper)

    def _interval(self, row: Row, where: str) -> CheckedClaim:
        paper = self.paper or 0.0
        low, high = float(row.get(LOW, row[TIME])), float(row.get(HIGH, row[TIME]))
        verdict: Verdict = "reproduced" if low <= paper <= high else "not reproduced"
        return self._said(where, show_time(paper), f"{show_time(low)} to {show_time(high)}", verdict)

    def _order(self, times: Sequence[float], where: str) -> CheckedClaim:
        names = [_names(self.order or [])[i] for i in sorted(range(len(times)), key=lambda i: times[i])]
        verdict: Verdict = "not reproduced"
        if all(a < b for a, b in pairwise(times)):
            verdict = "reproduced"
        elif times[0] == min(times):
            verdict = "sign right"
        said = [f"{name} {_shown(value, self.of)}" for name, value in zip(names, sorted(times), strict=True)]
        return self._said(where, ", ".join(_names(self.order or [])), ", ".join(said), verdict)

    def _memory(self, row: Row, where: str) -> CheckedClaim:
        asked, used = float(row.get(ASKED, 0)), float(row.get(USED, 0))
        fits = 0 < used < byte_count(self.below)
        verdict: Verdict = "reproduced" if fits and self._is_near(asked, byte_count(self.asked)) else "not reproduced"
        here = f"less than {self.below}" if fits else show_bytes(used)
        return self._said(where, f"{self.asked} in {self.below}", f"{show_bytes(asked)} in {here}", verdict)

    def _is_near(self, here: float, paper: float) -> bool:
        return paper / self.within <= here <= paper * self.within

    def _said(self, where: str, paper: str, here: str, verdict: Verdict) -> CheckedClaim:
        why = self.why if verdict in ("not reproduced", "sign right") else ""
        return CheckedClaim(
            where=self.where or where, claim=self.text, paper=paper, here=here, verdict=verdict, why=why
        )


def _shown(quantity: float, of: Quantity) -> str:
    if of == "calls":
        return f"{quantity:,.0f}"
    return f"{quantity:.3g} %" if of == "percent" else show_time(quantity)


def _names(order: Sequence[Settings]) -> list[str]:
    """What tells them apart."""
    names = [name for name in order[0] if len({str(settings.get(name)) for settings in order}) > 1]
    return [" ".join(str(settings.get(name)) for name in names) for settings in order]


def _stretches(names: Sequence[str], flags: Sequence[bool]) -> list[str]:
    """Names that are flagged; of several in a row the first and the last."""
    found: list[str] = []
    for flagged, group in groupby(zip(names, flags, strict=True), key=lambda pair: pair[1]):
        there = [name for name, _ in group]
        if flagged:
            found.append(there[0] if len(there) == 1 else f"{there[0]} to {there[-1]}")
    return found
