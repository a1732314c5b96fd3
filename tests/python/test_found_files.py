# SPDX-License-Identifier: BSD-3-Clause
"""Readers and what nobody wrote: all that fuzzers ever found, some fresh draws, and small files that ask for much."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import ORRERY
from orrery.allowance import BYTES_PER_BYTE, FIXED_BYTES, UNPACK_VARIABLE
from orrery.errors import InputError
from orrery.trace.compressed import decompressed

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from draw import Search, corpus_of
from judging import judged_apart
from mutations import xxh64
from readers import READERS
from seeds import SEEDS, Files, dumpi_call

_FOUND = [(reader, name) for reader in READERS for name in corpus_of(reader)]
_BASE_BYTES = 100 << 20
"""What a command takes that has hardly anything to do."""
_MOST_S = 15.0
"""Most processor time: the files below take a second or two, and took half a minute or had no end."""


def test_the_checksum_of_the_drawn_traces_is_the_one_of_the_format() -> None:
    # The examples of its description, and of the library's test.
    assert xxh64(b"") == 0xEF46DB3751D8E999
    assert xxh64(b"abc") == 0x44BC2CF5AD770999
    assert xxh64(b"xxhash", 20141025) == 0xB559B98D844E0635


@pytest.mark.parametrize("reader", READERS)
def test_each_reader_reads_its_seeds(reader: str) -> None:
    for files in SEEDS[reader]():
        assert judged_apart(reader, files) == ""


@pytest.mark.parametrize(("reader", "name"), _FOUND)
def test_what_was_found_once_is_refused_or_read_by_the_rule(reader: str, name: str) -> None:
    assert judged_apart(reader, corpus_of(reader)[name]) == ""


@pytest.mark.parametrize("reader", READERS)
def test_fresh_draws_are_refused_or_read_by_the_rule(reader: str, tmp_path: Path) -> None:
    search = Search(reader, 20261129, tmp_path, seconds=600)
    search.batch(0, 15)
    assert (search.draws, [path.joinpath("what").read_text() for path in tmp_path.iterdir()]) == (15, [])


def _named_again_and_again() -> Files:
    """A trace whose index names one piece of names 25,000 times."""
    names = [f"site {number}".encode() + b"x" * 100 for number in range(2000)]
    payload = b"\x02\x00" + b"".join(bytes([len(name)]) + name for name in names)

    def piece(kind: int, content: bytes) -> bytes:
        head = struct.pack("<IBBHIIIIII", 0x4B4E4843, kind, 0, 0, 0, 0, len(content), len(content), 0, 0)
        made = head + struct.pack("<Q", xxh64(content, xxh64(head))) + content
        return made + bytes(-len(made) % 8)

    begin = b"\211ORRTR\r\n" + struct.pack("<IIQ", 1, 2, 0)
    body = begin + piece(2, payload)
    index = struct.pack("<QIIII", len(begin), 0, 0, 0, 2) * 25_000
    return {"a.trace": body + piece(5, index) + struct.pack("<Q", len(body)) + b"\211ORREND\n"}


def _shared_graph() -> Files:
    """A binary schedule of 40,000 ranks that all point to one graph."""
    node = struct.pack("<IBIQIBBIIII", 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0)
    graph = struct.pack("<II", 25_000, 0) + node * 25_000
    first = 6 + 16 * 40_000
    places = struct.pack("<QQ", first, first + len(graph)) * 40_000
    return {"a.goal": struct.pack("<QIBB", 4223, 40_000, 0, 0) + places + graph}


def _shared_dependents() -> Files:
    """A binary schedule whose 20,000 nodes all have one list of 20,000 dependents."""
    count = 20_000
    node = struct.pack("<IBIQIBBIIII", count, 3, 0, 1, 0, 0, 0, count, 0, 0, 0)
    graph = struct.pack("<II", count, 0) + node * count + struct.pack(f"<{count}I", *range(count))
    return {"a.goal": struct.pack("<QIBBQQ", 4223, 1, 0, 0, 22, 22 + len(graph)) + graph}


def _circle_behind_many() -> Files:
    """A schedule where going round a circle looks at thousands of operations that are over, each time."""
    lines = [f"c{number}: calc 1" for number in range(20_000)]
    circle = [f"d{number}: calc 1" for number in range(20_000)]
    waits = [f"d0 requires c{number}" for number in range(20_000)] + ["d0 requires d1", "d1 requires d0"]
    text = "\n".join(["num_ranks 1", "rank 0 {", *lines, *circle, *waits, "}", ""])
    return {"a.goal": text.encode()}


def _groups_of_ranges() -> Files:
    """A DUMPI trace of one rank whose groups have twice the members of the one before, by two ranges of all of them."""
    calls = [dumpi_call("MPI_Comm_group", comm=2, group=4)]
    for twice in range(30):
        ranges = [[0, 2**twice - 1, 1]] * 2
        calls.append(dumpi_call("MPI_Group_range_incl", group=4 + twice, count=2, ranges=ranges, newgroup=5 + twice))
    body = struct.pack(">II", 100, 1000) + b"".join(calls) + struct.pack(">H", 293)
    return {"t.meta": b"numprocs=1\nfileprefix=t\n", "t-0000.bin": b"\xff\xaa\xddDUMPI" + body}


def _groups_of_many() -> Files:
    """A DUMPI trace of 200 ranks, one of which makes 20,000 unions of all of them."""
    ranks = 200
    calls = [dumpi_call("MPI_Comm_group", comm=2, group=4)]
    calls += [dumpi_call("MPI_Group_excl", group=4, count=1, ranks=[0], newgroup=5)]
    calls += [dumpi_call("MPI_Group_union", group1=4 + i % 2, group2=5, newgroup=6 + i) for i in range(20_000)]
    files = {f"t-{rank:04}.bin": b"\xff\xaa\xddDUMPI" + struct.pack(">IIH", 100, 1000, 293) for rank in range(ranks)}
    files["t-0000.bin"] = (
        b"\xff\xaa\xddDUMPI" + struct.pack(">II", 100, 1000) + b"".join(calls) + struct.pack(">H", 293)
    )
    return files | {"t.meta": f"numprocs={ranks}\nfileprefix=t\n".encode()}


def _tau(line: str) -> Files:
    return {"tau/profile.0.0.0": f'1 templated_functions_MULTI_TIME\n# {line}\n"main" 1 0 1 1 0 GROUP="T"\n'.encode()}


_CLUSTER = """[[cluster]]
name = "{name}"
nodes = {nodes}
cores = 1
bandwidth_bytes_per_s = "10Gbit/s"
latency_s = "1us"
memory_bandwidth_bytes_per_s = "20GB/s"
memory_latency_s = "200ns"
"""
_PLATFORM = 'name = "x"\ndescription = "x"\nsource = "x"\nmodel = "fluid"\n'


def _platform(*clusters: str) -> Files:
    return {"a.toml": (_PLATFORM + "".join(clusters)).encode()}


def _chain() -> Files:
    clusters = [_CLUSTER.format(name=f"c{number}", nodes=1) for number in range(2000)]
    links = [
        f'[[wan]]\nfrom = "c{i}"\nto = "c{i + 1}"\nbandwidth_bytes_per_s = 1e9\nlatency_s = 1e-3\n' for i in range(1999)
    ]
    return _platform(*clusters, *links)


def _xml(*radicals: str) -> Files:
    clusters = "".join(
        f'<cluster id="c{number}" prefix="n{number}-" radical="{radical}" suffix="" speed="1Gf" bw="1GBps" lat="1us"/>\n'
        for number, radical in enumerate(radicals)
    )
    return {"a.xml": f'<platform version="4.1"><zone id="w" routing="Full">\n{clusters}</zone></platform>\n'.encode()}


def _digits() -> str:
    return "9" * 5000


_LARGE: dict[str, tuple[str, Callable[[], Files]]] = {
    "names-again-and-again": ("trace", _named_again_and_again),
    "replayed-again-and-again": ("replay", _named_again_and_again),
    "one-graph": ("goal", _shared_graph),
    "one-list": ("goal", _shared_dependents),
    "circle": ("goal", _circle_behind_many),
    "groups-of-ranges": ("dumpi", _groups_of_ranges),
    "groups-of-many": ("dumpi", _groups_of_many),
    "tau-openings": ("tau", lambda: _tau("<attribute><name>" * 60_000)),
    "tau-character": ("tau", lambda: _tau(f"<attribute><name>a</name><value>&#{_digits()};</value></attribute>")),
    "dotted-key": ("platform-toml", lambda: {"a.toml": b"a." * 50_000 + b"a = 1\n"}),
    "dotted-header": ("workload", lambda: {"a.toml": b"[" + b"a." * 50_000 + b"a]\n"}),
    "unknown-keys": ("platform-toml", lambda: _platform(*(f"a{number} = 1\n" for number in range(20_000)))),
    "nodes": ("platform-toml", lambda: _platform(_CLUSTER.format(name="c", nodes=10**9))),
    "nodes-of-64-bits": ("platform-toml", lambda: _platform(_CLUSTER.format(name="c", nodes=2**63 - 1))),
    "nodes-of-two": ("platform-toml", lambda: _platform(*(_CLUSTER.format(name=n, nodes=2**20) for n in "ab"))),
    "chain-of-clusters": ("platform-toml", _chain),
    "radical": ("platform-xml", lambda: _xml("0-1000000", "0-1000000")),
    "radical-of-digits": ("platform-xml", lambda: _xml(f"0-{_digits()}")),
    "blank-lines-of-rules": ("rules", lambda: {"a.conf": b"\n" * 200_000 + b"14\n"}),
    "zeros-of-a-matrix": ("matrix-market", lambda: {"a.mtx": f"%%MatrixMarket matrix coordinate integer general\n2 2 {'0' * 5000}1\n1 2 3\n".encode()}),
    "escaped-quotes": ("rules", lambda: {"a.conf": b'{"' + b'\\"' * 100_000}),
    "blank-lines": ("ti", lambda: {"a.txt": b"\n" * 4000 + b"x"}),
    "many-ranks": ("ti", lambda: {"a.txt": b"0 init\n" * 20_000 + b"30000 init\n"}),
    "spaces-in-meta": ("dumpi", lambda: {"t.meta": b"fileprefix=" + b" " * 60_000 + b"x\nnumprocs=1\n"}),
    "digits-of-ranks": ("dumpi", lambda: {"t.meta": f"fileprefix=t\nnumprocs={_digits()}\n".encode()}),
    "digits-in-a-head": ("paraver", lambda: SEEDS["paraver"]()[0] | {"a.prv": f"#Paraver (a):{_digits()}_ns:1(2):1:{_digits()}(1:1)\n".encode()}),
    "digits-in-names": ("paraver", lambda: SEEDS["paraver"]()[0] | {"a.pcf": f"EVENT_TYPE\n9 {_digits()} MPI\nVALUES\n{_digits()} MPI_Send\n".encode()}),
}  # fmt: skip
"""By what is wrong: the reader, and the files."""


@pytest.mark.parametrize("what", _LARGE)
def test_a_small_file_takes_memory_and_time_by_its_size(what: str) -> None:
    reader, files = _LARGE[what]
    assert judged_apart(reader, files()) == ""


def test_what_a_compressed_file_may_hold_is_bounded_by_a_factor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.trace.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(80):
            file.write(bytes(1 << 20))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv(UNPACK_VARIABLE, "10")
    with (
        pytest.raises(InputError, match=rf"holds more than .* set {UNPACK_VARIABLE}=1000 or more \(now 10\)"),
        decompressed(path),
    ):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    monkeypatch.setenv(UNPACK_VARIABLE, "2000")
    with decompressed(path) as plain:
        assert plain.stat().st_size == 80 << 20
    monkeypatch.setenv(UNPACK_VARIABLE, "-1")
    with (
        pytest.raises(InputError, match=f'{UNPACK_VARIABLE}="-1": expected a whole number above 0'),
        decompressed(path),
    ):
        pass


def test_the_rule_is_the_one_that_the_documentation_gives() -> None:
    assert (FIXED_BYTES, BYTES_PER_BYTE) == (64 << 20, 50)
    said = (Path(__file__).parents[2] / "docs" / "limits-of-files.md").read_text(encoding="utf-8")
    assert "64 MiB and 50 bytes for each byte of the file" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["collective", "bcast", "-n", "999999999", "-s", "8"], "999,999,999 ranks: would take"),
        (["collective", "bcast", "-n", "4", "-s", "99999999999999999999"], "expected at most 8192 TiB"),
        (["collective", "bcast", "-n", "9" * 5000, "-s", "8"], "(5,003 characters) expected whole numbers above 0"),
        (["run", "-n", "999999999", "/bin/true"], "-n 999999999"),
    ],
)
def test_commands_refuse_what_no_machine_has(arguments: list[str], words: str, tmp_path: Path) -> None:
    code, used_bytes, used_s, said = _measured(arguments, tmp_path)
    assert (code, words in said, "Traceback" in said) == (2, True, False), said
    assert used_bytes < _BASE_BYTES
    assert used_s < _MOST_S


def _measured(arguments: list[str], folder: Path) -> tuple[int, int, float, str]:
    """Exit code, most memory in bytes, processor time in seconds and words of a command.

    A small process starts it: Linux counts what the one that starts a program has as memory of that program.
    """
    out = folder / "out"
    command = [sys.executable, "-S", "-c", _MEASURING, str(out), str(ORRERY), *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    code, kibibytes, seconds = said.split()
    return int(code), int(kibibytes) << 10, float(seconds), out.read_text()


_MEASURING = """
import os, sys
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
child = os.posix_spawn(sys.argv[2], sys.argv[2:], dict(os.environ), file_actions=actions)
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss, used.ru_utime + used.ru_stime)
"""
