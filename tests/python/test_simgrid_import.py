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
from orrery.platform.simgrid.convert import ConvertedPlatform, convert
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings

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


def _converted(folder: Path, xml: str, zone: str = "") -> ConvertedPlatform:
    file = folder / "theirs.xml"
    file.write_text(xml, encoding="utf-8")
    return convert(file, "ours", None, zone)


def _toml(folder: Path, xml: str) -> str:
    return _converted(folder, xml).toml


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
    # Without a loopback a message to the host itself crosses its own link, up and down, and the backbone (SimGrid 4.1).
    assert hardware.route(0, 0).bandwidth_bytes_per_s == 1e9
    assert hardware.route(0, 0).latency_s == pytest.approx(120e-6)
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
    assert converted.left_out.left_out == {
        "properties": 1,
        "profiles over time": 1,
        "speeds of other states (pstate)": 1,
        "loopbacks other than the first": 1,
    }
    assert "# Left out: profiles over time, once." in converted.toml
    assert "speed = 0.5" in converted.toml  # 1 Gflop/s, where this host does 2


def test_one_cluster_stays_a_cluster(tmp_path: Path) -> None:
    star = _platform(tmp_path, _cluster('radical="0-9999" bw="1GBps" lat="1us" bb_bw="9GBps" bb_lat="2us"'))
    assert len(star.hosts) == 10000
    assert star.route(0, 1).latency_s == pytest.approx(4e-6)
    half = _platform(tmp_path, _cluster('radical="5-6" bw="1GBps" lat="1us" sharing_policy="SHARED"'))
    assert [link.bandwidth_bytes_per_s for link in half.links if link.name == "n5/limiter"] == [1e9]


def test_topologies_stay_where_simgrid_has_the_same_routes(tmp_path: Path) -> None:
    size = 'bw="1GBps" lat="1us"'
    tree = _platform(tmp_path, _cluster(f'radical="0-15" {size} topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,1"'))
    assert tree.link_count == 16 * 3 + 2 * 4 * 2  # nodes, and from four leaves a cable to each of two switches
    torus = _platform(tmp_path, _cluster(f'radical="0-14" {size} topology="TORUS" topo_parameters="5,3"'))
    assert torus.route(0, 2).latency_s == pytest.approx(2e-6)  # two steps, and no link of the node's own
    assert torus.switch_count == 15


def test_topologies_with_other_routes_are_graphs_while_they_are_small_and_said_to_differ_when_large(
    tmp_path: Path,
) -> None:
    size = 'bw="1GBps" lat="1us" topology="DRAGONFLY"'
    fly = _cluster(f'radical="0-119" {size} topo_parameters="3,4;4,3;5,1;2" limiter_link="1GBps"')
    assert "dragonfly" not in _toml(tmp_path, fly)
    large = _cluster(f'radical="0-479" {size} topo_parameters="3,4;4,3;5,1;8" limiter_link="1GBps"')
    converted = _converted(tmp_path, large)
    assert "[cluster.dragonfly]" in converted.toml
    assert converted.left_out.left_out["limiters of nodes and switches"] == 1
    assert "which of several cables a message takes" in converted.left_out.left_out


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
    "an old version": ('<platform version="2"/>', r'version "2", expected 3 to 4.1; convert it with .*simgrid_update_xml'),
    "a version to come": ('<platform version="5"/>', r'version "5", expected 3 to 4.1, the newest one'),
    "no version": ("<platform/>", r'version "", expected 3 to 4.1'),
    "a version in words": ('<platform version="four"/>', r'version: "four" is no number'),
    "a text": ("node-1 slots=4", r"no XML: expected a platform of SimGrid's, which begins with <\?xml or <platform"),
    "numbers in words": (CLUSTERS.replace('radical="0-1"', 'radical="0-x"'), r'radical: "0-x" is no list of numbers'),
    "cores in words": (CLUSTERS.replace('core="4"', 'core="four"'), r'core: "four" is no number'),
    "a second host": (RING.replace('id="b" speed', 'id="a" speed'), r':5: <host id="a">: second host of the name "a"'),
    "a host called as a router": (RING.replace('router id="r"', 'router id="a"'), r'<router id="a">: host and router'),
    "a second zone": (ZONES.replace('id="apart"', 'id="x"'), r'<zone id="x">: second zone of the name "x"'),
    "a second route": (RING.replace('src="c" dst="r"', 'src="c" dst="b"'),
                       r':14: <route>: there is a route from "c" to "b" already \(routes lead both ways'),
    "a second bypass": (ZONES.replace("zoneRoute", "bypassZoneRoute"), r'there is a route from "x" to "y" already'),
    "a gateway elsewhere": (ZONES.replace('gw_src="a"', 'gw_src="b"', 1),
                            r'<zoneRoute> from "x" to "y": gw_src "b" is in the zone "y", not in "x"'),
    "a gateway nowhere": (ZONES.replace('gw_dst="b"', 'gw_dst="y"', 1), r'gw_dst "y" is no host and no router'),
    "a route between hosts of others": (ZONES.replace('<zone id="apart"', '<route src="a" dst="b"><link_ctn id="usual"/>'
                                        '</route><zone id="apart"'), r'src "a" is in the zone "x", not in "world"'),
    "an empty route": (RING.replace('<link_ctn id="cr"/>', ""), r":14: <route>: has no links"),
    "a state that is none": (RING.replace('speed="500Mf,1Mf"', 'speed="500Mf,1Mf" pstate="2"'),
                             r'<host id="b">: pstate 2: there are the speeds 0 to 1'),
    "a backbone without a rate": (_cluster('radical="0-1" bw="1GBps" lat="1us" bb_lat="1us"'), r'no "bb_bw"; give the'),
    "groups without routers": (_cluster('radical="0-7" bw="1GBps" lat="1us" topology="DRAGONFLY" '
                               'topo_parameters="4,1;1,1;2,1;1"'), r"4 groups, but 2 routers in a chassis"),
    "gaps in a large topology": (_cluster('radical="0-255,257-300" bw="1GBps" lat="1us" topology="TORUS" topo_parameters="30,10"'),
                                 r"radical: expected numbers without gaps for more than 256 hosts of a TORUS"),
    "places without hosts": (_cluster('radical="0-7" bw="1GBps" lat="1us" topology="TORUS" topo_parameters="3,3"'),
                             r"topo_parameters: 9 places for 8 hosts"),
    "a setting in words": (f'{HEAD}<config><prop id="smpi/os" value="0:1parsec"/></config></platform>',
                           r':4: smpi/os: "1parsec" is no time: its unit may be'),
    "limits that cross": (f'{HEAD}<config><prop id="smpi/async-small-thresh" value="70000"/></config></platform>',
                          r"smpi/async-small-thresh is 70000, above smpi/send-is-detached-thresh, 65536"),
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
                             "</platform>", r'no route leads from "a" to "b" in the zone "z", but MPI'),
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
    assert 'apart.xml: no route leads from "a" to "b" in the zone "z"' in done.stderr
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
    assert quantities.bytes_per_second("2Mibps") == 2 * 2**20 / 8
    assert quantities.bytes_per_second("1ZBps") == 1e21
    assert quantities.seconds("2w") == 2 * 7 * 86400
    assert quantities.flops_per_second("98.095Mf") == pytest.approx(98.095e6)
    assert quantities.flops_per_second("3flops") == 3
    assert quantities.flops_per_second("3Gflops") == quantities.flops_per_second("3gigaflops") == 3e9
    assert quantities.flops_per_second("1Yf") == quantities.flops_per_second("1yottaflops") == 1e24
    assert quantities.radical("0-2,7") == [range(3), range(7, 8)]


@pytest.mark.parametrize(
    ("attributes", "complaint"),
    [
        ('radical="0-999999999999"', "more than 262,144 hosts, those of the clusters before it included, are too many"),
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
    two = f'<cluster id="a" prefix="a" radical="0-1" {rest}/><cluster id="b" prefix="b" radical="0-262142" {rest}/>'
    with pytest.raises(InputError, match="more than 262,144 hosts, those of the clusters before it included"):
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


OLDER = """<platform version="3">
<AS id="w" routing="Full">
 <AS id="a" routing="Full"><host id="h1" power="2Gf"/></AS><AS id="b" routing="Full"><host id="h2" power="1000000000"/></AS>
 <link id="l" bandwidth="1GBps" latency="4us" sharing_policy="FULLDUPLEX"/>
 <link id="m" bandwidth="2GBps" latency="8us"/>
 <ASroute src="a" dst="b" gw_src="h1" gw_dst="h2" symmetrical="NO"><link_ctn id="l" direction="UP"/></ASroute>
 <ASroute src="b" dst="a" gw_src="h2" gw_dst="h1" symmetrical="NO"><link_ctn id="l" direction="DOWN"/></ASroute>
 <bypassASroute src="b" dst="a" gw_src="h2" gw_dst="h1"><link_ctn id="m"/></bypassASroute>
</AS></platform>"""


def test_version_3_and_its_names_are_read(tmp_path: Path) -> None:
    hardware = _platform(tmp_path, OLDER)
    assert [host.speed for host in hardware.hosts] == [1, 0.5]
    assert _names(hardware, "h1", "h2") == ["l:up"]
    assert _names(hardware, "h2", "h1") == ["m"]


@pytest.mark.parametrize("version", ["4", "4.0", "4.1"])
def test_names_of_version_3_are_read_in_later_ones(tmp_path: Path, version: str) -> None:
    later = OLDER.replace('version="3"', f'version="{version}"').replace("power", "speed")
    assert _names(_platform(tmp_path, later), "h1", "h2") == ["l:up"]


def test_blank_lines_before_the_declaration_count_as_lines(tmp_path: Path) -> None:
    assert len(_platform(tmp_path, "\n \n" + CLUSTERS).hosts) == 6
    with pytest.raises(InputError, match=r"theirs\.xml:8: <cluster id="):
        _platform(tmp_path, "\n\n" + CLUSTERS.replace('bw="1GBps"', 'bw="fast"'))


def test_a_host_has_the_speed_of_its_state(tmp_path: Path) -> None:
    states = RING.replace('speed="500Mf,1Mf"', 'speed="500Mf, 250Mf" pstate="1"')
    assert [host.speed for host in _platform(tmp_path, states).hosts] == [1, 0.25, 1]


def test_a_way_through_a_host_is_not_made_up_where_all_routes_are_given(tmp_path: Path) -> None:
    full = RING.replace("Floyd", "Full")
    with pytest.raises(InputError, match='no route leads from "a" to "b" in the zone "world"'):
        _platform(tmp_path, full)


def test_the_zones_that_an_error_names_can_be_imported(tmp_path: Path) -> None:
    apart = CLUSTERS.replace("<zoneRoute", "<!--").replace("</zoneRoute>", "-->")
    with pytest.raises(InputError, match=r"or take one part with --zone \(one, two\)$"):
        _platform(tmp_path, apart)
    for zone in ("one", "two"):
        (tmp_path / "part.toml").write_text(_converted(tmp_path, apart, zone).toml, encoding="utf-8")
        assert core.build(load(str(tmp_path / "part.toml")).model_dump()).hosts


def test_what_is_left_out_is_said_of_one_cluster_and_of_one_zone(tmp_path: Path) -> None:
    noted = 'bw="1GBps" lat="1us"><prop id="watt" value="90"/></cluster'
    one_cluster = _cluster(f'radical="0-3" colour="red" {noted}').replace("/></zone>", "></zone>")
    assert _converted(tmp_path, one_cluster).left_out.left_out == {"properties": 1, '"colour" of <cluster>': 1}
    two_clusters = one_cluster.replace(
        "<cluster", '<cluster id="d" prefix="m" suffix="" radical="0-1" speed="1Gf" bw="1Bps" lat="0"/><cluster'
    )
    config = '<config><prop id="path" value="."/></config><zone id="w"'
    left_out = _converted(tmp_path, two_clusters.replace('<zone id="w"', config), "c").left_out.left_out
    assert left_out == {"properties": 1, '"colour" of <cluster>': 1, "setting path": 1}


HOST_NAMES = _cluster('radical="0-3" bw="1GBps" lat="10us"').replace('suffix=""', 'suffix=".example.org"')


def test_hosts_keep_their_names_whole_so_that_host_files_fit(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(HOST_NAMES, encoding="utf-8")
    (tmp_path / "c.hosts").write_text("n3.example.org\nn1.example.org\n", encoding="utf-8")
    (tmp_path / "c.goal").write_text(
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 1\n}\nrank 1 {\nl1: recv 8b from 0 tag 1\n}\n", encoding="utf-8"
    )
    for command in (["platform", "import", "c.xml", "-o", "c.toml"],
                    ["replay", "c.goal", "-p", "c.toml", "--map", "file:c.hosts"]):  # fmt: skip
        subprocess.run([ORRERY, *command], cwd=tmp_path, capture_output=True, text=True, check=True)


# --- settings of messages --------------------------------------------------------------------------------------------

COSTS = """<config id="General">
 <prop id="smpi/os" value="0:1e-6:0;1000:4us:1ns"/><prop id="smpi/or" value="0:2e-6:0;1000:6e-6:0"/>
 <prop id="smpi/async_small_thres" value="100"/><prop id="smpi/send-is-detached-thresh" value="20000"/>
 <prop id="smpi/bw-factor" value="0:0.1;1000:0.5"/><prop id="smpi/lat-factor" value="0:1;1000:3"/>
 <prop id="network/TCP-gamma" value="1e6"/><prop id="network/weight-S" value="8775"/>
 <prop id="smpi/host-speed" value="4Gf"/><prop id="network/loopback-bw" value="7GBps"/>
 <prop id="smpi/ois" value="0:3us:0"/>
</config>"""


def _with_costs(costs: str) -> str:
    attributes = 'radical="0-4" bw="1GBps" lat="10us" topology="TORUS" topo_parameters="5"'
    return _cluster(attributes).replace('<zone id="w"', f'{costs}<zone id="w"')


def test_costs_of_messages_become_regimes(tmp_path: Path) -> None:
    (tmp_path / "costs.toml").write_text(_toml(tmp_path, _with_costs(COSTS)), encoding="utf-8")
    platform = load(str(tmp_path / "costs.toml"))
    assert platform.model == "hybrid"
    assert platform.network is not None
    assert platform.network.tcp_window_bytes == 1_000_000
    assert platform.network.bandwidth_factor_of == "share"
    found = [
        (regime.end_bytes, regime.protocol, regime.send_overhead_s, regime.send_overhead_s_per_byte,
         regime.recv_overhead_s, regime.latency_factor, regime.bandwidth_factor)
        for regime in platform.network.between_nodes
    ]  # fmt: skip
    assert found == [
        (1, "asynchronous", 0, 0, 0, 1, 0.1),  # no overhead up to the first size, as in SimGrid
        (100, "asynchronous", 1e-6, 0, 2e-6, 1, 0.1),
        (1001, "detached", 1e-6, 0, 2e-6, 1, 0.1),  # a value is that of sizes above its own
        (20000, "detached", 4e-6, 1e-9, 6e-6, 3, 0.5),
        (None, "synchronous", 0, 0, 0, 3, 0.5),  # SMPI adds no overhead where the sender waits
    ]
    assert platform.clusters[0].speed == 0.25  # 1 Gflop/s, where the host that simulates does 4
    assert platform.clusters[0].memory_bandwidth_bytes_per_s == 7e9


def test_settings_without_effect_here_are_counted(tmp_path: Path) -> None:
    left_out = _converted(tmp_path, _with_costs(COSTS.replace("smpi/or", "smpi/cpu-threshold"))).left_out.left_out
    assert sorted(what.split(":")[0] for what in left_out) == [
        "setting network/weight-S", "setting smpi/cpu-threshold", "setting smpi/ois", "setting smpi/os"
    ]  # fmt: skip


def test_a_message_takes_as_long_as_in_smpi(tmp_path: Path) -> None:
    costs = """<config><prop id="smpi/os" value="0:1e-6:0;1000:4e-6:0"/><prop id="smpi/or" value="0:2e-6:0;1000:6e-6:0"/>
    <prop id="network/latency-factor" value="0:1;1000:3"/><prop id="network/bandwidth-factor" value="0:0.1;1000:0.5"/></config>"""
    xml = _cluster('radical="0-3" bw="1GBps" lat="10us"').replace('<zone id="w"', f'{costs}<zone id="w"')
    (tmp_path / "c.toml").write_text(_toml(tmp_path, xml), encoding="utf-8")
    ends = {}
    for size in (1000, 10_000, 100_000):
        goal = (
            f"num_ranks 2\nrank 0 {{\nl1: send {size}b to 1 tag 1\n}}\nrank 1 {{\nl1: recv {size}b from 0 tag 1\n}}\n"
        )
        (tmp_path / "one.goal").write_text(goal, encoding="utf-8")
        settings = ReplaySettings(traces=[tmp_path / "one.goal"], platform=str(tmp_path / "c.toml"), mapping="node")
        ends[size] = replay(settings).simulated_s
    # SMPI of SimGrid 3.32 (smpirun, network/crosstraffic and network/TCP-gamma 0) sends an envelope of 16 bytes with each
    # message: 90.032 us for 10 kB and 260.032 us for 100 kB; without it, os + latency + bytes / rate + or:
    assert ends == pytest.approx({1000: 1e-6 + 20e-6 + 1000 / 1e8 + 2e-6, 10_000: 90e-6, 100_000: 260e-6})


# --- programs that make platforms ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["griffon.cpp", "griffon.so", "griffon"])
def test_a_platform_that_is_a_program_is_refused_with_the_way_out(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x7fELF" if name == "griffon" else b"#include <simgrid/s4u.hpp>")
    with pytest.raises(InputError, match=r"flatifier\.cpp of SimGrid's sources .* > griffon\.xml$") as refused:
        convert(tmp_path / name, "griffon", None)
    assert ("g++ -shared -fPIC" in str(refused.value)) is name.endswith(".cpp")


def test_what_the_flatifier_writes_is_read(tmp_path: Path) -> None:
    # flatifier of SimGrid 4.1 writes each direction of a duplex link by itself, and a route for each pair.
    flat = f"""{HEAD}<zone id="_world_" routing="Full">
  <host id="n0" speed="1e+09"/>
  <host id="n1" speed="1e+09"/>
  <link id="__loopback__" bandwidth="1e+10" latency="0" sharing_policy="FATPIPE"/>
  <link id="c_link_0_DOWN" bandwidth="1e+09" latency="1e-05"/>
  <link id="c_link_0_UP" bandwidth="1e+09" latency="1e-05"/>
  <link id="c_link_1_DOWN" bandwidth="1e+09" latency="1e-05"/>
  <link id="c_link_1_UP" bandwidth="1e+09" latency="1e-05"/>
  <route src="n0" dst="n0">
  <link_ctn id="c_link_0_UP"/><link_ctn id="c_link_0_DOWN"/>
  </route>
  <route src="n0" dst="n1">
  <link_ctn id="c_link_0_UP"/><link_ctn id="c_link_1_DOWN"/>
  </route>
  <route src="n1" dst="n0">
  <link_ctn id="c_link_1_UP"/><link_ctn id="c_link_0_DOWN"/>
  </route>
</zone>
</platform>"""
    hardware = _platform(tmp_path, flat)
    assert _names(hardware, "n1", "n0") == ["c_link_1_UP", "c_link_0_DOWN"]
