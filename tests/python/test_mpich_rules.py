# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files of MPICH's are read, and lead to the messages that the library sends when it is told the same."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import recordings
from orrery.collective.call import Call
from orrery.collective.messages import messages
from orrery.collective.rules_file import read_rules
from orrery.errors import InputError

FORCED = recordings.DATA / "mpich-5.0.2" / "forced-algorithm-messages.csv.gz"
SETTINGS = ("k", "tree_type", "chunk_size")

Totals = dict[tuple[int, int], tuple[int, int]]
"""Messages and bytes by source and destination."""


def tuning(row: dict[str, str]) -> str:
    """A tuning file that names the algorithm of a recorded row for its collective, and nothing else."""
    immediate = row["immediate"] == "1"
    collective = ("i" if immediate else "") + row["collective"]
    settings: dict[str, Any] = {f"{key}={row[key]}": {} for key in SETTINGS if row[key] not in ("", "0")}
    algorithm = f"algorithm=MPIR_{collective.capitalize()}_intra_{row['algorithm']}"
    return json.dumps({f"collective={collective}": {"comm_type=intra": {algorithm: settings}}})


def test_every_algorithm_of_mpich_sends_what_was_recorded_when_it_was_forced(tmp_path: Path) -> None:
    recorded: dict[str, dict[Call, Totals]] = defaultdict(lambda: defaultdict(dict))
    with gzip.open(FORCED, "rt", newline="") as file:
        for row in csv.DictReader(file):
            call = Call(row["collective"], int(row["bytes"]), int(row["nprocs"]), row["immediate"] == "1")
            pair = (int(row["src"]), int(row["dst"]))
            recorded[tuning(row)][call][pair] = (int(row["count"]), int(row["bytes_total"]))
    assert sum(len(calls) for calls in recorded.values()) == 1770
    wrong = []
    for number, (text, calls) in enumerate(recorded.items()):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        request = recordings.asked(selector="mpich-5.0", rules=path)
        wrong += [(text, call) for call, expected in calls.items() if recordings.totals(call, request) != expected]
    assert wrong == []


def bcast(*conditions: str, algorithm: str = "algorithm=MPIR_Bcast_intra_binomial") -> dict[str, Any]:
    """Conditions, one inside the other."""
    inner: dict[str, Any] = {algorithm: {}}
    for condition in reversed(conditions):
        inner = {condition: inner}
    return {"collective=bcast": inner}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (bcast("comm_type=intra", "ranks<8"), 'line 4: unknown condition "ranks<8"; conditions are like comm_size<8'),
        (
            bcast(algorithm="algorithm=MPIR_Bcast_intra_tre"),
            'line 2: no algorithm of bcast is named "tre"; there are: ',
        ),
        (
            bcast(algorithm="composition=MPIDI_Bcast_intra_composition_zeta"),
            'line 2: no algorithm of bcast is named "composition_zeta"; there are: ',
        ),
        (
            {
                **bcast(algorithm="composition=MPIDI_Bcast_intra_composition_alpha"),
                "collective=barrier": {"algorithm=MPIR_Barrier_intra_dissemination": {}},
            },
            "line 5: compositions of MPICH's device and algorithms are in files of their own",
        ),
        ({"collective=broadcast": {}}, 'line 2: "broadcast" is no collective'),
        ({"rules": {}}, 'expected at the top "collectives", as Open MPI'),
    ],
)
def test_what_is_wrong_in_a_tuning_file_is_said_with_its_place(
    tmp_path: Path, document: dict[str, Any], said: str
) -> None:
    path = tmp_path / "tuning.json"
    path.write_text(json.dumps(document, indent=1))
    with pytest.raises(InputError) as error:
        read_rules(path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)


def test_a_file_of_compositions_decides_what_goes_between_nodes(tmp_path: Path) -> None:
    path = tmp_path / "compositions.json"
    path.write_text(json.dumps(bcast(algorithm="composition=MPIDI_Bcast_intra_composition_beta")))
    request = recordings.asked(selector="mpich-4.0", rules=path)
    # Without the file a broadcast of 8 bytes is composition_alpha; beta differs where the root does not speak for its node.
    assert messages(Call("bcast", 8, 8), request, 2)[0] == "composition_beta"
    assert messages(Call("bcast", 8, 8), recordings.asked(selector="mpich-4.0"), 2)[0] == "composition_alpha"
    assert messages(Call("bcast", 8, 8), request)[0] == "binomial_halving"


def test_calls_of_which_a_tuning_file_says_nothing_are_left_to_the_selector(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    path.write_text(json.dumps(bcast("comm_size<=4")))
    request = recordings.asked(selector="mpich-5.0", rules=path)
    assert messages(Call("bcast", 1_000_000, 4), request)[0] == "binomial_halving"
    assert messages(Call("bcast", 1_000_000, 8), request)[0] == "scatter_ring_allgather"
