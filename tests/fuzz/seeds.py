# SPDX-License-Identifier: BSD-3-Clause
"""Small files of each format to begin fuzzing with: `python tests/fuzz/corpus.py FOLDER`; one folder inside for each reader."""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

from orrery import _core
from orrery.job.reading import parse
from orrery.job.writing import to_xml
from orrery.platform.find import find

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
[[group.between]]
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
_DUMPI = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI" + struct.pack(">II", 100, 1000)


def _trace(path: Path) -> None:
    """Operations of all kinds, each once, and what they are answered."""
    writer = _core.TraceWriter(str(path), 2)
    writer.communicator(1, [1, 0])
    for rank in range(2):
        for kind, _ in enumerate(_core.operation_kinds()):
            collective = "allgatherv" if kind == 18 else ""
            writer.operation(rank, kind, peer=1 - rank, tag=kind, comm=kind % 2, request=kind, compute_s=1e-6, bytes=64,
                             collective=collective, counts=[8, 8], requests=[2, 3], begin_ns=kind, end_ns=kind + 1)  # fmt: skip
            if kind % 3 == 0:
                writer.answer(rank, flag=True, source=1 - rank, tag=7, completed=[0])
        writer.end(rank)
    writer.close()


def main() -> None:
    root = Path(sys.argv[1])
    texts = {"ti/a.txt": _TI, "goal/a.goal": _GOAL, "paraver/a.prv": _PRV, "workload/a.toml": _WORKLOAD,
             "platform-xml/a.xml": _XML, "rules/openmpi.json": _OPENMPI_RULES, "rules/mpich.json": _MPICH_RULES, "job/a.toml": _JOB, "deployed-rules/a.toml": _DEPLOYED_RULES, "deployed-places/a.toml": _DEPLOYED_PLACES, "rank-file/a": "rank 0=a slot=1\nrank 1=b\nb:2\na slots=1\n"}  # fmt: skip
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for name in ("trace", "replay", "dumpi", "platform-toml", "rules"):
        (root / name).mkdir(exist_ok=True)
    for name in ("trace", "replay"):
        _trace(root / name / "a.trace")
    send = struct.pack(">HBHHIHIiHiiH", 0, 1 << 3 | 1 << 6, 0, 0, 1000, 0, 2000, 3, 9, 1, 7, 2)
    (root / "dumpi" / "a.bin").write_bytes(_DUMPI + send + struct.pack(">H", 293))
    (root / "job" / "a.xml").write_text(to_xml(parse("a.toml", _JOB.encode()).profile), encoding="utf-8")
    for name in ("default", "graphene", "grid2"):
        shutil.copy(find(name), root / "platform-toml" / f"{name}.toml")
    shutil.copy(Path(__file__).parents[1] / "data" / "openmpi-rules.conf", root / "rules" / "a.conf")


if __name__ == "__main__":
    main()
