# SPDX-License-Identifier: BSD-3-Clause
"""TLS with keys on both sides, and who the other side has proved to be."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from orrery.errors import InputError
from orrery.relay.settings import AUTHORITY, Relay, check_owner

Role = Literal["frontal", "helper"]
_OTHERS = 0o077


@dataclass(frozen=True)
class Name:
    """What a certificate says: the frontal of a site, or one of its helpers."""

    role: Role
    site: str

    def __str__(self) -> str:
        return f"{self.role}.{self.site}"


class Identity:
    """The key of one frontal or helper, and the contexts of TLS 1.3 that use it."""

    def __init__(self, relay: Relay, name: Name) -> None:
        """Raises InputError: a file is missing, is no key, or others may read or replace it."""
        self.name = name
        self.turn = asyncio.Semaphore(relay.limits.calls)
        """Limits how many connections begin at a time."""
        self._relay = relay
        self.as_server: ssl.SSLContext
        self.as_client: ssl.SSLContext
        self.load()

    def load(self) -> None:
        """Read key, authority and the list of revoked keys, again where they have changed. Raises InputError: all stays as it was."""
        folder = self._relay.key_folder()
        authority, own = folder / AUTHORITY, folder / self.name.site / f"{self.name.role}.pem"
        for file in (authority, own):
            if not file.is_file():
                raise InputError(f"{file}: is not there; `orrery relay keys` makes it, and each site gets its own")
        for path in (folder, authority, own.parent, own):
            check_owner(path)
        if own.stat().st_mode & _OTHERS:
            raise InputError(f"{own}: others may read this key; chmod 600 {own}")
        revoked = self._relay.revoked_serials()
        as_server = self._context(ssl.PROTOCOL_TLS_SERVER, authority, own)
        as_client = self._context(ssl.PROTOCOL_TLS_CLIENT, authority, own)
        self.as_server, self.as_client, self._revoked = as_server, as_client, revoked

    def _context(self, protocol: int, authority: Path, own: Path) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        if protocol == ssl.PROTOCOL_TLS_SERVER:
            context.num_tickets = 0
        try:
            context.load_verify_locations(authority)
            context.load_cert_chain(own)
        except (ssl.SSLError, OSError) as error:
            raise InputError(f"{own}: {error.strerror or error}: cannot be used as a key") from None
        return context

    def has_revoked(self, serial: str) -> bool:
        """Whether the key of a certificate counts no longer."""
        return serial in self._revoked


@dataclass(frozen=True)
class Proof:
    """Who the other side of a connection has proved to be."""

    name: Name
    serial: str
    """Serial number of its certificate, hexadecimal without leading zeros."""


def proved(connection: ssl.SSLObject | ssl.SSLSocket) -> Proof | None:
    """None: its certificate is of our authority, but names no frontal and no helper."""
    certificate: dict[str, Any] = connection.getpeercert() or {}
    for kind, value in certificate.get("subjectAltName", ()):
        role, _, site = str(value).partition(".")
        if kind == "DNS" and site and role in ("frontal", "helper"):
            return Proof(
                Name("frontal" if role == "frontal" else "helper", site), str(certificate["serialNumber"]).lstrip("0")
            )
    return None
