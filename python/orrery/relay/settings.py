# SPDX-License-Identifier: BSD-3-Clause
"""`relay.toml`: the sites of a job, what their firewalls let through, and limits."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from orrery.documents import expected_value, parse_toml
from orrery.errors import InputError, did_you_mean
from orrery.units import whole_number

Policy = Literal["open", "ports", "nat", "outbound"]
Method = Literal["direct", "reverse", "relay"]

AUTHORITY = "authority.pem"
"""In the folder of keys: the certificate that all keys of the job are signed by."""
NETWORKS_MOST = 256
"""Networks of all sites, at most: as many as the connect layer takes (src/measure/relay/connect.c)."""
_TRAVERSING = "traversing"
_NO_TRAVERSING = (
    "traversing TCP, where both ends behind NAT open at the same time, is not there; such sites are relayed, and the method is "
    '"relay"'
)
_network = cache(ipaddress.IPv4Network)
_METHODS: dict[str, list[Method]] = {
    "open": ["direct", "relay"],
    "ports": ["direct", "relay"],
    "nat": ["reverse", "relay"],
    "outbound": ["relay"],
}
"""How nodes of a site are reached, by its policy, in the order in which it is tried."""


@dataclass(frozen=True, order=True)
class End:
    """One end of a connection."""

    host: str
    """An IPv4 address."""
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @staticmethod
    def parse(text: str) -> End:
        """An address and port, read from a text such as `10.1.0.2:4711`. Raises ValueError."""
        host, colon, port = text.rpartition(":")
        if not colon or (number := whole_number(port)) is None or number > 65535:
            raise ValueError(f'"{text}" is no address and port, such as 192.0.2.1:7443')
        return End(str(ipaddress.IPv4Address(host)), number)


@dataclass(frozen=True)
class Ports:
    """Ports from `first` to `last`, both among them."""

    first: int
    last: int

    @staticmethod
    def parse(text: str) -> Ports:
        """A range of ports, read from a text such as `40000-40100`. Raises ValueError."""
        first, _, last = text.partition("-")
        begin, end = whole_number(first), whole_number(last)
        if begin is None or end is None or not 1024 <= begin <= end <= 65535:
            raise ValueError(f'"{text}" is no range of ports from 1024 to 65535, such as 40000-40100')
        return Ports(begin, end)


def is_site_name(name: str) -> bool:
    """Whether it is fit for a certificate and a folder: small letters, digits and hyphens, 31 at most."""
    return re.fullmatch("[a-z0-9][a-z0-9-]{0,30}", name) is not None


class RelaySite(BaseModel):
    """One `[sites.NAME]` table."""

    model_config = ConfigDict(extra="forbid", strict=True)

    networks: Annotated[list[str], Field(min_length=1)]
    """IPv4 networks of its nodes, such as "10.1.0.0/24"."""
    policy: Policy
    """What reaches its nodes from other sites: `open`: everything; `ports`: what goes to `ports`; `nat`: nothing, and their
    addresses are translated on the way out; `outbound`: nothing."""
    frontal: str
    """Where its frontal listens, such as "192.0.2.1:7443"; or the name of another site, whose frontal serves this one, too."""
    inside: str | None = None
    """Where its nodes reach the frontal, if that is another address; the frontal listens there, too."""
    ports: str | None = None
    """With the policy `ports`: those that its firewall lets through, such as "40000-40100"."""
    helper_ports: str | None = None
    """Where the helpers of an `open` or `ports` site accept connections from helpers of other sites; without it they listen
    nowhere, and sites behind NAT are relayed."""
    methods: list[Method] | None = None
    """How its nodes are reached, in the order in which it is tried, if not as its policy suggests: direct, reverse, relay.
    Traversing TCP is not there."""
    low_ports: list[int] = []
    """Ports below 1024 of its nodes that may be reached from other sites, while a helper runs there."""

    @model_validator(mode="before")
    @classmethod
    def _check_traversable(cls, table: object) -> object:
        if isinstance(table, dict) and "traversable" in table:  # as platforms have it
            raise ValueError(f"traversable: {_NO_TRAVERSING}")
        return table

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, networks: list[str]) -> list[str]:
        """As the connect layer reads them, whichever way they are written."""
        for text in networks:
            if ":" in text:
                raise ValueError(f'"{text}" is an IPv6 network; only IPv4 is relayed')
        return [str(ipaddress.IPv4Network(text)) for text in networks]

    @field_validator("ports", "helper_ports")
    @classmethod
    def _check_ports(cls, text: str | None) -> str | None:
        if text is not None:
            Ports.parse(text)
        return text

    @field_validator("inside")
    @classmethod
    def _check_inside(cls, text: str | None) -> str | None:
        if text is not None:
            End.parse(text)
        return text

    @field_validator("methods", mode="before")
    @classmethod
    def _check_methods(cls, methods: object) -> object:
        if not isinstance(methods, list) or not all(isinstance(method, str) for method in methods):
            return methods
        known = ["direct", "reverse", "relay"]
        for method in methods:
            if method.startswith(_TRAVERSING):
                raise ValueError(f'"{method}": {_NO_TRAVERSING}')
            if method not in known:
                raise ValueError(f'"{method}" is none of {", ".join(known)}{did_you_mean(method, known)}')
        if not methods:
            raise ValueError("names no method; leave it out for those of the policy")
        return methods

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if (self.policy == "ports") != (self.ports is not None):
            raise ValueError('policy = "ports" and ports = "40000-40100" go together')
        if self.policy not in ("open", "ports") and self.helper_ports is not None:
            raise ValueError(f'helper_ports: nothing reaches a node of a site with policy = "{self.policy}"')
        return self

    def has(self, host: str) -> bool:
        """Whether an address is one of its nodes'."""
        address = ipaddress.IPv4Address(host)
        return any(address in _network(network) for network in self.networks)


class RelayLimits(BaseModel):
    """The table `[limits]`: what one frontal or helper bears."""

    model_config = ConfigDict(extra="forbid", strict=True)

    connections: Annotated[int, Field(ge=8, le=60000)] = 2048
    """Connections at a time; more are closed at once."""
    unproven: Annotated[int, Field(ge=1, le=4096)] = 64
    """How many of these may be without a proven key and a request at a time, and as many again from addresses of the
    job's own sites; a quarter of them from one address. Where more come, the oldest are closed, first those that say
    nothing."""
    handshake_s: Annotated[float, Field(gt=0, le=300, strict=False)] = 2.0
    """Limit for proving a key."""
    buffer_bytes: Annotated[int, Field(ge=4096, le=1 << 24)] = 256 * 1024
    """What is held of a connection, half for each direction, before its sender waits."""
    patience_s: Annotated[float, Field(gt=0, le=300, strict=False)] = 10.0
    """Limit of each step that has to be answered: a key, a request, a connection."""
    silence_s: Annotated[float, Field(gt=0, le=3600, strict=False)] = 30.0
    """After so long without a sign a frontal or helper counts as gone."""

    @property
    def of_an_address(self) -> int:
        """Connections of one address that may be without a proven key at a time."""
        return max(1, self.unproven // 4)

    def of_a_site(self, sites: int) -> int:
        """Connections that one of so many sites may have open here at a time."""
        return max(1, self.connections // sites)

    @property
    def calls(self) -> int:
        """Connections that one frontal or helper begins at a time: half, as a request may be on its way while the next begins."""
        return max(1, self.of_an_address // 2)


class Relay(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    keys: str
    """Folder that `orrery relay keys` wrote, or the part of it that this site has; relative to the file."""
    revoked: str | None = None
    """File with serial numbers of keys that count no longer, one a line (`orrery relay keys FOLDER --list`); relative to the file."""
    sites: dict[str, RelaySite]
    limits: RelayLimits = RelayLimits()
    _folder: Path = PrivateAttr(default=Path())

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if len(self.sites) < 2:
            raise ValueError("sites: a job spans at least two: [sites.NAME]")
        if (count := sum(len(site.networks) for site in self.sites.values())) > NETWORKS_MOST:
            raise ValueError(f"sites: name {count} networks in all; {NETWORKS_MOST} at most, so write larger ones")
        for name, site in self.sites.items():
            self._check_site(name, site)
        for (first, a), (second, b) in combinations(self.sites.items(), 2):
            for mine in map(ipaddress.IPv4Network, a.networks):
                for theirs in map(ipaddress.IPv4Network, b.networks):
                    if mine.overlaps(theirs):
                        raise ValueError(
                            f"sites: {mine} of {first} and {theirs} of {second} overlap; MPI finds processes by "
                            "address, so nodes need addresses of their own"
                        )
        return self

    def _check_site(self, name: str, site: RelaySite) -> None:
        if not is_site_name(name):
            raise ValueError(f'sites: "{name}" is no name of small letters, digits and hyphens')
        if (other := self.sites.get(site.frontal)) is not None:
            if other.frontal in self.sites:
                raise ValueError(f"sites.{name}.frontal: {site.frontal} has no frontal of its own")
            if site.inside is not None:
                raise ValueError(f"sites.{name}.inside: acts only with a frontal of its own")
            return
        try:
            End.parse(site.frontal)
        except ValueError:
            raise ValueError(
                f'sites.{name}.frontal: "{site.frontal}" is neither an address and port, such as 192.0.2.1:7443, nor another '
                f"site{did_you_mean(site.frontal, self.sites)}"
            ) from None

    def site_of(self, host: str) -> str | None:
        """The site that an address belongs to."""
        return next((name for name, site in self.sites.items() if site.has(host)), None)

    def is_own(self, host: str) -> bool:
        """Whether an address is that of a node or frontal of a site."""
        ends = (text for site in self.sites.values() for text in (site.frontal, site.inside))
        frontals = {End.parse(text).host for text in ends if text is not None and text not in self.sites}
        return host in frontals or self.site_of(host) is not None

    def frontal_of(self, site: str) -> str:
        """The site whose frontal serves it: itself, in most cases."""
        named = self.sites[site].frontal
        return named if named in self.sites else site

    def dialled(self, frontal: str, own: str) -> End:
        """Where a node or frontal of the site `own` reaches the frontal of another one or of its own."""
        site = self.sites[frontal]
        inside = site.inside if frontal == own else None
        return End.parse(inside or site.frontal)

    def listened(self, site: str) -> list[End]:
        """Where the frontal of a site listens."""
        entry = self.sites[site]
        return sorted({End.parse(text) for text in (entry.frontal, entry.inside) if text is not None})

    def methods(self, caller: str, target: str) -> list[Method]:
        """How a process of one site reaches one of another, in the order in which it is tried."""
        site, own = self.sites[target], self.sites[caller]
        possible: dict[str, bool] = {
            "direct": own.policy != "nat" or site.helper_ports is not None,  # NAT hides who calls: helpers tell
            "reverse": own.helper_ports is not None,
            "relay": True,
        }
        return [method for method in site.methods or _METHODS[site.policy] if possible[method]]

    def revoked_serials(self) -> frozenset[str]:
        """Serial numbers of revoked keys, hexadecimal without leading zeros. Raises InputError."""
        if self.revoked is None:
            return frozenset()
        file = self._folder / self.revoked
        try:
            lines = file.read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"{file}: {getattr(error, 'strerror', None) or error}, as revoked in relay.toml says"
            ) from None
        words = [(number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1)]
        for number, word in words:
            if word and re.fullmatch("[0-9A-Fa-f:]+", word) is None:
                raise InputError(f'{file}, line {number}: "{word}" is no serial number of a key, such as 5F3A09')
        return frozenset(word.replace(":", "").upper().lstrip("0") for _, word in words if word)

    def key_folder(self) -> Path:
        """Where keys are."""
        return self._folder / self.keys


_OTHERS_WRITE = 0o022


def check_owner(path: Path) -> None:
    """Whoever may write relay.toml or keys decides who gets in. Raises InputError: others may, or own it; not: it is not there."""
    try:
        about = path.stat()
    except OSError:
        return
    if about.st_mode & _OTHERS_WRITE:
        raise InputError(f"{path}: others may write it; chmod go-w {path}")
    if about.st_uid not in (0, os.getuid()):
        raise InputError(f"{path}: belongs to another user, who could replace it; copy it, and use the copy")


def read_settings(file: Path) -> Relay:
    """Read and check relay.toml. Raises InputError naming file and key."""
    check_owner(file)
    try:
        relay = Relay.model_validate(parse_toml(file, file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = expected_value(first)
        raise InputError(f"{file}: {where}: {said}" if where else f"{file}: {said}") from None
    relay._folder = file.absolute().parent  # noqa: SLF001  the file's place is no key of it
    return relay
