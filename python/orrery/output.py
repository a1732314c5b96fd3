# SPDX-License-Identifier: BSD-3-Clause
"""Files that commands write: checked before the work, written beside their place, and put there as a whole.

All commands write through this. A file that Orrery did not write is never replaced, unless the user says `--overwrite`;
that a place can be written is tried before, by an empty file beside it that is removed; `-` is standard output. Devices and pipes, such as /dev/null, are
written into, never replaced or removed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orrery.errors import InputError
from orrery.temporary import removed_at_end, temporary_folder, written_beside
from orrery.words import shell

STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Output:
    """A place where a file may be written, as `checked` gives it."""

    path: Path
    """As the user named it."""

    @property
    def is_standard_output(self) -> bool:
        """Whether it goes there instead of to a file."""
        return self.path == STANDARD_OUTPUT

    def write(self, text: str) -> None:
        """Write the file as a whole. Raises InputError when that fails; what was there before is then still there."""
        with self.partial() as partial:
            partial.write_text(text, encoding="utf-8")

    @contextmanager
    def partial(self) -> Iterator[Path]:
        """The name of a file to write, which takes its place at the end; if that is not reached, it is removed.

        Raises InputError when it cannot be written.
        """
        if self.is_standard_output or _is_device(self.path):
            with _through(self.path) as partial:
                yield partial
            return
        place = Path(os.path.realpath(self.path))  # a link stays one: somebody made it
        with written_beside(place) as partial:
            try:
                yield partial
                if partial.exists():
                    _keep_mode(place, partial)
                    partial.replace(place)
            except OSError as error:
                raise InputError(f"{self.path}: {error.strerror}: cannot write it") from None
            except InputError as error:  # the user knows nothing of another name
                raise InputError(str(error).replace(str(partial), str(self.path))) from None


def checked(path: Path, *, overwrite: bool = False, read: Iterable[Path] = ()) -> Output:
    """A place where a file may be written.

    Args:
        path: what the user named; `-` is standard output.
        overwrite: replace what is there, whoever wrote it.
        read: files that the command reads; it never writes over one of these.
    Raises:
        InputError: its folder is missing, it cannot be written there, or it is a file that Orrery did not write.
    """
    if path != STANDARD_OUTPUT:
        with _entered(path):
            _check_file(path, overwrite=overwrite, read=read)
    return Output(path)


@contextmanager
def _entered(path: Path) -> Iterator[None]:
    """Raise InputError where a folder on the way to a path may not be entered."""
    try:
        yield
    except PermissionError:
        raise InputError(f"{path}: the folder {path.parent} may not be entered; name another place") from None


def _check_file(path: Path, *, overwrite: bool, read: Iterable[Path]) -> None:
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}; make it first: mkdir -p {shell(folder)}")
    if any(_is_same(path, source) for source in read):
        raise InputError(f"{path}: is what is read; name another file to write")
    if path.exists():
        _check_present(path, overwrite=overwrite)
    if not _is_device(path) and (why := _refused(Path(os.path.realpath(path)))):
        raise InputError(f"{path}: no file can be written in the folder {folder} ({why}); name another place")


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A place where a folder of files may be written, as `checked_folder` gives it."""

    path: Path
    """As the user named it."""

    @contextmanager
    def partial(self) -> Iterator[Path]:
        """A new folder to write into, which takes its place at the end; if that is not reached, it is removed.

        Raises InputError when it cannot be written.
        """
        place = Path(os.path.realpath(self.path))
        with written_beside(place) as partial:
            before = partial.with_name(f"{partial.name}.before")
            try:
                partial.mkdir()
                yield partial
                if place.exists():
                    place.replace(
                        before
                    )  # if the command is killed now, this is all that there is: only afterwards it may go
                partial.replace(place)
            except OSError as error:
                if before.exists() and not place.exists():
                    before.replace(place)
                raise InputError(f"{self.path}: {error.strerror or error}: cannot write it") from None
            except InputError as error:  # the user knows nothing of another name
                raise InputError(str(error).replace(str(partial), str(self.path))) from None
            with removed_at_end(before):
                pass


def checked_folder(
    path: Path, *, read: Iterable[Path] = (), cure: str = "and --overwrite is for files; name another place"
) -> OutputFolder:
    """A place where a folder of files may be written.

    One that is there is replaced if Orrery wrote all that is in it, or it is empty; else never, as nobody can say what would
    be lost with it.

    Args:
        path: what the user named.
        read: files that the command reads; it never writes over a folder that has one of these.
        cure: what to do where something else is there.
    Raises:
        InputError: it cannot be written there, or something else is there.
    """
    if path == STANDARD_OUTPUT:
        raise InputError("-o -: this format is a folder of files; name a folder")
    with _entered(path):
        _check_folder(path, read, cure)
    return OutputFolder(path)


def _check_folder(path: Path, read: Iterable[Path], cure: str) -> None:
    from orrery.marks import not_own_in

    parent = path.parent
    if not parent.is_dir():
        raise InputError(f"{path}: there is no folder {parent}; make it first: mkdir -p {shell(parent)}")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path}: is a file, and this format is a folder of files; name another place")
    place = Path(os.path.realpath(path))
    if any(Path(os.path.realpath(source)).is_relative_to(place) for source in read):
        raise InputError(f"{path}: is what is read; name another folder to write")
    if place.is_dir() and (strange := not_own_in(place)):
        raise InputError(f"{path}: is a folder with what Orrery did not write, such as {strange}, {cure}")
    if why := _refused(place):
        raise InputError(f"{path}: nothing can be written in the folder {place.parent} ({why}); name another place")


def _check_present(path: Path, *, overwrite: bool) -> None:
    if not os.access(path, os.W_OK):
        raise InputError(f"{path}: is write-protected; name another file")
    if overwrite or _is_device(path):
        return
    from orrery.marks import is_own

    try:
        own = is_own(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: cannot see whether Orrery wrote it; name another file") from None
    if not own:
        raise InputError(
            f"{path}: is there, and Orrery did not write it; name another file, or replace it with --overwrite"
        )


def write_at_once(file: Path, text: str) -> None:
    """Replace a file of Orrery's own, such as its memory of the last run; its folder is made. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if _is_device(file):
        file.write_text(text, encoding="utf-8")
        return
    with written_beside(file) as partial:
        partial.write_text(text, encoding="utf-8")
        partial.replace(file)


def remove_unfinished(file: Path) -> None:
    """Remove what was written until it failed. A link stays: somebody else made it."""
    if file.is_file() and not file.is_symlink():
        file.unlink()


def _is_device(path: Path) -> bool:
    """It is there, and no regular file."""
    return path.exists() and not path.is_file()


def _refused(place: Path) -> str:
    """Why nothing can be made beside a place; empty: it can. It is tried: permissions allow root everything, in /proc, too."""
    try:
        with written_beside(place) as trial:
            trial.touch()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _is_same(path: Path, other: Path) -> bool:
    """Both are there, and one file."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def _keep_mode(before: Path, now: Path) -> None:
    with suppress(OSError):
        now.chmod(before.stat().st_mode & 0o7777)


@contextmanager
def _through(path: Path) -> Iterator[Path]:
    """A file elsewhere, which is copied at the end to where nothing can be put in place."""
    import shutil

    with temporary_folder() as folder:
        partial = folder / "output"
        yield partial
        if not partial.exists():
            return
        with partial.open("rb") as source:
            if path == STANDARD_OUTPUT:
                sys.stdout.flush()
                shutil.copyfileobj(source, sys.stdout.buffer)
                sys.stdout.buffer.flush()
                return
            try:
                with path.open("wb") as device:
                    shutil.copyfileobj(source, device)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}: cannot write it") from None
