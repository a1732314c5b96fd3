# SPDX-License-Identifier: BSD-3-Clause
"""Files of matrices: what is read, and that whatever is wrong is told in a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Sandbox
from orrery.errors import InputError
from orrery.placement.matrix_files import read_matrix
from orrery.placement.settings import ENDINGS


def edges(file: Path) -> list[tuple[int, int, float, float]]:
    found = read_matrix(file)
    return [
        (int(a), int(b), float(m), float(n))
        for a, b, m, n in zip(found.sources, found.targets, found.messages, found.bytes, strict=True)
    ]


def test_csv_has_its_columns_in_any_order_and_what_comes_twice_is_added(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text("# mine\nbytes,target,source,messages\n10,1,0,2\n5,1,0,1\n7,0,2,1\n9,2,2,1\n")
    assert edges(file) == [(0, 1, 3, 15), (2, 0, 1, 7)]  # what a rank sends itself is left out
    file.write_text("source,target,bytes\n0,3,10\n")
    assert edges(file) == [(0, 3, 1, 10)]
    assert read_matrix(file).ranks == 4


def test_matrix_market_counts_from_1_and_a_symmetric_one_stands_for_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "m.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n% mine\n4 4 2\n1 2 10\n3 1 0.5\n")
    assert edges(file) == [(0, 1, 1, 10), (2, 0, 1, 0.5)]
    assert read_matrix(file).ranks == 4
    file.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 1\n")
    assert edges(file) == [(0, 2, 1, 1), (2, 0, 1, 1)]


def test_a_record_of_a_trace_has_edges(sandbox: Sandbox) -> None:
    sandbox.orrery("run", "-n", "4", "--compute", "none", "-o", "ring.trace", sandbox.program("ring"), "3")
    written = sandbox.orrery("profile", "ring.trace", "--json").out
    file = sandbox.folder / "ring.json"
    file.write_text(written)
    there = [
        (edge["source"], edge["destination"], edge["messages"], edge["bytes"]) for edge in json.loads(written)["edges"]
    ]
    assert edges(file) == there
    assert "collectives" in read_matrix(file).cautions[0]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.csv", "", "expected the columns source, target and bytes"),
        ("m.csv", "a,b\n1,2\n", "expected the columns"),
        ("m.csv", "source,target,bytes\n0,1\n", "row 2: has 2 values, and there are 3 columns"),
        ("m.csv", "source,target,bytes\n0,x,1\n", 'row 2: "x": expected a rank'),
        ("m.csv", "source,target,bytes\n0,-1,1\n", 'row 2: "-1": expected a rank'),
        ("m.csv", "source,target,bytes\n0,99999999999,1\n", "expected a rank"),
        ("m.csv", "source,target,bytes\n0,1,nan\n", '"nan": expected bytes, a number of 0 or more'),
        ("m.csv", "source,target,bytes\n0,1,inf\n", "expected bytes"),
        ("m.csv", "source,target,bytes\n0,1,-4\n", "expected bytes"),
        ("m.csv", "source,target,bytes\n2,2,4\n", "no rank sends another one anything"),
        ("m.mtx", "hello\n", "m.mtx:1: expected"),
        ("m.mtx", "%%MatrixMarket matrix array real general\n", "m.mtx:1: expected"),
        ("m.mtx", "%%MatrixMarket matrix coordinate complex general\n", "complex general: expected"),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 1\n1 2 3\n", "as many columns as rows"),
        (
            "m.mtx",
            "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 3\n",
            "has 1 entries, and says that it has 2",
        ),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 1\n0 2 3\n", "m.mtx:3: rows and columns"),
        (
            "m.mtx",
            "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 9 3\n",
            "says that it has 4 ranks, and names rank 8",
        ),
        (
            "m.mtx",
            "%%MatrixMarket matrix coordinate real general\n99999999 99999999 1\n1 2 3\n",
            "says that it has 99999999",
        ),
        (
            "m.mtx",
            "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2\n",
            "m.mtx:3: expected row, column and bytes",
        ),
        ("m.json", "{", "not JSON"),
        ("m.json", "[]", 'has no list "edges"'),
        ("m.json", '{"edges": [3]}', r"edges\[0\]: expected an object"),
        ("m.json", '{"edges": [{"source": 0, "destination": 1}]}', 'edges\\[0\\]: "": expected messages'),
    ],
)
def test_what_is_no_matrix_is_told_with_its_place(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_matrix(file)


@given(st.sampled_from(ENDINGS), st.binary(max_size=300))
def test_no_file_crashes_the_reader(tmp_path_factory: pytest.TempPathFactory, ending: str, content: bytes) -> None:
    file = tmp_path_factory.mktemp("m") / f"m{ending}"
    file.write_bytes(content)
    with pytest.raises(InputError):
        read_matrix(file)


@pytest.mark.parametrize("option", [("--selector", "default"), ("--replicas", "2")])
def test_options_of_a_simulation_are_refused_for_a_matrix(sandbox: Sandbox, option: tuple[str, str]) -> None:
    (sandbox.folder / "m.csv").write_text("source,target,bytes\n0,1,8\n")
    refused = sandbox.orrery("place", "m.csv", *option)
    assert refused.code == 2
    assert f"{option[0]}: acts not on m.csv: a matrix cannot be simulated" in refused.err
