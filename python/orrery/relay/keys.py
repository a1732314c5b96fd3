# SPDX-License-Identifier: BSD-3-Clause
"""Keys of sites: an authority for the job, and for each site a key of its frontal and one of its helpers.

Whatever ends a command that makes keys, a folder holds whole keys of one authority: they are written in a temporary folder and
renamed, by one command at a time.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from orrery.errors import InputError
from orrery.relay.settings import AUTHORITY, is_site_name
from orrery.temporary import temporary_folder, written_beside

_AUTHORITY_KEY = "authority.key"
ROLES = ("frontal", "helper")
_AUTHORITY_NAME = "orrery relay authority"
_SKEW = dt.timedelta(hours=1)
"""A key is valid from so long ago on: clocks of sites differ."""
_PUBLIC, _PRIVATE = 0o644, 0o600


@dataclass(frozen=True)
class Authority:
    """What signs keys of sites."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate


@dataclass(frozen=True)
class KeyInFolder:
    """A key of a frontal or of helpers."""

    name: str
    serial: str
    """Serial number of the certificate, hexadecimal, as lists of revoked keys have it."""
    valid_until: dt.datetime


def make_keys(folder: Path, sites: Sequence[str], days: int) -> list[Path]:
    """Make keys for sites that have none in the folder yet, and the authority if there is none. Gives what was written.

    A site needs `authority.pem` and its own folder. `authority.key` signs keys of further sites; nobody else needs it.

    Raises:
        InputError: a name is not fit, a site has keys already, the folder cannot be written, what it has is no key.
    """
    for site in sites:
        if not is_site_name(site):
            raise InputError(f'--site "{site}": expected small letters, digits and hyphens, 31 at most')
    if len(set(sites)) < len(sites):
        raise InputError("--site: names a site twice")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(folder):
            for site in sites:
                if (folder / site).exists():
                    raise InputError(
                        f"--site {site}: {folder / site} is there; remove it, if its keys are to be made anew"
                    )
            authority, written = _authority(folder, days)
            for site in sites:
                written += _make_site(folder, site, authority, days)
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {error.strerror}") from None
    return written


def list_keys(folder: Path) -> list[KeyInFolder]:
    """Keys of all sites in a folder, by name. Raises InputError: there are none, or a file is no key."""
    files = sorted(file for role in ROLES for file in folder.glob(f"*/{role}.pem"))
    if not files:
        raise InputError(f"{folder}: has no keys of sites; `orrery relay keys FOLDER --site NAME` makes them")
    found = []
    for file in files:
        certificate = _certificate(file)
        name = f"{file.stem}.{file.parent.name}"
        found.append(KeyInFolder(name, f"{certificate.serial_number:X}", certificate.not_valid_after_utc))
    return sorted(found, key=lambda key: key.name)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One command at a time makes keys in a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _authority(folder: Path, days: int) -> tuple[Authority, list[Path]]:
    """The folder's, which is made if there is none; what was written. A key whose certificate was not written yet gets it."""
    key_file, file = folder / _AUTHORITY_KEY, folder / AUTHORITY
    written = []
    if key_file.exists():
        key = _private_key(key_file)
    elif file.exists():
        raise InputError(f"{folder}: has {AUTHORITY}, but not {_AUTHORITY_KEY}, which signs keys of further sites")
    else:
        key = ec.generate_private_key(ec.SECP256R1())
        _write(key_file, _pem(key), _PRIVATE)
        written.append(key_file)
    if not file.exists():
        _write(file, _authority_certificate(key, days).public_bytes(Encoding.PEM), _PUBLIC)
        written.insert(0, file)
    return Authority(key, _certificate(file)), written


def _make_site(folder: Path, site: str, authority: Authority, days: int) -> list[Path]:
    """Each file has a certificate and its key; only its owner may read it."""
    with temporary_folder(".", folder) as place:
        made = place / site
        made.mkdir(mode=0o700)
        for role in ROLES:
            key = ec.generate_private_key(ec.SECP256R1())
            certificate = _site_certificate(f"{role}.{site}", key, authority, days)
            _write(made / f"{role}.pem", certificate.public_bytes(Encoding.PEM) + _pem(key), _PRIVATE)
        made.rename(folder / site)
    return [folder / site / f"{role}.pem" for role in ROLES]


def _write(file: Path, text: bytes, mode: int) -> None:
    """Write a file at once, with these rights, whatever the umask says."""
    with written_beside(file) as fresh:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        with os.fdopen(descriptor, "wb") as out:
            os.fchmod(descriptor, mode)
            out.write(text)
            out.flush()
            os.fsync(descriptor)
        fresh.rename(file)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _private_key(file: Path) -> ec.EllipticCurvePrivateKey:
    """Raises InputError."""
    try:
        key = load_pem_private_key(file.read_bytes(), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise InputError(f"{file}: is no key that `orrery relay keys` has made")
    return key


def _certificate(file: Path) -> x509.Certificate:
    """Raises InputError."""
    try:
        return x509.load_pem_x509_certificate(file.read_bytes())
    except ValueError:
        raise InputError(f"{file}: is no certificate that `orrery relay keys` has made") from None


def _builder(name: str, issuer: str, key: ec.EllipticCurvePublicKey, days: int) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _authority_certificate(key: ec.EllipticCurvePrivateKey, days: int) -> x509.Certificate:
    builder = _builder(_AUTHORITY_NAME, _AUTHORITY_NAME, key.public_key(), days)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return builder.add_extension(_usage(signs_certificates=True), critical=True).sign(key, hashes.SHA256())


def _site_certificate(name: str, key: ec.EllipticCurvePrivateKey, authority: Authority, days: int) -> x509.Certificate:
    builder = _builder(name, _AUTHORITY_NAME, key.public_key(), days)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(signs_certificates=False), critical=True)
    both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = builder.add_extension(x509.ExtendedKeyUsage(both), critical=False)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    return builder.add_extension(issuer, critical=False).sign(authority.key, hashes.SHA256())


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    """Either signs certificates or proves who it is."""
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
