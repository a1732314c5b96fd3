# SPDX-License-Identifier: BSD-3-Clause
"""Small inputs of each reader to begin with, as whole as other tools write them: files by name."""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from orrery import _core
from orrery.job.reading import parse
from orrery.job.writing import to_xml
from orrery.platform.find import find
from orrery.record.document import to_json
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.trace.imports.dumpi_layout import CALLS, END_OF_STREAM

Files = dict[str, bytes]
"""Contents by name, which may name a folder, too."""

_TI = """0 init 1
1 init
0 compute 1e9
0 send 1 7 100 0
1 recv 0 7 100 0
0 isend 1 8 3 6
0 wait 0 1 8
1 irecv -555 -444 3 6
1 test -555 1 -444
1 waitall 1
0 sendRecv 4 1 8 1 0 1
1 sendRecv 4 0 8 0 0 1
0 alltoallv 9 1 2 9 3 4 1 0
1 alltoallv 9 1 2 9 3 4 1 0
0 gatherv 10 10 20 0 1 0
1 sleep 1e-3
0 finalize
1 finalize
"""
_GOAL = """num_ranks 2
rank 0 {
l1: calc 100 cpu 1
l2: send 8b to 1 tag 5 cpu 0 nic 2
l2 requires l1
calc 7 /* no
label */
}
rank 1 {
l1: recv 8b from -1 tag -1
l2: calc 3
l2 irequires l1
}
"""
_PRV = """#Paraver (22/11/2026 at 05:00):9000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
2:1:1:1:1:100:50000001:1
3:1:1:1:1:110:120:2:1:2:1:60:300:64:5
2:1:1:1:1:200:50000001:0
2:2:1:2:1:50:50000001:4
2:2:1:2:1:250:50000001:6
2:2:1:2:1:310:50000001:0:50000002:7:50100001:8:50100002:0:50100003:1:50100004:1
"""
_PCF = """EVENT_TYPE
9 50000001 MPI
VALUES
1 MPI_Send
2 MPI_Recv
3 MPI_Isend
4 MPI_Irecv
5 MPI_Wait
6 MPI_Waitall
41 MPI_Sendrecv

EVENT_TYPE
9 50000002 MPI
VALUES
7 MPI_Bcast
8 MPI_Barrier
12 MPI_Alltoallv
14 MPI_Gatherv

EVENT_TYPE
9 50000003 MPI
VALUES
31 MPI_Init
32 MPI_Finalize
"""
_ROW = """LEVEL NODE SIZE 2
lyon-1
lyon-2
"""
_TAU = """3 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>n1</value></attribute></metadata>
".TAU application" 1 2 100 1000.5 0 GROUP="TAU_DEFAULT"
"MPI_Send()" 3 0 9e2 9e2 0 GROUP="MPI"
".TAU application => MPI_Send()" 3 0 900 900 0 GROUP="MPI | TAU_CALLPATH"
0 aggregates
"""
_WORKLOAD = """ranks = 4
steps = 2

[[phase]]
kind = "halo"
dimensions = 2
bytes = 800

[[phase]]
kind = "allreduce"
bytes = 8
"""
_JOB = """name = "climate"
[[group]]
name = "ocean"
processes = "50 %"
inside = { latency_at_most_s = "1ms" }
[[group.group]]
name = "east"
[[group.group]]
name = "west"
[[group.between]]
groups = ["east", "west"]
rate_at_least_bytes_per_s = 1e6
[group.found]
ranks = "0-3"
colour = 0
nodes = ["a b", "c"]
[[group]]
name = "air"
ranks = "4,5-7/2"
cores = 2
[[group]]
name = "io"
processes = "rest"
[[between]]
groups = ["ocean", "air"]
latency_at_most_s = 0.01
"""
_XML = """<platform version="4.1"><zone id="w" routing="Full">
<cluster id="a" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="500us"/>
</zone></platform>
"""
_OPENMPI_RULES = """{"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [
{"comm_size_min": 2, "comm_size_max": 64, "rules": [{"msg_size_min": 0, "msg_size_max": "inf", "alg": 6, "faninout": 4,
"reqs": 2, "seg_size": 1024}, {"alg": "chain"}]}]}}
"""
_MPICH_RULES = """{"collective=bcast": {"comm_type=intra": {"comm_size<8": {"avg_msg_size<=64": {
"algorithm=MPIR_Bcast_intra_tree": {"tree_type=knomial_1": {"k=2": {}}}}},
"comm_size=any": {"comm_size=pow2": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}}}
"""
_DEPLOYED_RULES = """[[rule]]
collective = "bcast"
min_ranks = 8
max_bytes = "16KiB"
algorithm = "hierarchical(levels=site+node,inner=pipeline:segment=8KiB):segment=10KiB"

[[rule]]
collective = "allreduce"
max_ranks = 64
min_bytes = 8
algorithm = "library"

[[rule]]
collective = "barrier"
algorithm = "linear"
"""
_DEPLOYED_PLACES = """[[place]]
hosts = ["lyon-*", "nancy-[1-8]"]
site = "a"
cluster = "b"
cabinet = "c d"

[[place]]
hosts = ["*"]
"""


_XML_ROUTES = """<platform version="4.1"><zone id="w" routing="Full">
<host id="h1" speed="1Gf" core="4"/><host id="h2" speed="1Gf"/><router id="r"/>
<link id="l1" bandwidth="125MBps" latency="50us"/><link id="l2" bandwidth="125MBps" latency="50us" sharing_policy="SPLITDUPLEX"/>
<route src="h1" dst="h2"><link_ctn id="l1"/><link_ctn id="l2" direction="UP"/></route>
<route src="h1" dst="r"><link_ctn id="l1"/></route><route src="r" dst="h2"><link_ctn id="l1"/></route>
</zone></platform>
"""
_INTEL_RULES = """I_MPI_ADJUST_BCAST=1:0-1024;3:1025-65536@2-8;4
I_MPI_ADJUST_ALLREDUCE="2"
"""
_RANK_FILES = ("rank 0=a slot=1\nrank 1=b slots=0:1-2\n", "a\nb:2\na slots=1\n# all\nb max_slots=4\n")
_MATRICES = {
    "a.csv": "source,target,messages,bytes\n0,1,3,100\n1,2,1,5.5\n2,0,1,7\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n% of four\n4 4 2\n1 2 10\n4 1 2.5\n",
}
_LOGS = (
    (
        "$ mpirun -np 4 --map-by ppr:2:node ./osu_bcast\n# OSU MPI Broadcast Latency Test v7.3\n# Datatype: MPI_CHAR.\n"
        "# Size       Avg Latency(us)\n1                       2.50\n2                       2.60\n"
    ),
    (
        "#------------------------------------------------------------\n#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n"
        "#------------------------------------------------------------\n# Calling sequence was:\n# mpirun -n 2 IMB-MPI1 Bcast\n"
        "#----------------------------------------------------------------\n# Benchmarking Bcast\n# #processes = 2\n"
        "#----------------------------------------------------------------\n"
        "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "            0         1000         0.03         0.04         0.03\n"
        "            1         1000         0.63         0.65         0.64\n"
    ),
    (
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1\n"
        "# Using devices\n#  Rank  0 Group  0 Pid  1 on n1 device  0 [0x01] A100\n#\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        "           8             2     float     sum      -1    20.00    0.00    0.00      0    20.10    0.00    0.00      0\n"
    ),
)


def _trace(path: Path, ranks: int = 2) -> None:
    """Operations of all kinds, each once, and what they are answered."""
    writer = _core.TraceWriter(str(path), ranks)
    writer.property("source", "a seed")
    writer.names(5, 0, ["lyon-1", "lyon-2"])
    writer.communicator(1, [1, 0])
    for rank in range(ranks):
        for kind, _ in enumerate(_core.operation_kinds()):
            collective = "allgatherv" if kind == 18 else ""
            writer.operation(rank, kind, peer=1 - rank, tag=kind, comm=kind % 2, request=kind, compute_s=1e-6, bytes=64,
                             collective=collective, counts=[8, 8], requests=[2, 3], begin_ns=kind, end_ns=kind + 1)  # fmt: skip
            if kind % 3 == 0:
                writer.answer(rank, flag=True, source=1 - rank, tag=7, completed=[0])
        writer.end(rank)
    writer.close()


def _written(write: Callable[[Path], object], name: str) -> Files:
    """What `write` writes to a path."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def _binary_goal() -> bytes:
    """The binary form of a schedule of two ranks: one sends after it computed, the other one receives."""

    def node(required: int, kind: int, peer: int, size: int, after_end: int) -> bytes:
        return struct.pack("<IBIQIBBIIII", required, kind, peer, size, 5, 0, 0, after_end, 0, 0, 0)

    sender = struct.pack("<III", 2, 1, 0) + node(0, 3, 0, 100, 1) + node(1, 1, 1, 8, 0) + struct.pack("<I", 1)
    receiver = struct.pack("<III", 1, 1, 0) + node(0, 2, 0, 8, 0)
    first = 6 + 16 * 2
    places = (first, first + len(sender), first + len(sender), first + len(sender) + len(receiver))
    return struct.pack("<QIBB4Q", 4223, 2, 0, 0, *places) + sender + receiver


_NUMBERS = {call.name: number for number, call in CALLS.items()}


def dumpi_call(name: str, **values: object) -> bytes:
    """One call with wall times; fields that are not given are 0 or empty."""
    out = struct.pack(">HBHHIHI", _NUMBERS[name], 1 << 3 | 1 << 6, 0, 0, 1000, 0, 2000)
    for field, kind in CALLS[_NUMBERS[name]].fields:
        value = values.get(field, [] if kind not in "ihbq" else 0)
        if isinstance(value, int):
            out += struct.pack(">" + {"i": "i", "h": "H", "b": "B", "q": "q"}[kind], value)
        elif isinstance(value, list) and kind != "T":
            flat = [number for part in value for number in (part if isinstance(part, list) else [part])]
            lists = value and isinstance(value[0], list)
            out += struct.pack(">I", len(value))
            if lists:
                out += b"".join(struct.pack(f">I{len(part)}i", len(part), *part) for part in value)
            else:
                out += struct.pack(f">{len(flat)}i", *flat)
    return out


def _dumpi() -> Files:
    """Two ranks that exchange messages and make groups of groups."""
    files = {"t.meta": b"hostname=n0\nnumprocs=2\nfileprefix=t\n"}
    for rank in range(2):
        calls = [
            dumpi_call("MPI_Send", count=3, datatype=9, dest=1, tag=7, comm=2) if rank == 0 else
            dumpi_call("MPI_Recv", count=3, datatype=9, source=0, tag=7, comm=2),
            dumpi_call("MPI_Comm_group", comm=2, group=4),
            dumpi_call("MPI_Group_incl", group=4, count=2, ranks=[1, 0], newgroup=5),
            dumpi_call("MPI_Group_union", group1=4, group2=5, newgroup=6),
            dumpi_call("MPI_Group_range_incl", group=6, count=1, ranges=[[0, 1, 1]], newgroup=7),
            dumpi_call("MPI_Comm_create", oldcomm=2, group=7, newcomm=5),
            dumpi_call("MPI_Barrier", comm=5),
            dumpi_call("MPI_Finalize"),
        ]  # fmt: skip
        body = struct.pack(">II", 100, 1000) + b"".join(calls) + struct.pack(">H", END_OF_STREAM)
        files[f"t-{rank:04}.bin"] = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI" + body
    return files


def _otf2(folder: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
    from otf2_archives import Archive

    with Archive(folder, 3) as archive:
        for rank in range(3):
            archive.call(rank, "MPI_Init", 1000, 2000)
            for call in range(20 if rank < 2 else 0):
                begin = 3000 + 1000 * call
                sends = (rank + call) % 2 == 0
                event = ("MpiSend" if sends else "MpiRecv", 1 - rank, archive.world, 7, 64 + call)
                archive.call(rank, "MPI_Ssend" if sends else "MPI_Recv", begin, begin + 500, event)
            archive.call(rank, "MPI_Finalize", 90000, 95000)


def _record(path: Path) -> None:
    """The record of a small replay."""
    schedule = path.with_suffix(".goal")
    schedule.write_text(_GOAL, encoding="utf-8")
    settings = ReplaySettings(traces=[schedule], platform="default")
    path.write_text(to_json(replay(settings)), encoding="utf-8")


def _text(name: str, *contents: str) -> list[Files]:
    return [{name: content.encode()} for content in contents]


def _platforms() -> list[Files]:
    return [{"a.toml": Path(find(name)).read_bytes()} for name in ("default", "graphene", "grid2")]


SEEDS: dict[str, Callable[[], list[Files]]] = {
    "trace": lambda: [_written(_trace, "a.trace")],
    "replay": lambda: [_written(_trace, "a.trace")],
    "goal": lambda: [*_text("a.goal", _GOAL), {"a.goal": _binary_goal()}],
    "ti": lambda: _text("a.txt", _TI),
    "dumpi": lambda: [_dumpi()],
    "paraver": lambda: [{"a.prv": _PRV.encode(), "a.pcf": _PCF.encode(), "a.row": _ROW.encode()}],
    "otf2": lambda: [_written(_otf2, "a")],
    "tau": lambda: [{f"tau/profile.{rank}.0.0": _TAU.encode() for rank in range(2)}],
    "platform-toml": _platforms,
    "platform-xml": lambda: _text("a.xml", _XML, _XML_ROUTES),
    "workload": lambda: _text("a.toml", _WORKLOAD),
    "job": lambda: [*_text("a.job", _JOB), *_text("a.job", to_xml(parse("a.toml", _JOB.encode()).profile))],
    "rules": lambda: [
        *_text("a.conf", _OPENMPI_RULES, _MPICH_RULES, _INTEL_RULES, _DEPLOYED_RULES),
        {"a.conf": (Path(__file__).parents[1] / "data" / "openmpi-rules.conf").read_bytes()},
    ],
    "deployed-rules": lambda: _text("a.toml", _DEPLOYED_RULES),
    "deployed-places": lambda: _text("a.toml", _DEPLOYED_PLACES),
    "rank-file": lambda: _text("a.ranks", *_RANK_FILES),
    "matrix-csv": lambda: _text("a.csv", _MATRICES["a.csv"]),
    "matrix-market": lambda: _text("a.mtx", _MATRICES["a.mtx"]),
    "logs": lambda: _text("a.log", *_LOGS),
    "record": lambda: [_written(_record, "a.json")],
}
"""By the name of the reader."""
