# SPDX-License-Identifier: BSD-3-Clause
"""Small platforms of SimGrid's."""

HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
_CLUSTER = '<cluster id="c" prefix="n" suffix="" speed="1Gf" bw="1GBps" lat="10us" '


def _one(attributes: str) -> str:
    return f'{HEAD}<zone id="w" routing="Full">{_CLUSTER}{attributes}/></zone></platform>'


def _tree(shape: str, more: str = "") -> str:
    return _one(f'radical="0-7" topology="FAT_TREE" topo_parameters="{shape}" {more}')


def _hosts(names: str) -> str:
    return "".join(f'<host id="{name}" speed="1Gf"/>' for name in names)


def _links(pairs: str) -> str:
    return "".join(f'<link id="{pair}" bandwidth="1GBps" latency="10us"/>' for pair in pairs.split())


def _routes(pairs: str) -> str:
    return "".join(f'<route src="{pair[0]}" dst="{pair[1]}"><link_ctn id="{pair}"/></route>' for pair in pairs.split())


def _net(routing: str, names: str, pairs: str) -> str:
    return f'{HEAD}<zone id="w" routing="{routing}">{_hosts(names)}{_links(pairs)}{_routes(pairs)}</zone></platform>'


def _zone(name: str, other: str = "") -> str:
    """A zone with a host, a router, a link between them, and maybe another host at the router."""
    hosts = f'<host id="h{name}" speed="1Gf"/>' + (f'<host id="{other}" speed="1Gf"/>' if other else "")
    link = f'<link id="l{name}" bandwidth="2GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>'
    link += f'<link id="m{name}" bandwidth="3GBps" latency="2us"/>' if other else ""
    routes = f'<route src="h{name}" dst="r{name}"><link_ctn id="l{name}" direction="UP"/></route>'
    if other:
        routes += f'<route src="{other}" dst="r{name}"><link_ctn id="m{name}"/></route>'
        routes += f'<route src="h{name}" dst="{other}"><link_ctn id="l{name}" direction="UP"/><link_ctn id="m{name}"/></route>'
    return f'<zone id="{name}" routing="Full">{hosts}<router id="r{name}"/>{link}{routes}</zone>'


def _between(kind: str, source: str, target: str, link: str) -> str:
    return (
        f'<{kind} src="{source}" dst="{target}" gw_src="r{source}" gw_dst="r{target}"><link_ctn id="{link}"/></{kind}>'
    )


_RING = "ab bc cd de ef fa"
_WAN = _links("x y z")

FILES = {
    "fat-tree": _tree("2;4,2;1,2;1,1"),
    "fat-tree whose nodes have two leaves": _tree("2;2,4;2,2;1,1"),
    "fat-tree with parallel cables": _tree("2;4,2;1,2;1,2"),
    "fat-tree with two cables to each node": _tree("2;4,2;1,2;2,1"),
    "fat-tree of three levels": _tree("3;2,2,2;1,2,2;1,1,2"),
    "fat-tree with limiters": _tree("2;4,2;1,2;1,1", 'limiter_link="1500MBps"'),
    "torus": _one('radical="0-11" topology="TORUS" topo_parameters="4,3"'),
    "torus with limiters": _one('radical="0-11" topology="TORUS" topo_parameters="4,3" limiter_link="1500MBps"'),
    "torus of shared cables": _one('radical="0-11" topology="TORUS" topo_parameters="6,2" sharing_policy="SHARED"'),
    "dragonfly": _one('radical="0-35" topology="DRAGONFLY" topo_parameters="3,1;2,2;3,1;2"'),
    "dragonfly with limiters": _one(
        'radical="0-35" topology="DRAGONFLY" topo_parameters="3,1;2,2;3,1;2" limiter_link="1500MBps"'
    ),
    "cluster": _one('radical="0-5" loopback_bw="5GBps" loopback_lat="1us"'),
    "cluster with gaps": _one('radical="0-2,7,9-10" bb_bw="2GBps" bb_lat="5us"'),
    "cluster with limiters": _one('radical="0-5" limiter_link="1500MBps"'),
    "cluster with slow limiters": _one('radical="0-5" limiter_link="700MBps"'),
    "cluster of shared links": _one('radical="0-5" sharing_policy="SHARED"'),
    "cluster of FATPIPE links": _one('radical="0-5" sharing_policy="FATPIPE"'),
    "cluster with a FATPIPE backbone": _one('radical="0-5" bb_bw="500MBps" bb_sharing_policy="FATPIPE"'),
    "ring, Floyd": _net("Floyd", "abcdef", _RING),
    "ring, Dijkstra": _net("Dijkstra", "abcdef", _RING),
    "ring, listed the other way round": _net("Dijkstra", "fedcba", "fa ef de cd bc ab"),
    "grid, Floyd": _net("Floyd", "abcdefghi", "ab bc de ef gh hi ad dg be eh cf fi"),
    "grid, DijkstraCache": _net("DijkstraCache", "abcdefghi", "ab bc de ef gh hi ad dg be eh cf fi"),
    "zones": f'{HEAD}<zone id="w" routing="Full">{_zone("a", "o")}{_zone("b")}{_zone("c")}{_WAN}'
    + _between("zoneRoute", "a", "b", "x") + _between("zoneRoute", "b", "c", "y") + _between("zoneRoute", "a", "c", "z")
    + "</zone></platform>",
    "zones, Floyd": f'{HEAD}<zone id="w" routing="Floyd">{_zone("a", "o")}{_zone("b")}{_zone("c")}{_WAN}'
    + _between("zoneRoute", "a", "b", "x") + _between("zoneRoute", "b", "c", "y") + "</zone></platform>",
    "zones with a bypass": f'{HEAD}<zone id="w" routing="Full">{_zone("a", "o")}{_zone("b")}{_zone("c")}{_WAN}'
    + _between("zoneRoute", "a", "b", "x") + _between("zoneRoute", "b", "c", "y") + _between("zoneRoute", "a", "c", "x")
    + _between("bypassZoneRoute", "c", "a", "z") + "</zone></platform>",
    "gateways that are hosts": f'{HEAD}<zone id="w" routing="Full"><zone id="a" routing="Full">{_hosts("ij")}{_links("ij")}'
    + _routes("ij") + f'</zone><zone id="b" routing="Full">{_hosts("kl")}{_links("kl")}{_routes("kl")}</zone>{_WAN}'
    + '<zoneRoute src="a" dst="b" gw_src="i" gw_dst="l"><link_ctn id="x"/></zoneRoute></zone></platform>',
    "a torus beside a zone": f'{HEAD}<zone id="w" routing="Full">{_CLUSTER}radical="0-5" topology="TORUS" '
     f'topo_parameters="3,2"/>{_zone("a", "o")}{_WAN}<zoneRoute src="c" dst="a" gw_src="n1" gw_dst="ra">'
     '<link_ctn id="y"/></zoneRoute></zone></platform>',
    "cabinets": f'{HEAD}<zone id="w" routing="Cluster"><link id="u" bandwidth="3GBps" latency="3us"/>'
     '<link id="v" bandwidth="2GBps" latency="4us"/><host id="s" speed="1Gf"/><router id="r"/>'
     '<backbone id="b" bandwidth="1500MBps" latency="5us"/><host_link id="s" up="u" down="v"/>'
     '<cabinet id="k" prefix="n" suffix="" radical="1-4" speed="1Gf" bw="1GBps" lat="10us"/></zone></platform>',
    "peers": f'{HEAD}<zone id="w" routing="Vivaldi">'
    + "".join(f'<peer id="p{i}" coordinates="{i}.0 {i % 2}.5 0.{i}" speed="1Gf" bw_in="{i}GBps" bw_out="1500MBps"/>'
              for i in range(1, 5)) + "</zone></platform>",
}  # fmt: skip
