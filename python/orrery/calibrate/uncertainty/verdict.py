# SPDX-License-Identifier: BSD-3-Clause
"""How good a calibration is, by itself: good, usable or poor, with the reasons.

Each check looks at one thing that goes wrong and gives a reason with what was found and what to do. The verdict is that of the
worst reason. Bounds are named, with what they rest on; a value above the first of the two makes a calibration usable at most,
one above the second poor.
"""

from __future__ import annotations

from collections.abc import Iterator

from orrery.calibrate.fit import TOLERABLE, TOLERABLE_WORK, Bottleneck, Host, Outcome, Processors
from orrery.calibrate.uncertainty.fit_checks import fit_reasons
from orrery.calibrate.uncertainty.grading import Bound, reason
from orrery.platform.schema import Reason, Verdict
from orrery.units import show_time

FOREIGN = Bound(0.10, 0.50)
"""Part of a node's processors that others use. With a tenth some messages wait for a processor; with half of them a rank is as
often without one as with one, and the lower quartile of times is one of disturbed messages."""
UNSTEADY = Bound(TOLERABLE, 0.50)
"""How much longer the same arithmetic took in one pass than in another. Quiet hours: 0.3 to 1.3 %; hours of 4 to 25 % gave 1.4 to
2 times the work per message (docs/design/calibration.md); with more the passes are of two machines."""
INTERRUPTED = Bound(TOLERABLE, 0.50)
"""Part of the repetitions of that arithmetic that waited for a processor: of more than half the middle one did."""
_QUIET = "end other work on the nodes, or wait until they are quiet, and measure anew (--fresh)"
_BIND = "start fewer ranks on a node (--ppn), or let the launcher bind each to a core of its own"


def judge(outcome: Outcome, *, accept_bimodal: bool = False) -> Verdict:
    """The verdict, its reasons ordered by how bad they are.

    `accept_bimodal`: ping-pongs whose times fall into two groups are no reason for `poor`.
    """
    found = [*fit_reasons(outcome, accept_bimodal=accept_bimodal), *_host_reasons(outcome), *_gaps(outcome)]
    found.sort(key=lambda one: one.grade != "poor")
    grade = found[0].grade if found else "good"
    return Verdict(grade=grade, reason=found)


def _host_reasons(outcome: Outcome) -> Iterator[Reason]:
    """What the nodes did besides."""
    if outcome.processors is None:
        yield from _crowd(outcome.host, shown=outcome.layout.shared_kernel)
    yield from _foreign(outcome.host)
    yield from _steadiness(outcome)
    if outcome.processors:
        yield from _shared(outcome.processors)
    if outcome.bottleneck.not_links:
        yield _bound(outcome.bottleneck)


def _crowd(host: Host, *, shown: bool) -> Iterator[Reason]:
    """Where containers of one machine slow each other down the model knows of that, and `_shared` says so.

    `shown`: that they do not was looked at.
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


def _foreign(host: Host) -> Iterator[Reason]:
    if grade := FOREIGN.grade(host.foreign_share):
        used = f"others used {host.foreign_share:.0%} of the processors of {host.foreign_node}"
        yield reason("host load", grade, f"{used} while all ranks slept", _QUIET)


def _steadiness(outcome: Outcome) -> Iterator[Reason]:
    if grade := UNSTEADY.grade(outcome.unsteadiness):
        found = f"the same arithmetic took {outcome.unsteadiness:.0%} more at times: small messages are as uncertain at least"
        yield reason("unsteady processors", grade, found, _QUIET)
    if grade := INTERRUPTED.grade(outcome.interrupted_share):
        found = (
            f"{outcome.interrupted_share:.0%} of the repetitions of a fixed piece of arithmetic waited for a processor"
        )
        yield reason("interrupted", grade, found, _QUIET)


def _shared(processors: Processors) -> Iterator[Reason]:
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


def _gaps(outcome: Outcome) -> Iterator[Reason]:
    """What was not measured."""
    if outcome.memory is None:
        yield reason(
            "not measured",
            "usable",
            "messages inside a node were not measured: typical values stand for them",
            "place two ranks on each node: --ppn 2",
        )
    if outcome.left:
        yield reason(
            "unfinished",
            "usable",
            f"{outcome.left} experiments of the plan were not made: time was up, or it was interrupted",
            "run the same command again: it goes on where it was",
        )
