# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's XML becomes a platform with the same routes; the files here are our own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import ORRERY
from orrery import _core
from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.load import load
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.convert import convert

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'

CLUSTERS = (
    HEAD
    + """<zone id="world" routing="Full">
 <cluster id="one" prefix="a" suffix=".x" radical="0-2,7" speed="2Gf" core="4" bw="1GBps" lat="10us"
          bb_bw="4GBps" bb_lat="100us"/>
 <cluster id="two" prefix="b" suffix="" radical="0-1" speed="1Gf" bw="2GBps" lat="20us" sharing_policy="SHARED"
          limiter_link="3GBps" router_id="rb" loopback_bw="5GBps" loopback_lat="1us"/>
 <link id="wan" bandwidth="100Mbps" latency="5ms" sharing_policy="FATPIPE"/>
 <zoneRoute src="one" dst="two" gw_src="aone_router.x" gw_dst="rb"><link_ctn id="wan"/></zoneRoute>
</zone></platform>"""
)
RING = (
    HEAD
    + """<zone id="world" routing="Floyd">
 <host id="a" speed="1Gf"><prop id="colour" value="red"/></host><host id="b" speed="500Mf,1Mf"/>
 <host id="c" speed="1Gf" speed_file="c.profile"/>
 <router id="r"/>
 <link id="ar" bandwidth="1GBps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
 <link id="br" bandwidth="1GBps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
 <link id="bc" bandwidth="2GBps" latency="1ms"/><link id="cr" bandwidth="3GBps" latency="1ms"/>
 <route src="a" dst="r"><link_ctn id="ar" direction="UP"/></route>
 <route src="r" dst="b"><link_ctn id="br_DOWN"/></route>
 <route src="b" dst="c"><link_ctn id="bc"/></route>
 <route src="c" dst="r" symmetrical="NO"><link_ctn id="cr"/></route>
 <route src="b" dst="b"><link_ctn id="bc"/></route>
</zone></platform>"""
)


PEERS = (
    HEAD
    + """<zone id="world" routing="Vivaldi">
 <peer id="a" coordinates="0 0 1" speed="1Gf" bw_in="1GBps" bw_out="2GBps"/>
 <peer id="b" coordinates="3 4 2" speed="1Gf" bw_in="3GBps" bw_out="4GBps"/>
</zone></platform>"""
)
ZONES = (
    HEAD
    + """<zone id="world" routing="Full">
 <zone id="x" routing="Full"><host id="a" speed="1Gf"/></zone><zone id="y" routing="Full"><host id="b" speed="1Gf"/></zone>
 <link id="usual" bandwidth="1GBps" latency="1ms"/><link id="other" bandwidth="2GBps" latency="2ms"/>
 <zoneRoute src="x" dst="y" gw_src="a" gw_dst="b"><link_ctn id="usual"/></zoneRoute>
 <bypassZoneRoute src="x" dst="y" gw_src="a" gw_dst="b"><link_ctn id="other"/></bypassZoneRoute>
 <zone id="apart" routing="Full"/>
</zone></platform>"""
)


def _cluster(attributes: str) -> str:
    return f'{HEAD}<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" speed="1Gf" {attributes}/></zone></platform>'


def _platform(folder: Path, xml: str) -> _core.Platform:
    file = folder / "theirs.xml"
    file.write_text(xml, encoding="utf-8")
    ours = folder / "ours.toml"
    ours.write_text(convert(file, "ours", None).toml, encoding="utf-8")
    return core.build(load(str(ours)).model_dump())


def _names(hardware: _core.Platform, source: str, target: str) -> list[str]:
    number = {host.name: index for index, host in enumerate(hardware.hosts)}
    links = hardware.links
    found = hardware.route(number[source], number[target]).links
    return [links[link].name.partition("/")[2] for link in found]


def test_clusters_joined_by_a_link_keep_backbone_limiters_and_host_names(tmp_path: Path) -> None:
    hardware = _platform(tmp_path, CLUSTERS)
    assert [host.name for host in hardware.hosts] == ["a0.x", "a1.x", "a2.x", "a7.x", "b0", "b1"]
    assert [host.cores for host in hardware.hosts] == [4, 4, 4, 4, 1, 1]
    assert [host.speed for host in hardware.hosts] == [1, 1, 1, 1, 0.5, 0.5]  # the fastest is this host
    assert _names(hardware, "a0.x", "a7.x") == ["one_link_0:up", "one_backbone", "one_link_7:down"]
    there = ["one_link_1:up", "one_backbone", "wan", "two_link_0", "two_link_0_limiter"]
    assert _names(hardware, "a1.x", "b0") == there
    assert _names(hardware, "b0", "a1.x") == [
        "two_link_0_limiter",
        "two_link_0",
        "wan",
        "one_backbone",
        "one_link_1:down",
    ]
    assert hardware.route(1, 4).latency_s == pytest.approx(10e-6 + 100e-6 + 5e-3 + 20e-6)
    assert hardware.route(1, 4).bandwidth_bytes_per_s == 12.5e6  # 100 Mb/s
    assert hardware.route(0, 0).bandwidth_bytes_per_s == 5e9
    shared = {link.name: link.shared for link in hardware.links}
    assert not shared["theirs/wan"]
    assert shared["theirs/two_link_0"]


def test_routes_are_the_shortest_and_directions_are_kept(tmp_path: Path) -> None:
    hardware = _platform(tmp_path, RING)
    assert _names(hardware, "a", "b") == ["ar:up", "br:down"]
    assert _names(hardware, "b", "a") == ["br:up", "ar:down"]
    assert _names(hardware, "c", "a") == ["cr", "ar:down"]
    assert _names(hardware, "a", "c") == ["ar:up", "br:down", "bc"]  # the cable from c to r has one direction


def test_what_has_no_word_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ring.xml"
    file.write_text(RING, encoding="utf-8")
    converted = convert(file, "ring", 2e9)
    assert converted.left_out == {"properties": 1, "profiles over time": 1}
    assert "# Left out: profiles over time (1 times)." in converted.toml
    assert "speed = 0.5" in converted.toml  # 1 Gflop/s, where this host does 2


def test_one_cluster_stays_a_cluster(tmp_path: Path) -> None:
    star = _platform(tmp_path, _cluster('radical="0-9999" bw="1GBps" lat="1us" bb_bw="9GBps" bb_lat="2us"'))
    assert len(star.hosts) == 10000
    assert star.route(0, 1).latency_s == pytest.approx(4e-6)
    half = _platform(tmp_path, _cluster('radical="5-6" bw="1GBps" lat="1us" sharing_policy="SHARED"'))
    assert [link.bandwidth_bytes_per_s for link in half.links if link.name == "n5/limiter"] == [1e9]


def test_topologies_of_clusters_are_ours(tmp_path: Path) -> None:
    size = 'bw="1GBps" lat="1us"'
    tree = _platform(tmp_path, _cluster(f'radical="0-15" {size} topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"'))
    assert tree.link_count == 16 * 3 + 2 * 4 * 4  # nodes, and from four leaves two cables to each of two switches
    torus = _platform(tmp_path, _cluster(f'radical="0-14" {size} topology="TORUS" topo_parameters="5,3"'))
    assert torus.route(0, 2).latency_s == pytest.approx(2e-6)  # two steps, and no link of the node's own
    fly = _cluster(f'radical="0-119" {size} topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2"')
    assert _platform(tmp_path, fly).switch_count == 3 * 4 * 5


def test_peers_are_as_far_from_each_other_as_their_coordinates_say(tmp_path: Path) -> None:
    hardware = _platform(tmp_path, PEERS)
    # 5 ms in the plane, 1 ms and 2 ms above it; out of a at 2 GB/s into b at 3 GB/s, back out at 4 and in at 1.
    assert [hardware.route(*ends).latency_s for ends in ((0, 1), (1, 0))] == pytest.approx([8e-3, 8e-3])
    assert [hardware.route(*ends).bandwidth_bytes_per_s for ends in ((0, 1), (1, 0))] == [2e9, 1e9]


def test_a_bypass_stands_for_the_route_of_its_zones_in_its_direction(tmp_path: Path) -> None:
    hardware = _platform(tmp_path, ZONES)
    assert _names(hardware, "a", "b") == ["other"]
    assert _names(hardware, "b", "a") == ["usual"]


def test_one_zone_can_be_taken_out_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "clusters.xml"
    file.write_text(CLUSTERS, encoding="utf-8")
    alone = convert(file, "one", None, zone="two")
    assert 'name = "b1"' in alone.toml
    assert "a0.x" not in alone.toml
    with pytest.raises(InputError, match='no zone "three"; there are: world, one, two'):
        convert(file, "one", None, zone="three")


REFUSED = {
    "a file that is none": ("<adag/>", r":1: begins with <adag>, expected a <platform>"),
    "no XML": ("<platform", r":1: not XML: "),
    "an old version": ('<platform version="3"/>', r'version "3", expected 4.1'),
    "an unknown routing": (HEAD + '<zone id="z" routing="Ring"/></platform>', r':4: <zone id="z">: routing "Ring" is not'),
    "coordinates": (PEERS.replace("0 0 1", "0 0"), r'<peer id="a">: coordinates "0 0": expected three numbers'),
    "stations": (HEAD + '<zone id="z" routing="Wifi"/></platform>', r"rates of wireless stations are set by programs"),
    "wireless": (RING.replace('sharing_policy="SPLITDUPLEX"', 'sharing_policy="WIFI"', 1), r'"WIFI" is not supported'),
    "no unit": (RING.replace('"1GBps"', '"1Gb"', 1), r':8: <link id="ar">: bandwidth: "1Gb" is no rate'),
    "an unknown link": (RING.replace('link_ctn id="bc"', 'link_ctn id="xx"', 1), r'<link_ctn id="xx">: no link of this name'),
    "an unknown host": (RING.replace('dst="c"', 'dst="d"', 1), r'a route leads to "d", which is no host'),
    "a link without a direction": (RING.replace(' direction="UP"', ""), r'needs direction="UP" or "DOWN"'),
    "no hosts": (HEAD + '<zone id="z" routing="Full"/></platform>', r"has no hosts"),
    "hosts without routes": (HEAD + '<zone id="z" routing="Full"><host id="a" speed="1f"/><host id="b" speed="1f"/></zone>'
                             "</platform>", r'no edges lead from "a" to "b"'),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_converted_is_refused_by_name(tmp_path: Path, what: str) -> None:
    xml, told = REFUSED[what]
    with pytest.raises(InputError, match=told) as caught:
        _platform(tmp_path, xml)
    assert "\n" not in str(caught.value)


def test_a_file_that_says_too_little_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "apart.xml").write_text(REFUSED["hosts without routes"][0], encoding="utf-8")
    command = [str(ORRERY), "platform", "import", "apart.xml", "-o", "apart.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "apart.xml: says too little for MPI" in done.stderr
    assert not (tmp_path / "apart.toml").exists()


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("1GBps", encoding="utf-8")
    bomb = f'<!DOCTYPE platform [<!ENTITY x SYSTEM "file://{secret}">]><platform version="4.1">&x;</platform>'
    with pytest.raises(InputError, match="no hosts"):
        _platform(tmp_path, bomb)


def test_numbers_are_read_with_simgrids_units() -> None:
    assert quantities.bytes_per_second("41.28MBps") == 41.28e6
    assert quantities.bytes_per_second("1Gbps") == 125e6
    assert quantities.bytes_per_second("1KiBps") == 1024
    assert quantities.seconds("59.9us") == pytest.approx(59.9e-6)
    assert quantities.flops_per_second("98.095Mf,1f") == pytest.approx(98.095e6)
    assert quantities.radical("0-2,7", 4) == [0, 1, 2, 7]


@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ('radical="0-999999999999"', "more than 1,048,576 hosts are too many"),
        (f'radical="0-{"9" * 5000}"', "a number is too long"),
        ('radical="5-2"', "no list of numbers"),
        ('radical="0-1" core="inf"', 'core: "inf" is no count'),
        ('radical="0-1" core="nan"', 'core: "nan" is no count'),
        (f'radical="0-1" topology="TORUS" topo_parameters="{"9" * 400}"', "expected numbers"),
    ],
)
def test_clusters_that_no_memory_would_hold_are_refused(tmp_path: Path, attributes: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        _platform(tmp_path, _cluster(f'{attributes} bw="1GBps" lat="1us"'))


def test_hosts_of_all_clusters_are_counted(tmp_path: Path) -> None:
    rest = 'suffix="" speed="1Gf" bw="1GBps" lat="1us"'
    two = f'<cluster id="a" prefix="a" radical="0-1" {rest}/><cluster id="b" prefix="b" radical="0-1048574" {rest}/>'
    with pytest.raises(InputError, match="more than 1,048,574 hosts are too many"):
        _platform(tmp_path, f'{HEAD}<zone id="w" routing="Full">{two}</zone></platform>')


def test_the_command_writes_a_file_and_draws_it(tmp_path: Path) -> None:
    (tmp_path / "ring.xml").write_text(RING, encoding="utf-8")
    commands = [["import", "ring.xml", "-o", "ring.toml"], ["show", "ring.toml", "-o", "ring.svg"]]
    done = [
        subprocess.run([ORRERY, "platform", *command], cwd=tmp_path, capture_output=True, text=True, check=True)
        for command in commands
    ]
    assert "3 hosts" in done[0].stderr
    assert (tmp_path / "ring.svg").read_text(encoding="utf-8").startswith("<svg")


def test_hosts_without_speed_are_refused(tmp_path: Path) -> None:
    xml = '<platform version="4.1"><zone id="z" routing="Floyd"><host id="h" speed="0Gf"/></zone></platform>'
    with pytest.raises(InputError, match="its hosts have the speed 0"):
        _platform(tmp_path, xml)
