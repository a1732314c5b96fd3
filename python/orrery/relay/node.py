# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of this node."""

from __future__ import annotations

import fcntl
import socket
import struct

from orrery.errors import InputError
from orrery.relay.settings import Relay

_SIOCGIFADDR = 0x8915
_IFREQ = "256s"


def addresses() -> list[str]:
    """The IPv4 address of each interface that has one."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for _, name in socket.if_nameindex():
            try:
                about = fcntl.ioctl(sock, _SIOCGIFADDR, struct.pack(_IFREQ, name.encode()[:15]))
            except OSError:
                continue
            found.append(socket.inet_ntoa(about[20:24]))
    return found


def here(relay: Relay) -> tuple[str, str]:
    """Site and address of this node. Raises InputError: it is in no network of a site."""
    found = addresses()
    for address in found:
        if (site := relay.site_of(address)) is not None:
            return site, address
    raise InputError(
        f"this node ({', '.join(found)}) is in no network of a site; add one to relay.toml: sites.NAME.networks"
    )
