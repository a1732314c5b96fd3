# SPDX-License-Identifier: BSD-3-Clause
"""What a platform file says, and what its author is told when it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from orrery.errors import InputError
from orrery.platform.find import BUILTIN, builtin_names
from orrery.platform.load import load, parse

GRAPHENE = (BUILTIN / "graphene.toml").read_text(encoding="utf-8")
GRID = (BUILTIN / "grid2.toml").read_text(encoding="utf-8")

# What is wrong, and the change of a right file that makes it so.
MISTAKES = {
    "unit that does not exist": GRAPHENE.replace('latency_s = "24us"', 'latency_s = "24 parsecs"'),
    "rate without a unit of time": GRAPHENE.replace('"1Gbit/s"', '"1Gbit"'),
    "text where a number belongs": GRAPHENE.replace("limiter_factor = 1.5", 'limiter_factor = "1.5"'),
    "number where text belongs": GRAPHENE.replace('name = "graphene"', "name = 3", 1),
    "true where a time belongs": GRAPHENE.replace('latency_s = "24us"', "latency_s = true"),
    "part of a core": GRAPHENE.replace("cores = 4", "cores = 4.5"),
    "no nodes": GRAPHENE.replace("nodes = 30", "nodes = 0"),
    "factor above its bound": GRAPHENE.replace("limiter_factor = 1.5", "limiter_factor = 3"),
    "negative latency": GRAPHENE.replace('latency_s = "24us"', "latency_s = -1.0"),
    "infinite rate": GRAPHENE.replace('"1Gbit/s"', "inf"),
    "misspelt key": GRAPHENE.replace("memory_latency_s", "memory_latncy_s"),
    "unknown table": GRAPHENE + "\n[netwrok]\n",
    "misspelt choice": GRAPHENE.replace('"detached"', '"detatched"'),
    "missing key": GRAPHENE.replace("cores = 4", ""),
    "table where a list belongs": 'name = "x"\ncluster = 3\n',
    "empty file": "",
    "no regimes": GRAPHENE.split("[network]")[0] + "[network]\nbetween_nodes = []\ninside_node = []\n",
    "regimes out of order": GRAPHENE.replace("end_bytes = 10001", "end_bytes = 1001"),
    "last regime with an end": GRAPHENE.replace(
        'protocol = "synchronous"', 'protocol = "synchronous"\nend_bytes = 500000', 1
    ),
    "regime without an end": GRAPHENE.replace("end_bytes = 10001", ""),
    "overhead that becomes negative": GRAPHENE.replace("-4.82025737428887e-11", "-4.82025737428887e-09"),
    "nodes twice": GRAPHENE.replace("cores = 4", "cores = 4\nnodes = 144"),
    "no nodes at all": GRID.replace("nodes = 16\n", "", 1),
    "same name twice": GRID.replace('name = "rennes"', 'name = "orsay"'),
    "link to a stranger": GRID.replace('to = "rennes"', 'to = "rene"'),
    "cluster without a link": GRID.split("[[wan]]")[0] + "[[network" + GRID.split("[[network", 1)[1],
    "link to itself": GRID.replace('from = "orsay"', 'from = "rennes"'),
    "cores that sockets cannot share": GRID.replace("sockets = 2", "sockets = 3", 1),
    "site of one cluster only": GRID.replace('site = "Rennes"\n', ""),
    "storage without servers": GRAPHENE.replace("servers = 1", "servers = 0"),
    "model without parameters": GRID.replace('model = "hybrid"', 'model = "loggps"'),
}


def _complaint(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(str(path))
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def test_each_mistake_is_told_with_place_cause_and_cure(tmp_path: Path, approved: Callable[[str, str], None]) -> None:
    told = {what: _complaint(tmp_path, text) for what, text in MISTAKES.items()}
    approved("platform-mistakes.txt", "".join(f"{what}:\n    {message}\n" for what, message in told.items()))


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('name = "p"\n[[cluster]]\nname = "c"\n[[network.between_nodes]]\nprotocol = "asynchronous"\n')
    with pytest.raises(InputError) as refused:
        load(str(file))
    said = str(refused.value)
    assert "more)" not in said
    for key in ("cluster[0].cores", "cluster[0].memory_bandwidth_bytes_per_s", "network.inside_node"):
        assert key in said, said
    file.write_text('name = "p"\n' + '[[cluster]]\nname = "c"\n' * 9)
    with pytest.raises(InputError, match=r"; also missing: (?:[\w.\[\]]+, ){9}[\w.\[\]]+ and \d+ more$"):
        load(str(file))


def test_too_many_tables_are_refused_before_what_is_wrong_in_each(tmp_path: Path) -> None:
    # Found by a fuzzer: 24,787 tables with nothing in them took 94 MiB for their mistakes.
    told = _complaint(tmp_path, GRAPHENE + "[[wan]]\n" * 16_385)
    assert told.endswith("wan[16384]: there are 16,385 of them; expected at most 16,384")
    told = _complaint(tmp_path, GRAPHENE + "[[cluster]]\nname = 1\n" * 256)
    assert told.endswith("cluster[256]: there are 257 of them; expected at most 256")


def test_a_value_that_is_no_text_where_a_word_is_expected_is_told(tmp_path: Path) -> None:
    # Found by a fuzzer: the nearest word was looked for.
    for value in ("1.5", "[]", "{}"):
        told = _complaint(tmp_path, GRAPHENE.replace('protocol = "asynchronous"', f"protocol = {value}", 1))
        assert re.search(r'network\.\w+\[0\]\.protocol.*: expected "asynchronous"', told)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GRAPHENE.replace("cores = 4", "cores ="), 21),
        ('name = "x', 1),
        ('name = "x"\n[network', 2),
        ('name = "x"\nname = "y"\n', 2),
    ],
)
def test_what_is_not_toml_is_told_with_line_and_column(tmp_path: Path, text: str, line: int) -> None:
    assert re.match(rf"mine\.toml:{line}:[1-9]\d*: not TOML: [a-z]", _complaint(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('name = "x\\necho run\\n#"', r'a.toml:1: name = "x\necho run\n#": expected one line of printable characters'),
        (
            'source = "\\u001b[2J\\u202e"',
            r'a.toml:1: source = "\x1b[2J\u202e": expected one line of printable characters',
        ),
        ('"a\\u0007b" = 1', r'a.toml: a\x07b = "a\x07b": expected one line of printable characters'),
    ],
)
def test_words_are_single_lines_of_printable_characters(tmp_path: Path, line: str, said: str) -> None:
    """They end up in files that a shell reads, and on terminals."""
    with pytest.raises(InputError) as refused:
        parse(tmp_path / "a.toml", f"{line}\n")
    assert str(refused.value) == f"{tmp_path}/{said}"


def test_a_name_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(InputError, match=r'did you mean "graphene"\? \(built in: .*default, .*graphene, grid2'):
        load("grafene")


def test_a_file_that_does_not_exist_is_told() -> None:
    with pytest.raises(InputError, match=r"^platform nowhere/x\.toml: no such file; `orrery platform list`"):
        load("nowhere/x.toml")


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_platform_says_where_its_parameters_come_from(name: str) -> None:
    platform = load(name)
    assert platform.name == name
    assert platform.description
    assert any(word in platform.source for word in ("measured", "published")), platform.source


def test_graphene_is_that_of_the_paper() -> None:
    platform = load("graphene")
    (cluster,) = platform.clusters
    assert [cabinet.nodes for cabinet in cluster.cabinets] == [39, 35, 30, 40]
    assert len(platform.cores_of_hosts()) == 144
    assert cluster.limiter_factor == 1.5
    assert platform.network is not None
    # k <= 1,420, 10,000, 65,536 = S_a, 327,680 = S_d; an end is the first size that no longer belongs to its regime.
    assert [regime.end_bytes for regime in platform.network.between_nodes] == [1421, 10001, 65537, 327681, None]
    assert [regime.protocol for regime in platform.network.between_nodes] == [
        *3 * ["asynchronous"],
        "detached",
        "synchronous",
    ]


def test_numbers_and_texts_with_units_are_the_same(tmp_path: Path) -> None:
    plain = GRAPHENE.replace('"24us"', "24e-6").replace('"1Gbit/s"', "1.25e8").replace('"1.5us"', "1.5e-6")
    path = tmp_path / "plain.toml"
    path.write_text(plain, encoding="utf-8")
    assert load(str(path)) == load("graphene")


def test_the_loggps_parameters_of_graphene_follow_from_the_hybrid_ones() -> None:
    platform = load("graphene")
    assert platform.network is not None
    assert platform.loggps is not None
    small, large, loggps = (
        platform.network.between_nodes[0],
        platform.network.between_nodes[-1],
        platform.loggps.between_nodes,
    )
    rate = platform.clusters[0].bandwidth_bytes_per_s
    assert loggps.latency_s == pytest.approx(small.latency_factor * 2 * platform.clusters[0].latency_s)
    assert loggps.overhead_s == pytest.approx((small.send_overhead_s + small.recv_overhead_s) / 2)
    assert loggps.gap_s_per_byte_short == pytest.approx(1 / (small.bandwidth_factor * rate))
    assert loggps.gap_s_per_byte == pytest.approx(1 / (large.bandwidth_factor * rate))
    assert loggps.short_limit_bytes == small.end_bytes
    assert loggps.sync_threshold_bytes == 327_680
