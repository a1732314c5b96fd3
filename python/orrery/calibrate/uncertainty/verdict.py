# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on a calibration: good, usable or poor, with reasons.

Each check looks for one kind of flaw and gives a reason, with what was found and how to cure it. The grade of the calibration
is that of the worst reason. A value above the first limit of a `Bound` makes a calibration usable at most; above the second, it
is poor.
"""

from __future__ import annotations

from collections.abc import Iterator

from orrery.calibrate.fit import TOLERABLE, TOLERABLE_WORK, Bottleneck, CalibrationOutcome, HostState, SharedProcessors
from orrery.calibrate.uncertainty.fit_checks import fit_reasons
from orrery.calibrate.uncertainty.grading import Bound, reason
from orrery.platform.schema import Reason, Verdict
from orrery.units import show_time

FOREIGN = Bound(0.10, 0.50)
"""Part of a node's processors that other processes use. At 0.1, some messages wait for a processor. At 0.5, a rank has no
processor half of the time, so even the lower quartile of times is one of disturbed messages."""
UNSTEADY = Bound(TOLERABLE, 0.50)
"""Time of the same arithmetic in the slowest pass over that in the fastest, minus 1: 0.3 to 1.3 % in quiet hours. In hours with
4 to 25 %, the work per message was 1.4 to 2 times as large (docs/design/calibration.md). Above 50 %, passes differ as if they
were from two machines."""
INTERRUPTED = Bound(TOLERABLE, 0.50)
"""Part of the repetitions of that arithmetic that waited for a processor. Above 0.5, the median repetition is disturbed."""
_QUIET = "end other work on the nodes, or wait until they are quiet, and measure anew (--fresh)"
_MEASURE = "measure the cluster itself, by orrery calibrate --nodes N without --ingest"
_BIND = "start fewer ranks on a node (--ppn), or let the launcher bind each to a core of its own"


def judge(outcome: CalibrationOutcome, *, accept_bimodal: bool = False) -> Verdict:
    """The verdict, with the reasons for `poor` first.

    `accept_bimodal`: ping-pongs whose times fall into two groups make a calibration usable instead of poor.
    """
    found = [*fit_reasons(outcome, accept_bimodal=accept_bimodal), *_host_reasons(outcome), *_gaps(outcome)]
    if outcome.of_others:  # nothing can be measured again
        found = [reason.model_copy(update={"cure": _MEASURE}) for reason in found]
    found.sort(key=lambda reason: reason.grade != "poor")
    grade = found[0].grade if found else "good"
    return Verdict(grade=grade, reason=found)


def _host_reasons(outcome: CalibrationOutcome) -> Iterator[Reason]:
    """Reasons from the state of the nodes: load, shared processors, and processors as the bottleneck."""
    if outcome.processors is None:
        yield from _crowd(outcome.host, shown=outcome.layout.shared_kernel)
    yield from _foreign(outcome.host)
    yield from _steadiness(outcome)
    if outcome.processors:
        yield from _shared(outcome.processors)
    if outcome.bottleneck.not_links:
        yield _bound(outcome.bottleneck)


def _crowd(host: HostState, *, shown: bool) -> Iterator[Reason]:
    """More ranks than processors to which they are bound, if the model has no shared processors.

    `shown`: the nodes are containers of one machine, and a measurement showed that they do not slow each other down.
    """
    if not host.crowded_ranks:
        return
    these = "one processor" if host.crowded_processors == 1 else f"{host.crowded_processors} processors"
    share = f"{host.crowded_ranks} ranks of one machine share {these}"
    if shown:
        found = f"{share}, though pairs that exchanged small messages at once did not slow each other down"
        yield reason("shared cores", "usable", found, _BIND)
    else:
        yield reason("shared cores", "poor", f"{share}: messages wait for their rank's turn", _BIND)


def _foreign(host: HostState) -> Iterator[Reason]:
    if grade := FOREIGN.grade(host.foreign_share):
        used = f"others used {host.foreign_share:.0%} of the processors of {host.foreign_node}"
        yield reason("host load", grade, f"{used} while all ranks slept", _QUIET)


def _steadiness(outcome: CalibrationOutcome) -> Iterator[Reason]:
    if grade := UNSTEADY.grade(outcome.unsteadiness):
        found = f"the same arithmetic took {outcome.unsteadiness:.0%} more at times: small messages are as uncertain at least"
        yield reason("unsteady processors", grade, found, _QUIET)
    if grade := INTERRUPTED.grade(outcome.interrupted_share):
        found = (
            f"{outcome.interrupted_share:.0%} of the repetitions of a fixed piece of arithmetic waited for a processor"
        )
        yield reason("interrupted", grade, found, _QUIET)


def _shared(processors: SharedProcessors) -> Iterator[Reason]:
    yield reason(
        "shared processors",
        "usable",
        f"the nodes are containers of one machine: they share its {processors.count} processors, as the file says",
        "measure on nodes of their own, if this file is to stand for such",
    )
    if processors.variation > TOLERABLE_WORK:
        least, most = (show_time(value) for value in processors.seen_work_s)
        yield reason(
            "work of messages",
            "usable",
            f"handling a small message took {least} to {most} of a processor at different times; the file has the median",
            _QUIET,
        )


def _bound(found: Bottleneck) -> Reason:
    seen = f"{found.pairs} transfers at once that share no link took {found.slowdown:.2f} times as long as one"
    if not found.frame_load:
        return reason(
            "bottleneck",
            "usable",
            f"{seen}: something else than the links of nodes bounds them, which the model does not have",
            "name the cabinets of nodes with a common uplink (--cabinets); where it is the processors of one machine, use fewer nodes",
        )
    return reason(
        "bottleneck",
        "usable",
        f"frames of all nodes at full rate take {found.frame_load:.0%} of the processors that nodes share, and {seen}: where "
        f"processors bound them, messages take longer than predicted",
        "use slower links or fewer nodes",
    )


def _gaps(outcome: CalibrationOutcome) -> Iterator[Reason]:
    """Reasons for experiments that were not made."""
    if outcome.memory is None:
        yield reason(
            "not measured",
            "usable",
            "messages inside a node were not measured: typical values stand for them",
            "place two ranks on each node: --ppn 2",
        )
    if outcome.of_others:
        yield reason(
            "not measured",
            "usable",
            "only times of ping-pongs are known: what calls cost a processor, where protocols change, and how transfers share links "
            "and processors were not measured",
            _MEASURE,
        )
    if outcome.left:
        yield reason(
            "unfinished",
            "usable",
            f"{outcome.left} experiments of the plan were not made: time was up, or it was interrupted",
            "run the same command again: it goes on where it was",
        )
