# SPDX-License-Identifier: BSD-3-Clause
"""Keys of sites, made by the command `openssl`.

An authority for the job, and for each site a key of its frontal and one of its helpers.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from orrery.errors import InputError, OrreryError
from orrery.relay.settings import is_site_name

AUTHORITY = "authority.pem"
_AUTHORITY_KEY = "authority.key"
ROLES = ("frontal", "helper")
_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
_AUTHORITY_CONFIG = """[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = orrery relay authority
[extensions]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
"""
_SITE_CONFIG = """[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[extensions]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:{name}
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


def make_keys(folder: Path, sites: Sequence[str], days: int) -> list[Path]:
    """Make keys for sites that have none in the folder yet, and the authority if there is none. Gives what was written.

    A site needs `authority.pem` and its own folder. `authority.key` signs keys of further sites; nobody else needs it.

    Raises:
        InputError: a name is not fit, a site has keys already, the folder cannot be written.
        OrreryError: the command `openssl` is not there, or refuses.
    """
    for site in sites:
        if not is_site_name(site):
            raise InputError(f'--site "{site}": expected small letters, digits and hyphens, 31 at most')
        if (folder / site).exists():
            raise InputError(f"--site {site}: {folder / site} is there; remove it, if its keys are to be made anew")
    if len(set(sites)) < len(sites):
        raise InputError("--site: names a site twice")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = [] if (folder / _AUTHORITY_KEY).exists() else _authority(folder, days)
        for site in sites:
            (folder / site).mkdir(mode=0o700)
            written += [_site_key(folder, site, role, days) for role in ROLES]
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {error.strerror}") from None
    return written


def _authority(folder: Path, days: int) -> list[Path]:
    if (folder / AUTHORITY).exists():
        raise InputError(f"{folder}: has {AUTHORITY}, but not {_AUTHORITY_KEY}, which signs keys of further sites")
    key, certificate = folder / _AUTHORITY_KEY, folder / AUTHORITY
    with TemporaryDirectory(dir=folder) as place:
        config = Path(place) / "config"
        config.write_text(_AUTHORITY_CONFIG, encoding="utf-8")
        _openssl("req", "-x509", *_CURVE, "-days", str(days), "-config", config, "-keyout", key, "-out", certificate)
    key.chmod(0o600)
    return [certificate, key]


def _site_key(folder: Path, site: str, role: str, days: int) -> Path:
    """One file with certificate and key, which only its owner may read."""
    made = folder / site / f"{role}.pem"
    with TemporaryDirectory(dir=folder) as place:
        config, key, request, signed = (Path(place) / name for name in ("config", "key", "request", "signed"))
        config.write_text(_SITE_CONFIG.format(name=f"{role}.{site}"), encoding="utf-8")
        _openssl("req", "-new", *_CURVE, "-config", config, "-keyout", key, "-out", request)
        signing = (
            "-CA",
            folder / AUTHORITY,
            "-CAkey",
            folder / _AUTHORITY_KEY,
            "-CAcreateserial",
            "-CAserial",
            Path(place) / "serial",
        )
        extensions = ("-extfile", config, "-extensions", "extensions")
        _openssl("x509", "-req", "-sha256", "-days", str(days), "-in", request, *signing, *extensions, "-out", signed)
        made.touch(mode=0o600)
        made.write_text(signed.read_text(encoding="ascii") + key.read_text(encoding="ascii"), encoding="ascii")
    return made


def _openssl(*words: str | Path) -> None:
    try:
        done = subprocess.run(["openssl", *map(str, words)], check=False, capture_output=True, text=True)
    except OSError:
        raise OrreryError("the command openssl is not there, which makes keys; install it (Debian: openssl)") from None
    if done.returncode != 0:
        raise OrreryError(f"openssl {words[0]}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
