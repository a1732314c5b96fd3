# SPDX-License-Identifier: BSD-3-Clause
"""Tables of OSU's, Intel's and NVIDIA's benchmarks are read as they are printed, and compared or fitted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.benchmark_logs import LogRow, LogTable, read_logs
from orrery.calibrate.measure import samples_of_logs
from orrery.calibrate.settings import CalibrationSettings
from orrery.collective.call import Call
from orrery.errors import InputError
from orrery.validate.measured import Measurement, read
from orrery.validate.measured_logs import UserLayout

OSU_7 = """\
$ mpirun -n 8 -N 4 -hostfile hosts -x UCX_NET_DEVICES=mlx5_2:1 osu_allreduce -x 10 -i 10 -m 4:16
[node-1:227754] SET UCX_NET_DEVICES=mlx5_2:1

# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)
4                      11.69
node-1: warning 12
8                      15.34
"""
OSU_5 = """\

# OSU MPI Broadcast Latency Test v5.6.2
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       2.10              0.80              3.40        1000
2                       2.20              0.90              3.50        1000
srun -N 2 --ntasks-per-node=4 ./osu_barrier
# OSU MPI Barrier Latency Test v5.6.2
# Avg Latency(us)
             12.30
# OSU MPI Bandwidth Test v5.6.2
# Size      Bandwidth (MB/s)
1048576           12254.16
"""
IMB = """\
mpirun -np 8 -ppn 4 IMB-MPI1 Alltoall Barrier PingPong
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks {version}, MPI-1 part
#----------------------------------------------------------------
# Date                  : Sat Nov 28 10:00:00 2026
# MPI Version           : 3.1

# Calling sequence was:

# IMB-MPI1 Alltoall Barrier PingPong

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.05         0.00
            1         1000         1.10         0.91

#----------------------------------------------------------------
# Benchmarking Alltoall
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.07         0.07         0.07
            1         1000         0.65         6.07         3.36

#----------------------------------------------------------------
# Benchmarking Alltoall
# #processes = 8
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            1         1000         5.65         6.07         5.86

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 8
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         4.00         4.20         4.10
"""
NCCL = """\
# nccl-tests version 2.17.6 nccl-headers=22602 nccl-library=22602
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 64 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 221423 on    gpu-1 device  0 [0009:01:00] NVIDIA GH200 120GB
#  Rank  1 Group  0 Pid 221421 on    gpu-1 device  1 [0019:01:00] NVIDIA GH200 120GB
#  Rank  2 Group  0 Pid 221424 on    gpu-2 device  0 [0029:01:00] NVIDIA GH200 120GB
#  Rank  3 Group  0 Pid 221422 on    gpu-2 device  1 [0039:01:00] NVIDIA GH200 120GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
          64            16     float    none      -1    36.50    0.00    0.00       0    36.16    0.00    0.00       0
         128            32     float    none      -1    35.55    0.00    0.00     N/A    35.49    0.00    0.00       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.0021
"""
SIZES = [2**power for power in range(20)]
LATENCY = "# OSU MPI Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n" + "".join(
    f"{size:<10} {1.5 + size / 5000:20.2f}\n" for size in SIZES
)
"""1.5 us and 5 GB/s."""


def written(folder: Path, text: str, name: str = "log.txt") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def shape(table: LogTable) -> tuple[object, ...]:
    return table.operation, table.ranks, table.nodes, table.ppn, [(row.bytes, row.us) for row in table.rows]


def test_osu_tables_have_ranks_of_the_command_that_starts_their_program(tmp_path: Path) -> None:
    allreduce, bcast, barrier, bandwidth = read_logs(written(tmp_path, OSU_7 + OSU_5))
    assert shape(allreduce) == ("allreduce", 8, None, 4, [(4, 11.69), (8, 15.34)])
    assert shape(bcast) == ("bcast", None, None, None, [(1, 2.1), (2, 2.2)])  # started by nothing that is shown
    assert shape(barrier) == ("barrier", 8, 2, 4, [(0, 12.3)])
    assert bandwidth.rows == [LogRow(line=21, bytes=1 << 20, megabytes_per_s=12254.16)]
    assert (allreduce.program, allreduce.version, allreduce.line, bcast.version) == ("OSU", "7.5", 4, "5.6.2")
    assert bcast.rows[0] == LogRow(line=13, bytes=1, us=2.1, least_us=0.8, longest_us=3.4, calls=1000)


def test_tables_that_time_something_else_say_so(tmp_path: Path) -> None:
    text = OSU_7.replace("MPI Allreduce", "MPI Non-blocking Allreduce")
    (table,) = read_logs(written(tmp_path, text))
    assert table.left_out == "it times something that is not simulated as a call of its own"
    with pytest.raises(InputError, match=r"has no table of a collective\. .*log\.txt:4: OSU MPI Non-blocking"):
        read([tmp_path / "log.txt"], {})
    (table,) = read_logs(written(tmp_path, OSU_7.replace("OSU MPI Allreduce", "OSU MPI-CUDA Allreduce")))
    assert "memory of GPUs" in table.remarks[0]


def test_imb_tables_say_of_how_many_of_the_job_s_ranks_they_are(tmp_path: Path) -> None:
    file = written(tmp_path, IMB.format(version="2021.3"))
    measured = read([file], {})
    assert [(case.call, case.nodes, case.ppn) for case in measured.cases] == [
        (Call("alltoall", 1, 2), 1, 4),
        (Call("alltoall", 1, 8), 2, 4),
        (Call("barrier", 0, 8), 2, 4),
    ]
    first = measured.cases[0]
    assert (first.least_s, first.median_s, first.p90_s) == pytest.approx((0.65e-6, 3.36e-6, 6.07e-6))
    assert first.mean
    assert first.mapping == "ppr:2"
    assert (
        f"{file}:22: IMB Alltoall: 1 rows are of 0 bytes, and are left out: libraries send nothing then"
        in measured.cautions
    )
    assert (
        f"{file}:13: IMB PingPong is left out: it is no collective; `orrery calibrate --ingest` takes it"
        in measured.cautions
    )
    old = read([written(tmp_path, IMB.format(version="2018"))], {})
    assert any("IMB 2018 times calls back to back" in caution for caution in old.cautions)


def test_nccl_tables_give_sizes_of_blocks_and_say_that_gpus_are_not_simulated(tmp_path: Path) -> None:
    file = written(tmp_path, NCCL)
    (table,) = read_logs(file)
    assert shape(table) == ("allgather", 4, 2, 2, [(64, 36.5), (128, 35.55)])
    assert table.library == "NCCL 22602"
    measured = read([file], {})
    assert [case.call for case in measured.cases] == [Call("allgather", 16, 4), Call("allgather", 32, 4)]
    assert any("memory of GPUs" in caution for caution in measured.cautions)


def test_json_of_rccl_tests_and_of_nccl_tests_is_read(tmp_path: Path) -> None:
    record = {"numCycle": 0, "name": "AllReduce", "nodes": 2, "ranks": 8, "ranksPerNode": 4, "gpusPerRank": 1, "size": 64,
              "type": "float", "redop": "sum", "inPlace": 0, "time": 12.5, "algBw": 1, "busBw": 1, "wrong": "0"}  # fmt: skip
    records = [record, record | {"inPlace": 1, "time": 11.5}, record | {"size": 128}]
    for text in (json.dumps(records), "\n".join(map(json.dumps, records))):
        (table,) = read_logs(written(tmp_path, text, "rccl.json"))
        assert shape(table) == ("allreduce", 8, 2, 4, [(64, 12.5), (128, 12.5)])
    document = {
        "nccl_version": 22703,
        "args": ["./all_reduce_perf", "-g", "1"],
        "devices": [{"rank": 0, "hostname": "a"}, {"rank": 1, "hostname": "b"}],
        "results": [{"size": 64, "out_of_place": {"time": 3.5}, "in_place": {"time": 3.0}}],
    }
    (table,) = read_logs(written(tmp_path, json.dumps(document), "nccl.json"))
    assert shape(table) == ("allreduce", 2, 2, 1, [(64, 3.5)])


def test_several_runs_of_a_case_in_one_file_give_its_spread(tmp_path: Path) -> None:
    again = OSU_7.replace("11.69", "12.69").replace("15.34", "13.34")
    (first, second) = read([written(tmp_path, OSU_7 + again)], {}).cases
    assert (first.least_s, first.median_s, first.p90_s) == pytest.approx((11.69e-6, 12.19e-6, 12.69e-6))
    assert first.call == Call("allreduce", 4, 8)
    assert second.call == Call("allreduce", 8, 8)


def test_ranks_that_no_table_says_are_asked_for_and_the_cure_works(tmp_path: Path) -> None:
    file = written(tmp_path, OSU_5.split("srun", maxsplit=1)[0])
    with pytest.raises(InputError, match=r"log\.txt:2: OSU MPI Broadcast Latency: .* say it: -n N"):
        read([file], {})
    found = read([file], {}, UserLayout(ranks=16, ppn=4)).cases
    assert [(case.call.ranks, case.ppn, case.mapping) for case in found] == [(16, 4, "ppr:4")] * 2


def test_columns_choose_among_tables(tmp_path: Path) -> None:
    file = written(tmp_path, IMB.format(version="2021.3"))
    assert {case.call.kind for case in read([file], {"op": "barrier"}).cases} == {"barrier"}
    assert {case.call.ranks for case in read([file], {"nprocs": "8"}).cases} == {8}
    assert {case.call.ranks for case in read([file], {"version": "2021.3", "program": "IMB"}).cases} == {2, 8}


def test_a_file_of_another_kind_is_refused_with_its_name_and_what_it_begins_with(tmp_path: Path) -> None:
    file = written(tmp_path, "num_ranks 2\nrank 0 {\n}\n", "it.goal")
    with pytest.raises(
        InputError, match=r'--ingest .*it\.goal: expected a table with commas.*it begins with: "num_ranks 2"'
    ):
        read([file], {})
    (tmp_path / "it.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"--ingest .*it\.bin: is not UTF-8 text"):
        read([tmp_path / "it.bin"], {})


def test_rows_with_commas_may_say_nodes_and_ranks_on_each(tmp_path: Path) -> None:
    others = written(
        tmp_path, "system,test,nodes,ppn,bytes,us,min_us,max_us\nX,allreduce,2,8,4,10,8,12\nX,latency,2,1,4,1,,\n"
    )
    assert read([others], {}).cases == [
        Measurement(Call("allreduce", 4, 16), 20, 8 * 1e-6, 10 * 1e-6, 12 * 1e-6, nodes=2, ppn=8, mean=True)
    ]
    head = "op,nprocs,nodes,ppn,bytes,iters,tmax_min,tmax_med,tmax_p90\n"
    (ours,) = read([written(tmp_path, f"{head}bcast,6,3,,4,5,1,2,3\n")], {}).cases
    assert (ours.nodes, ours.ppn, ours.mean, ours.mapping) == (3, None, False, "ppr:2")
    wrong = written(tmp_path, "test,nodes,ppn,bytes,us\nallreduce,2,,4,10\n")
    with pytest.raises(
        InputError, match=r"line 2: how many ranks there were is not said: expected nodes and ppn, or nprocs"
    ):
        read([wrong], {})


MEANS = """\
name = "means"
source = "a test"
[[cluster]]
name = "c"
nodes = 4
cores = 2
bandwidth_bytes_per_s = 1e6
latency_s = 0.0
memory_bandwidth_bytes_per_s = 1e9
memory_latency_s = 0.0
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
"""


def test_means_over_the_ranks_are_predicted_where_means_are_given(sandbox: Sandbox) -> None:
    """A gather whose root alone waits: the longest duration is the root's, the mean a fraction of it."""
    head = "op,nprocs,nodes,ppn,bytes,{0}\ngather,4,4,1,1000,{1}\n"
    (sandbox.folder / "longest.csv").write_text(head.format("iters,tmax_min,tmax_med,tmax_p90", "2,1,2,3"))
    (sandbox.folder / "mean.csv").write_text(head.format("us", "2"))
    (sandbox.folder / "means.toml").write_text(MEANS)
    compare = (
        "validate",
        "collectives",
        "-p",
        "means.toml",
        "--replicas",
        "1",
        "--model",
        "hybrid",
        "--coll",
        "gather=linear",
        "--json",
    )
    found = {}
    for name in ("longest", "mean"):
        ended = sandbox.orrery(*compare, "--ingest", f"{name}.csv")
        assert ended.code == 0, ended.err
        (case,) = json.loads(ended.out)["cases"]
        assert (case["nodes"], case["ranks_per_node"], case["mean"]) == (4, 1, name == "mean")
        found[name] = case["predicted"]["hybrid"]["median_s"]
    assert 0 < found["mean"] < 0.8 * found["longest"]


def test_ping_pongs_make_a_platform_whose_verdict_says_what_is_not_known(sandbox: Sandbox) -> None:
    (sandbox.folder / "lat.txt").write_text(LATENCY)
    ingest = ("calibrate", "--ingest", "lat.txt", "-o", "theirs.toml")
    assert "--cores N is missing" in sandbox.orrery(*ingest).err
    unsaid = sandbox.orrery(*ingest, "--cores", "8")
    assert unsaid.code == 2
    assert "say it: --ppn 1 (on two nodes) or --ppn 2 (on one)" in unsaid.err
    made = sandbox.orrery(*ingest, "--cores", "8", "--ppn", "1", "--nodes", "16")
    assert made.code == 0, made.err
    assert "only times of ping-pongs are known" in made.out
    assert "--fresh" not in made.out  # no cure is to measure again what others measured
    text = (sandbox.folder / "theirs.toml").read_text()
    assert 'source = "ping-pongs of OSU 7.3 in lat.txt, read ' in text
    shown = sandbox.orrery("platform", "show", "theirs.toml").out
    assert "16 nodes" in shown
    # One message of 1 MB: 1.5 us and 5 GB/s.
    loop = json.loads(
        sandbox.orrery(
            "benchmark", "latency", "-n", "2", "-s", "500000", "-p", "theirs.toml", "--map", "node", "--json"
        ).out
    )
    assert "101." in json.dumps(loop) or "0.000101" in json.dumps(loop)


def test_ping_pongs_inside_a_node_and_between_nodes_are_told_apart_by_their_commands(tmp_path: Path) -> None:
    text = f"mpirun -np 2 -ppn 1 ./osu_latency\n{LATENCY}srun -N 1 -n 2 ./osu_latency\n{LATENCY}"
    said: list[str] = []
    files = samples_of_logs(
        CalibrationSettings(
            ingest=(written(tmp_path, text), written(tmp_path, OSU_7, "other.txt")),
            output=tmp_path / "c.toml",
            cores=4,
        ),
        said.append,
    )
    plan = files.plan.read_text()
    assert "pingpong1 pingpong group=net" in plan
    assert "pingpong2 pingpong group=memory" in plan
    assert any("other.txt:4: OSU MPI Allreduce Latency is left out" in sentence for sentence in said)
