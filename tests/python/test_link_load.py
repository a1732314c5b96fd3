# SPDX-License-Identifier: BSD-3-Clause
"""What links carried: sums that follow from the messages, the same times as without, and a picture on the page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import PLAIN
from harness import Sandbox
from orrery.experiment.link_load import LinkLoad, WantedLinkLoad
from orrery.page.parts import Fabric, Table
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.report.drawing.links import LinkNumbers, PlacedLink
from orrery.report.pages import fabric
from orrery.report.pages.fabric import LinkUsage, fabric_parts
from test_topologies import FLY, GRAPH, TORUS, TREE

# Each of four ranks sends a megabyte to either neighbour, three times: 2 MB, twice its node's link for 1 ms, each time.
HALO = 'ranks = 4\nsteps = 3\n[[phase]]\nkind = "halo"\ndimensions = 1\nbytes = 1000000\n'
ALL_TO_ALL = 'ranks = {ranks}\n[[phase]]\nkind = "alltoall"\nbytes = 20000\n'


def _loads(folder: Path, workload: str, platform: str, **more: Any) -> LinkLoad:
    path = folder / "workload.toml"
    path.write_text(workload, encoding="utf-8")
    wanted = WantedLinkLoad()
    record = replay(ReplaySettings.of([path], platform=platform, links=wanted, **more))
    assert record.end == "completed"
    assert wanted.found is not None
    return wanted.found


def _usage(folder: Path, workload: str, platform: str, **more: Any) -> LinkUsage:
    found = _loads(folder, workload, platform, **more)
    assert found.load is not None
    return LinkUsage.of(found, found.load)


def _file(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def _picture(found: LinkLoad) -> Fabric:
    part = next(fabric_parts(found))
    assert isinstance(part, Fabric)
    return part


def _document(page: Path) -> tuple[dict[str, Any], bytes]:
    """What a page carries: its document, and the bytes behind it."""
    found = re.search('id="data">([^<]*)<', page.read_text(encoding="utf-8"))
    assert found is not None
    whole = gzip.decompress(base64.b64decode(found[1]))
    (size,) = struct.unpack_from("<I", whole)
    return json.loads(whole[4 : 4 + size]), whole[4 + size :]


def _numbers(column: dict[str, Any], data: bytes) -> np.ndarray[Any, Any]:
    kind: np.dtype[Any] = np.dtype({"u32": "<u4", "f64": "<f8"}[column["type"]])
    part = np.frombuffer(data, np.uint8, column["count"] * kind.itemsize, column["at"])
    return np.ascontiguousarray(part.reshape(kind.itemsize, -1).T).reshape(-1).view(kind)


def test_links_carry_the_bytes_of_the_messages(tmp_path: Path, plain: str) -> None:
    usage = _usage(tmp_path, HALO, plain)
    sums = dict(zip([link.name for link in usage.links], usage.bytes.sum(axis=1), strict=True))
    assert set(sums) == {f"plain-{i}/{way}" for i in range(1, 5) for way in ("up", "down")}
    assert list(sums.values()) == pytest.approx([6e6] * 8, rel=1e-12)
    # 6 MB at 1 GB/s take 6 ms of 6 ms and three latencies of 1 us.
    assert usage.end_s == pytest.approx(6.003e-3)
    assert usage.mean == pytest.approx(6 / 6.003)
    assert usage.shares.max() <= 1 + 1e-9


@pytest.mark.parametrize("platform", ["graphene", "grid2", "default"])
def test_times_are_the_same_to_the_last_bit_with_and_without(tmp_path: Path, platform: str) -> None:
    path = tmp_path / "workload.toml"
    path.write_text(ALL_TO_ALL.format(ranks=24), encoding="utf-8")
    wanted = WantedLinkLoad()
    plain = replay(ReplaySettings.of([path], platform=platform, mapping="node"))
    kept = replay(ReplaySettings.of([path], platform=platform, mapping="node", links=wanted))
    assert (plain.simulated_s, plain.events, plain.profile) == (kept.simulated_s, kept.events, kept.profile)
    assert wanted.found is not None
    assert wanted.found.load is not None
    assert len(wanted.found.load.numbers) > 0


def test_a_page_has_the_load_of_links_of_its_run(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "run", "-n", "4", "-p", "graphene", "--map", "node", "--report", "it.html", sandbox.program("ring")
    )
    assert ended.code == 0, ended.err
    document, data = _document(sandbox.folder / "it.html")
    part = next(part for part in document["parts"] if part["kind"] == "fabric")
    assert part["title"] == "Load of links"
    carried = _numbers(part["bytes"], data).reshape(len(part["links"]), part["buckets"])
    assert carried.sum(axis=1).min() > 0
    up = [link["name"].endswith("/up") for link in part["links"]]
    assert sum(up) == 4
    drawn = {int(n) for numbers in re.findall('data-link="([^"]*)"', part["svg"]) for n in numbers.split()}
    inside = {i for i, link in enumerate(part["links"]) if link["name"].endswith("/memory")}
    assert drawn == set(range(len(part["links"]))) - inside
    table = next(part for part in document["parts"] if part["title"] == "Busiest links")
    assert len(table["rows"]) == len(part["links"])
    assert part["end_ns"] <= part["buckets"] * part["bucket_ns"]


def test_of_several_runs_the_load_is_that_of_the_one_that_is_shown(sandbox: Sandbox) -> None:
    options = ("--repeat", "3", "--compute", "none", "--report", "it.html", "-o", "run.json")
    ended = sandbox.orrery("run", "-n", "4", "-p", "graphene", "--map", "node", *options, sandbox.program("ring"))
    assert ended.code == 0, ended.err
    document, _ = _document(sandbox.folder / "it.html")
    part = next(part for part in document["parts"] if part["kind"] == "fabric")
    assert part["end_ns"] == pytest.approx(ended.record["simulated_s"] * 1e9, abs=1)


def test_a_model_without_links_has_no_picture_and_says_so(sandbox: Sandbox) -> None:
    (sandbox.folder / "workload.toml").write_text(HALO, encoding="utf-8")
    ended = sandbox.orrery("replay", "workload.toml", "-p", "graphene", "--ideal", "--report", "it.html")
    assert ended.code == 0, ended.err
    page = sandbox.folder / "it.html"
    assert "has no links" in page.read_text(encoding="utf-8")
    assert not [part for part in _document(page)[0]["parts"] if part["kind"] == "fabric"]


@pytest.mark.parametrize("text", [TREE, TORUS, FLY, GRAPH])
def test_every_link_that_carried_something_is_drawn(tmp_path: Path, text: str) -> None:
    ranks = 3 if text is GRAPH else 8
    found = _loads(tmp_path, ALL_TO_ALL.format(ranks=ranks), _file(tmp_path, text), mapping="node")
    part, table = fabric_parts(found)
    assert isinstance(part, Fabric)
    assert isinstance(table, Table)
    assert "not drawn" not in (part.note or "")
    drawn = {int(n) for numbers in re.findall('data-link="([^"]*)"', part.svg) for n in numbers.split()}
    assert drawn == set(range(len(part.links)))


def test_uplinks_of_cabinets_are_drawn(tmp_path: Path) -> None:
    cabinets = '\n[[cluster.cabinet]]\nnodes = 2\nuplink_bytes_per_s = "2GB/s"\nlimiter_bytes_per_s = "3GB/s"\n' * 2
    platform = PLAIN.replace("nodes = 64\n", "") + cabinets
    part = _picture(_loads(tmp_path, ALL_TO_ALL.format(ranks=4), _file(tmp_path, platform)))
    names = [link.name for link in part.links]
    for name in ("up", "down", "limiter"):
        number = names.index(f"plain/plain-cabinet-1/{name}")
        assert re.search(rf'data-link="([0-9 ]+ )?{number}[" ]', part.svg), name


def test_of_a_platform_too_large_to_draw_the_rest_is_counted_and_the_busiest_named(tmp_path: Path) -> None:
    large = TORUS.replace("[4, 3]", "[40, 40]")
    workload = 'ranks = 1600\n[[phase]]\nkind = "random"\nmessages = 1\nbytes = 1000\n'
    part = _picture(_loads(tmp_path, workload, _file(tmp_path, large), mapping="node"))
    found = re.search(
        r"([\d,]+) links that carried something are not drawn; the busiest of them is c/", part.note or ""
    )
    assert found is not None


def test_of_very_many_links_a_page_has_those_that_carried_most(
    tmp_path: Path, plain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload = 'ranks = 2\n[[phase]]\nkind = "halo"\ndimensions = 1\nperiodic = false\nbytes = 1000\n'
    monkeypatch.setattr(fabric, "_MOST_LINKS", 3)
    part = _picture(_loads(tmp_path, workload, plain))
    assert len(part.links) == 3
    assert "The 3 links that carried most; 1 that carried less are left out." in (part.note or "")


def test_buckets_are_joined_until_they_fit(tmp_path: Path, plain: str) -> None:
    usage = _usage(tmp_path, HALO, plain)
    bucket_ns, carried = usage.joined(usage.bytes.size - 1)
    assert bucket_ns == 2 * usage.bucket_ns
    assert carried.sum(axis=1) == pytest.approx(usage.bytes.sum(axis=1))
    assert carried[:, 0] == pytest.approx(usage.bytes[:, 0] + usage.bytes[:, 1])


def test_numbers_of_links_are_found_by_where_they_are() -> None:
    numbers = LinkNumbers(
        [
            PlacedLink(name="c/up", ends=("a", "b")),
            PlacedLink(name="n1/up", node="n1"),
            PlacedLink(name="c/down", ends=("b", "a")),
            PlacedLink(name="elsewhere"),
        ]
    )
    assert numbers.between("b", "a") == [0, 2]
    assert numbers.of_nodes(["n1", "n2"]) == [1]
    assert numbers.named("elsewhere", "nowhere") == [3]
    assert numbers.drawn == {0, 1, 2, 3}
