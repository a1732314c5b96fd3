# SPDX-License-Identifier: BSD-3-Clause
"""Summary of a run or a replay: its results, and the settings and measurements that they rest on."""

from __future__ import annotations

from orrery.experiment.mapping import describe_mapping
from orrery.record.document import Record
from orrery.record.folded import FoldedMemory
from orrery.record.speed import AS_MEASURED, speed_words
from orrery.record.unserved import sentences
from orrery.report.time_spent import slowest_rank, time_spent
from orrery.terminal import visible
from orrery.units import show_bytes, show_time

_INTERFACES = {
    "mpich": "MPICH (libmpi.so.12)",
    "openmpi": "Open MPI (libmpi.so.40)",
}  # binary interfaces worth naming; that of Orrery's own compiler wrappers ("standard") is not
_OF_ONE = "simulated time, what it goes to, and the table"
"""What a summary of several simulations takes from one of them."""
_NOT_ALL = ", which did not serve all calls: see CAUTION"


def summary(record: Record) -> str:
    """One property a line; algorithms that were asked for in vain first, other cautions last."""
    return "".join(f"{what:<15} {visible(value)}\n" for what, value in summary_lines(record))


def summary_lines(record: Record) -> list[tuple[str, str]]:
    """Names and texts of the properties, in the order of `summary`."""
    hosts = "1 host" if record.hosts == 1 else f"{record.hosts:,} hosts"
    ranks = "1 rank" if record.ranks == 1 else f"{record.ranks:,} ranks"
    unserved = sentences(record.algorithms)
    return [
        *(("CAUTION", sentence) for sentence in unserved),
        (
            "simulated time",
            f"{show_time(record.simulated_s)}{'' if record.cause is None or record.repeats_s else ' until the end of the run'}",
        ),
        *([("time goes to", spent)] if (spent := time_spent(record.profile)) else []),
        *([("slowest", slowest)] if (slowest := slowest_rank(record.profile)) else []),
        *(
            [("launch", f"{show_time(record.launched_s)} of it, until all ranks had left MPI_Init")]
            if record.launched_s
            else []
        ),
        *_sampled(record),
        *_repeats(record),
        *_interval(record),
        *_expected(record),
        ("wall time", show_time(record.wall_s)),
        ("messages", f"{record.messages:,} with {show_bytes(record.bytes)}"),
        *_stalled(record),
        *_connections(record),
        *_jobs(record),
        *_files(record),
        *_memory(record),
        ("platform", f"{record.platform}, {ranks} on {hosts}, {describe_mapping(record.mapping)}"),
        *_groups(record),
        ("parameters", record.platform_source or "of unknown origin"),
        (
            "model",
            f"{record.model}; collectives: selector {record.chooser}{_rules(record)}{_NOT_ALL if unserved else ''}",
        ),
        *([("noise", _one_draw(record))] if record.noisy and len(record.replicas_s) < 2 else []),
        ("computation", _computation(record)),
        *_regions(record),
        *([("interface", f"that of {_INTERFACES[record.interface]}")] if record.interface in _INTERFACES else []),
        *(("caution", caution) for caution in record.cautions if caution not in unserved),
        *(("caution", f"expected: {how}") for how in (record.expected.beyond if record.expected else ())),
    ]


def _regions(record: Record) -> list[tuple[str, str]]:
    if record.steady is None:
        return []
    return [("regions", record.steady.regions_words()), ("host noise", record.steady.host_noise_words())]


def _one_draw(record: Record) -> str:
    return f"the platform's, one draw (seed {record.seed}): --replicas 20 says how far it moves the time"


def _computation(record: Record) -> str:
    """What computation costs: whose, with or without noise, and times what."""
    if record.compute == "none":
        return "none but what the program declares (orrery.h), and its sleeps"
    factor = "" if isinstance(record.compute, str) or record.compute == 1 else f"{record.compute} times "
    how = "as recorded" if record.start == "replay" else "as measured on this host"
    filtered = ", less this host's noise" if record.steady is not None and record.steady.charged else ""
    return f"{factor}{how}{filtered}; {_speed(record)}"


def _speed(record: Record) -> str:
    """How fast the platform computes, beside the host that measured."""
    host = "the recording" if record.start == "replay" else "this host"
    words = speed_words(record.speeds)
    if words == AS_MEASURED:
        return f"at the speed of {host}"
    return f"at the platform's speed, x {words} that of {host}" if words else "scaled by the platform's speed"


_MOST_GROUPS = 8
"""That have a line."""


def _groups(record: Record) -> list[tuple[str, str]]:
    """Where the groups of the job are."""
    lines = []
    for group in record.groups[:_MOST_GROUPS]:
        nodes = "1 node" if group.nodes == 1 else f"{group.nodes:,} nodes"
        ranks = f"rank{'' if group.ranks.isdigit() else 's'} {group.ranks}"
        lines.append(("group", f"{group.name}: {ranks} on {nodes} of {', '.join(group.clusters)}"))
    if (more := len(record.groups) - _MOST_GROUPS) > 0:
        lines.append(("group", f"and {more:,} more: see the record (-o FILE.json), or --groups-out FILE"))
    return lines


def _sampled(record: Record) -> list[tuple[str, str]]:
    """What was skipped, and the interval that this leaves."""
    lines = []
    if (sampled := record.sampled_time) is not None:
        said = (
            f"{show_time(sampled.low_s)} to {show_time(sampled.high_s)}, had nothing been skipped, "
            f"with {sampled.confidence:.0%} confidence"
        )
        lines.append(("sampled", said))
    for block in record.sampled:
        known = "" if block.half_width_s is None else f" ± {show_time(block.half_width_s)}"
        whose = "by all ranks together" if block.scope == "all" else "each rank for itself"
        said = f"executed {block.executed:,} times, {show_time(block.mean_s)}{known}; skipped {block.skipped:,} times; {whose}"
        lines.append(("block", f"{block.file}:{block.line}: {said}"))
    return lines


def _repeats(record: Record) -> list[tuple[str, str]]:
    """Median and confidence interval of repeated runs. The record itself is that of the median run."""
    if record.repeats is None:
        return []
    repeats = record.repeats
    said = (
        f"median {show_time(repeats.median_s)}, {show_time(repeats.low_s)} to {show_time(repeats.high_s)} with "
        f"{repeats.confidence:.0%} confidence, from the order of {len(record.repeats_s)} runs"
    )
    return [("repeated", said), ("other figures", f"of the median run: {_OF_ONE}")]


def _interval(record: Record) -> list[tuple[str, str]]:
    """Median and percentiles of the replicas. The simulated time of the record is that of the first replica."""
    if record.interval is None:
        return []
    interval = record.interval
    drawn = ", parameters as the calibration leaves them open" if record.vary == "calibration" else ""
    said = (
        f"{len(record.replicas_s)}, seeds from {record.seed}{drawn}: median {show_time(interval.median_s)}, "
        f"5 to 95 % {show_time(interval.low_s)} to {show_time(interval.high_s)}"
    )
    return [
        ("replicas", said),
        ("other figures", f"of the first draw, seed {record.seed}: {_OF_ONE}"),
    ]


def _expected(record: Record) -> list[tuple[str, str]]:
    """Interval expected to contain the real time, from the errors of earlier predictions."""
    if record.expected is None:
        return [("expected", f"not known: {record.not_expected}")] if record.not_expected else []
    expected = record.expected
    clusters = "1 cluster" if expected.clusters == 1 else f"{expected.clusters} clusters"
    said = (
        f"{show_time(expected.low_s)} to {show_time(expected.high_s)} "
        f"({expected.level:.0%}; from {expected.cases:,} measured runs on {clusters})"
    )
    return [("expected", said)]


def _stalled(record: Record) -> list[tuple[str, str]]:
    """Retransmission time-outs in the model, if there were any."""
    if record.stalled == 0:
        return []
    messages = "1 message" if record.stalled == 1 else f"{record.stalled:,} messages"
    return [("time-outs", f"{messages} lost in crowded switches waited {show_time(record.stalled_s)} in all")]


def _connections(record: Record) -> list[tuple[str, str]]:
    """Connections between clusters, if the platform has a broker that makes them."""
    made = [f"{number:,} {technique}" for technique, number in record.connections.items() if number]
    if not made:
        return []
    said = f"{', '.join(made)} between clusters; messages waited {show_time(record.connecting_s)} for them in all"
    if record.relayed_messages:
        said += f"; {record.relayed_messages:,} with {show_bytes(record.relayed_bytes)} were relayed"
    return [("connections", said)]


def _memory(record: Record) -> list[tuple[str, str]]:
    if record.start == "replay":
        return []
    used = show_bytes(record.peak_rss_bytes) if record.peak_rss_bytes else "too short a run to see"
    if (folded := record.folded) is None:
        return [("peak memory", used)]
    asked = folded.asked_bytes + max(0, (record.peak_rss_bytes or 0) - folded.held_bytes)
    said = (
        f"{used} used, {show_bytes(asked)} asked for: {show_bytes(folded.held_bytes)} stand for "
        f"{show_bytes(folded.asked_bytes)} that ranks share"
    )
    return [("peak memory", said), *_heap(folded)]


def _heap(folded: FoldedMemory) -> list[tuple[str, str]]:
    """What was found in the blocks of the rank that was looked at."""
    if not folded.places:
        return []
    blocks, words = (sum(getattr(place, name) for place in folded.places) for name in ("blocks", "words"))
    said = f"{blocks:,} blocks of the first rank, from {len(folded.places):,} places, {words:,} words of them looked at"
    return [("folded heap", said)]


def _jobs(record: Record) -> list[tuple[str, str]]:
    return [
        ("job", f"{job['trace']}: {job['ranks']:,} ranks, ends at {show_time(float(str(job['end_s'])))}")
        for job in record.jobs
    ]


def _rules(record: Record) -> str:
    return "" if record.rules is None else f", rules of {record.rules}"


def _files(record: Record) -> list[tuple[str, str]]:
    if not record.file_accesses:
        return []
    accesses = "1 access" if record.file_accesses == 1 else f"{record.file_accesses:,} accesses"
    read, written = show_bytes(record.file_bytes_read), show_bytes(record.file_bytes_written)
    return [("files", f"{accesses}: {read} read, {written} written")]
