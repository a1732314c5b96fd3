# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of Open MPI's are read, and lead to the messages that the library sends with the same file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recordings
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.messages import messages
from orrery.collective.openmpi_classic import read_classic
from orrery.collective.openmpi_rules import ALGORITHMS, UNLIMITED, OpenMpiRule, OpenMpiRuleSet
from orrery.collective.rules_file import read_rules
from orrery.errors import InputError

RULES = recordings.DATA / "openmpi-rules.conf"


@pytest.mark.parametrize(("version", "selector"), [("4.1.4", "openmpi-4.1"), ("5.0.11", "openmpi-5.0")])
def test_calls_send_what_open_mpi_was_recorded_to_send_with_the_same_rules(version: str, selector: str) -> None:
    name = f"openmpi-{version}/rules-sequence.csv.gz"
    assert len(recordings.sequences(name)) == 325
    assert recordings.different(name, selector=selector, rules=RULES) == []


def as_json(sets: tuple[OpenMpiRuleSet, ...]) -> dict[str, Any]:
    """The rules in format 3."""
    collectives: dict[str, list[dict[str, Any]]] = {}
    for rule_set in sets:
        rules = [
            {
                "msg_size_min": rule.bytes_from,
                "msg_size_max": "inf" if rule.bytes_to == UNLIMITED else rule.bytes_to,
                "alg": rule.algorithm or 0,
                "faninout": rule.faninout,
                "seg_size": rule.segment,
            }
            for rule in rule_set.rules
        ]
        fitting = {"comm_size_min": rule_set.size_from, "comm_size_max": rule_set.size_to, "rules": rules}
        collectives.setdefault(rule_set.collective, []).append(fitting)
    return {"rule_file_version": 3, "module": "tuned", "collectives": collectives}


def test_the_same_rules_in_json_lead_to_the_same_messages(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(as_json(read_classic(RULES, RULES.read_text()))))
    assert recordings.different("openmpi-5.0.11/rules-sequence.csv.gz", selector="openmpi-5.0", rules=path) == []


def test_every_algorithm_that_files_can_name_is_known() -> None:
    for collective, names in ALGORITHMS.items():
        for name in names:
            _core.DynamicRules(collective, 0, 10, [(0, 10, name, 0, 0)])


def test_version_2_may_limit_the_requests_and_numbers_may_be_hexadecimal(tmp_path: Path) -> None:
    path = tmp_path / "rules.conf"
    path.write_text("rule-file-version-2\n1 # collectives\n3\n1\n0x10\n2\n0 4 0 0 8\n1024 2 0 0\n")
    (found,) = read_classic(path, path.read_text())
    assert (found.collective, found.size_from) == ("alltoall", 0)
    assert found.rules == (
        OpenMpiRule(bytes_from=1024, algorithm="pairwise"),
        OpenMpiRule(bytes_from=0, algorithm="linear_sync", requests=8),
    )


def test_json_rules_need_not_cover_all_sizes(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    rules = [{"msg_size_min": 100, "msg_size_max": 200, "alg": "ring"}]
    path.write_text(json.dumps({"collectives": {"allreduce": [{"comm_size_min": 4, "rules": rules}]}}))
    selector = _core.Selector("openmpi-5.0", "", read_rules(path).openmpi)
    chosen = {
        (ranks, size): selector.choose(Call("allreduce", size, ranks).core(0)).algorithm
        for ranks in (2, 4)
        for size in (96, 104, 208)
    }
    assert chosen[4, 104] == "ring"
    assert chosen[4, 96] == chosen[4, 208] == "recursive_doubling"
    assert chosen[2, 104] == "recursive_doubling"


CLASSIC_MISTAKES = [
    (
        "1\n7\n1\n4\n2\n0 1 0 0\n",
        ":5: 2 message sizes are declared here, but 1 follow; what was read with it does not fit in line 6",
    ),
    ("1\n7\n1\n4\n1\n0 1 0 0\n8 1 0 0\n", ":5: 1 message sizes are declared here, but 2 follow; "),
    ("1\n7\n2\n4\n1\n0 1 0 0\n", ":3: 2 communicator sizes are declared here, but 1 follow; "),
    ("2\n7\n1\n4\n1\n0 1 0 0\n", ":1: 2 collectives are declared here, but 1 follow; "),
    ("1 7 1 4 2 0 1 0 0", ":1: the file ends where a message size should follow"),
    (
        "1\n7\n1\n4\n1\n0 11 0 0\n",
        ":6: bcast has no algorithm 11; there are: 0 Open MPI's own decision, 1 basic_linear",
    ),
    ("1\n10\n1\n4\n1\n0 1 0 0\n", ":6: Open MPI has no algorithms of gatherv to choose from"),
    ("1\n44\n", ":2: there is no collective 44; there are: 0 allgather"),
    ("1\n7\n1\n4\n1\n8 1 0 0\n", ":6: the first message size is 8; Open MPI wants a rule for size 0 first"),
    ("1\n7\n1\n4\n2\n0 1 0 0\n0 2 0 0\n", ":7: message size 0 after 0: sizes must increase"),
    ("1\n7\n2\n4\n1\n0 1 0 0\n4\n", ":7: communicator size 4 after 4: sizes must increase"),
    ("one\n", ':1: "one", expected the number of collectives, a whole number'),
    ("1\n7\n1\n4\n1\n0 1 0 0\n5\n", ':7: "5" follows after the last rule'),
    ("1\n7\n1\n-4\n", ":4: -4, expected a communicator size, which is not below 0"),
    ("", ":1: the file ends where the number of collectives should follow"),
    ("1\n7\n1\n4294967296\n", ":4: 4294967296, expected a communicator size, which is at most 2147483647"),
    ("1\n7\n1\n4\n1\n0 1 0 " + "9" * 20, ":6: 99999999999999999999, expected a segment size, which is at most 9223"),
    ("1\n7\n1\n4\n1\n0 1 3000000000 0", ":6: 3000000000, expected fan-in/out, which is at most 2147483647"),
    ("9" * 5000, ":1: " + "9" * 64 + ", expected the number of collectives, which is at most"),
    ("rule-file-version-" + "9" * 5000, ':1: "rule-file-version-999'),
]


@pytest.mark.parametrize(("text", "said"), CLASSIC_MISTAKES)
def test_a_mistake_in_a_classic_file_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rules.conf"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_rules(path)
    assert str(error.value).startswith(f"{path}{said}")


def communicator(**members: object) -> dict[str, object]:
    return {"collectives": {"bcast": [members]}}


JSON_MISTAKES = [
    ({"collective": {}}, 'expected at the top "collectives"'),
    ({"collectives": {"broadcast": []}}, 'collectives: unknown key "broadcast"'),
    ({"collectives": {"bcast": {}}}, "collectives.bcast: expected a list, [ ... ]"),
    (communicator(comm_size_min=4), 'collectives.bcast[0]: there is no "rules"'),
    (
        communicator(comm_size_min="four", rules=[]),
        "collectives.bcast[0].comm_size_min: 'four', expected a whole number",
    ),
    (
        communicator(comm_rank_distribution=1, rules=[]),
        "collectives.bcast[0].comm_rank_distribution: 1, expected one of",
    ),
    (communicator(rules=[{"alg": 1.5}]), "collectives.bcast[0].rules[0].alg: 1.5, expected the name or the number"),
    (communicator(rules=[{}]), 'collectives.bcast[0].rules[0]: there is no "alg"'),
    (communicator(rules=[{"alg": 1, "reqs": 2**31}]), "rules[0].reqs: 2147483648, expected at most 2147483647"),
    (communicator(rules=[{"alg": 1, "seg_size": 2**63}]), "rules[0].seg_size: 9223372036854775808, expected at most"),
    (communicator(rules=[{"alg": 1, "segsize": 8}]), 'unknown key "segsize", did you mean "seg_size"?'),
]


@pytest.mark.parametrize(("document", "said"), JSON_MISTAKES)
def test_a_mistake_in_a_json_file_is_told_with_its_key(tmp_path: Path, document: dict[str, object], said: str) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        read_rules(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)


def test_what_is_no_json_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{\n "collectives": {,}\n}')
    with pytest.raises(InputError, match=r"rules\.json:2:18: not JSON: "):
        read_rules(path)


def test_a_file_that_is_not_there_is_told_by_its_name() -> None:
    with pytest.raises(InputError, match="/none: No such file or directory; expected a rules file"):
        messages(Call("bcast", 8, 2), recordings.asked(rules=Path("/none")))


def test_a_collective_without_communicator_sizes_has_no_rules(tmp_path: Path) -> None:
    assert read_classic(tmp_path / "rules.conf", "1\n3\n0\n") == ()


COUNT_OFF = """\
1     # number of collectives
2     # allreduce
2     # number of communicator sizes
2     # communicator size
{count}     # number of message sizes
0 2 0 0
8 3 0 0
64 4 0 0
4     # communicator size
1     # number of message sizes
0 2 0 0
"""


def test_a_count_that_is_off_is_told_with_both_counts_and_is_cured_by_the_right_one(tmp_path: Path) -> None:
    path = tmp_path / "rules.conf"
    path.write_text(COUNT_OFF.format(count=4))
    with pytest.raises(InputError, match=r"rules\.conf:5: 4 message sizes are declared here, but 3 follow"):
        read_rules(path)
    path.write_text(COUNT_OFF.format(count=3))
    assert read_rules(path).openmpi


def test_a_comma_behind_the_last_member_is_read_as_open_mpi_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{"collectives": {"allreduce": [{"rules": [{"msg_size_min": 0, "alg": 4,},],},],},}')
    assert choices(path, 4, 64) == "ring"
    path.write_text('{"collectives": {"allreduce": [{"rules": [{"alg": "ring,}"}]}]}}')  # no comma of the document
    assert read_rules(path).remarks[0].startswith(f"{path}: collectives.allreduce[0].rules[0].alg: Open MPI's")


def choices(path: Path, ranks: int, size: int, nodes: list[int] | None = None) -> str:
    """What an allreduce uses with a file."""
    selector = _core.Selector("openmpi-5.0", "", read_rules(path).openmpi)
    places = None if nodes is None else _core.Places.of_nodes(nodes)
    return selector.choose(Call("allreduce", size, ranks).core(0, places)).algorithm


@pytest.mark.parametrize("unknown", [99, -1, "no_such", "99"])
def test_a_json_rule_of_an_unknown_algorithm_is_ignored_with_a_word(tmp_path: Path, unknown: object) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"collectives": {"allreduce": [{"rules": [{"alg": unknown}, {"alg": "ring"}]}]}}))
    assert choices(path, 4, 64) == "ring"
    (remark,) = read_rules(path).remarks
    assert remark.startswith(f"{path}: collectives.allreduce[0].rules[0].alg: ")
    assert remark.endswith("the rule is ignored, as Open MPI does")


@pytest.mark.parametrize("named", [4, "4", "0x4", "ring", "Ring"])
def test_an_algorithm_is_named_by_number_or_by_name_in_any_case(tmp_path: Path, named: object) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"collectives": {"allreduce": [{"rules": [{"alg": named}]}]}}))
    assert choices(path, 4, 64) == "ring"
    assert read_rules(path).remarks == ()


def test_an_algorithm_of_a_newer_release_is_said_not_to_be_simulated(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"collectives": {"allreduce": [{"rules": [{"alg": 7}, {"alg": "basic_linear"}]}]}}))
    assert choices(path, 4, 64) != "basic_linear"  # the rule fits, and leaves the call to Open MPI
    assert "allgather_reduce of allreduce is not simulated" in read_rules(path).remarks[0]


def test_rules_may_be_for_ranks_on_nodes_of_their_own_or_on_one_node(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    sets = [
        {"comm_rank_distribution": "one-per-node", "rules": [{"alg": "ring"}]},
        {"comm_rank_distribution": "single-node", "rules": [{"alg": "basic_linear"}]},
        {"rules": [{"alg": "nonoverlapping"}]},
    ]
    path.write_text(json.dumps({"collectives": {"allreduce": sets}}))
    assert choices(path, 4, 64, [0, 1, 2, 3]) == choices(path, 4, 64) == "ring"
    assert choices(path, 4, 64, [0, 0, 0, 0]) == "basic_linear"
    path.write_text(json.dumps({"comm_rank_distribution": "single-node", "collectives": {"allreduce": [sets[2]]}}))
    assert choices(path, 4, 64, [0, 0, 0, 0]) == "nonoverlapping"
    assert choices(path, 4, 64, [0, 1, 2, 3]) != "nonoverlapping"
    path.write_text(json.dumps({"comm_rank_distribution": "per-node", "collectives": {"allreduce": [sets[2]]}}))
    assert choices(path, 4, 64, [0, 1, 2, 3]) == "nonoverlapping"
    assert '"per-node" is read as "any", as Open MPI does' in read_rules(path).remarks[0]
