# SPDX-License-Identifier: BSD-3-Clause
"""Temporary files and folders of commands, which are gone afterwards, however a command ends.

They are removed when the work is done or fails, and at Ctrl-C, SIGTERM and SIGHUP, which unwind a command. A process that is
killed removes nothing. So while something temporary is there, the state folder has a note with its path, which the process
holds locked; the next command removes what notes name that nobody holds any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

_NAME_BYTES = 6


def state_folder() -> Path:
    """Where Orrery keeps what it remembers: $XDG_STATE_HOME/orrery, by default ~/.local/state/orrery.

    Raises RuntimeError: there is no home.
    """
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "orrery"


def system_folder() -> Path:
    """The system's folder for temporary files, which TMPDIR names."""
    from tempfile import gettempdir

    return Path(gettempdir())


@contextlib.contextmanager
def temporary_folder(prefix: str = "orrery-", where: Path | None = None) -> Iterator[Path]:
    """A new folder that nobody else may enter, which is removed with all that is in it.

    Args:
        prefix: how its name begins.
        where: the folder that it is made in; None: the system's for temporary files, which TMPDIR names.
    Raises OSError when it cannot be made.
    """
    folder = (where or system_folder()).absolute() / f"{prefix}{_word()}"
    with removed_at_end(folder):
        folder.mkdir(mode=0o700)
        yield folder


@contextlib.contextmanager
def written_beside(place: Path) -> Iterator[Path]:
    """The hidden name of a file or folder to write beside `place`, and then to rename to it; what is not renamed is removed."""
    fresh = place.with_name(f".{place.name}.{_word()}")
    with removed_at_end(fresh):
        yield fresh


@contextlib.contextmanager
def removed_at_end(path: Path) -> Iterator[None]:
    """Remove a file or folder at the end; if this process is killed before, the next command does. It need not be there yet."""
    note = _Note.of(path.absolute())
    try:
        yield
    finally:
        _remove(path)
        if note is not None:
            note.tear_up()


def remove_abandoned() -> None:
    """Remove what processes of this host have left that were killed."""
    with contextlib.suppress(OSError, RuntimeError):
        for file in _notes().iterdir():
            if file.name.partition(".")[2] == _host():
                _Note.take_over(file)


class _Note:
    """A file with a path, which is locked while the path is in use: the lock goes with the process, whatever ends it."""

    def __init__(self, file: Path, descriptor: int) -> None:
        self._file = file
        self._descriptor = descriptor

    @classmethod
    def of(cls, path: Path) -> _Note | None:
        """A note that is held; None where none can be written, as in a home that is read-only: then nothing follows from it."""
        try:
            _notes().mkdir(mode=0o700, parents=True, exist_ok=True)
            while (note := cls._fresh()) is None:
                pass
        except (OSError, RuntimeError):
            return None
        return note if note.write(path) else None

    @classmethod
    def _fresh(cls) -> _Note | None:
        """An empty note that is held; None: another command was quicker, and has removed it as nobody held it yet."""
        file = _notes() / f"{_word()}.{_host()}"
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink > 0:
                return cls(file, descriptor)
        except OSError:
            os.close(descriptor)
            file.unlink(missing_ok=True)
            raise
        os.close(descriptor)
        return None

    def write(self, path: Path) -> bool:
        """Say what it is about; False: there is no room for it."""
        try:
            os.write(self._descriptor, os.fsencode(path))
        except OSError:
            self.tear_up()
            return False
        return True

    @classmethod
    def take_over(cls, file: Path) -> None:
        """Remove what a note names, and the note, unless a process holds it."""
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return
        note = cls(file, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path := os.read(descriptor, os.fstat(descriptor).st_size):
                _remove(Path(os.fsdecode(path)))
        except OSError:  # it is held
            os.close(descriptor)
        else:
            note.tear_up()

    def tear_up(self) -> None:
        """Remove the note itself."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)
        os.close(self._descriptor)


def _notes() -> Path:
    return state_folder() / "temporary"


def _word() -> str:
    return os.urandom(_NAME_BYTES).hex()


def _host() -> str:
    """Homes may be shared, and locks of other hosts may not be seen here."""
    return os.uname().nodename


def _remove(path: Path) -> None:
    """Remove it, if it is there and its owner is this user."""
    import shutil

    with contextlib.suppress(OSError):
        if path.lstat().st_uid != os.getuid():
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
