# SPDX-License-Identifier: BSD-3-Clause
"""Gives readers files that nobody wrote: `python tests/fuzz/draw.py READER [--seconds N] [--seed N] [--only N] [--found FOLDER]`.

A draw is a case of the corpus or a seed with some changes; seed and number say which. It is judged in a child, which goes
on with the next one as long as nothing is found.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from judging import Finding, bounded, ended_by, judge
from mutations import mutated
from readers import READERS
from seeds import SEEDS, Files

from orrery.temporary import remove_abandoned, temporary_folder

CORPUS = Path(__file__).parent / "found"
"""What was ever found: a folder for each reader, a folder for each case in it."""
_SET_PDEATHSIG = 1
_BATCH = 300
"""Draws of one child: a process keeps what readers leave behind, and is to be as fresh as that of a command."""
_MOST_FINDINGS = 10
"""More would say the same."""


def corpus_of(reader: str) -> dict[str, Files]:
    """Cases of a reader that were found once, by name."""
    folder = CORPUS / reader
    cases = sorted(folder.iterdir()) if folder.is_dir() else []
    return {
        case.name: {
            str(file.relative_to(case)): file.read_bytes() for file in sorted(case.rglob("*")) if file.is_file()
        }
        for case in cases
    }


def drawn(cases: list[Files], reader: str, seed: int, number: int) -> Files:
    """The draw with this number."""
    draws = Random(f"{reader} {seed} {number}")  # noqa: S311  the same each time
    return mutated(draws.choice(cases), draws)


class Search:
    """Draws of one reader, in children."""

    def __init__(self, reader: str, seed: int, found: Path, seconds: float) -> None:
        self._end_s = time.monotonic() + seconds
        self._reader = reader
        self._seed = seed
        self._found = found
        seeds = SEEDS[reader]()
        with temporary_folder("orrery-fuzz-") as folder:
            for number, files in enumerate(seeds):  # loads all that the reader needs: children do not count it
                judge(reader, files, folder / str(number))
        self._cases = [*seeds, *corpus_of(reader).values()]
        self.draws = self.read = self.findings = 0

    def all(self) -> None:
        """Judge draw after draw until the time is over, or too much was found."""
        while time.monotonic() < self._end_s and self.findings < _MOST_FINDINGS:
            self.batch(self.draws, _BATCH)

    def batch(self, first: int, count: int) -> None:
        """Judge up to so many draws in a child, up to the first finding."""
        memory = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  thousands of small files
        with temporary_folder("orrery-fuzz-", memory) as folder:
            read_end, write_end = os.pipe()
            child = os.fork()
            if child == 0:
                self._in_child(range(first, first + count), write_end, folder)
            os.close(write_end)
            try:
                with os.fdopen(read_end, "rb") as pipe:
                    said = pipe.read()
            except BaseException:  # the folder goes: nobody is to write into it any more
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise
            status = os.waitpid(child, 0)[1]
        verdicts, _, words = said.partition(b"!")
        self.draws += len(verdicts)
        self.read += verdicts.count(b"r")
        if not words and not status:
            return
        self.draws += 1
        self._keep(first + len(verdicts), words.decode(errors="replace") or ended_by(status))

    def _in_child(self, numbers: range, pipe: int, folder: Path) -> None:
        """Write `r` for what was read and `x` for what was refused; behind `!` what was found. Does not come back."""
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        ctypes.CDLL(None).prctl(_SET_PDEATHSIG, signal.SIGKILL)
        gc.freeze()  # what is there by now is not looked through again and again
        for number in numbers:
            if number > numbers[0] and time.monotonic() > self._end_s:
                break
            place = folder / str(number)
            files = drawn(self._cases, self._reader, self._seed, number)
            try:
                with bounded():
                    os.write(pipe, b"r" if judge(self._reader, files, place) else b"x")
            except BaseException as error:  # MemoryError, too
                os.write(
                    pipe, b"!" + (str(error) if isinstance(error, Finding) else repr(error)).encode(errors="replace")
                )
                break
            shutil.rmtree(place, ignore_errors=True)
        os._exit(0)

    def _keep(self, number: int, words: str) -> None:
        self.findings += 1
        place = self._found / f"{self._reader}-{self._seed}-{number}"
        for name, content in drawn(self._cases, self._reader, self._seed, number).items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
        (place / "what").write_text(words, encoding="utf-8")
        again = f"python tests/fuzz/draw.py {self._reader} --seed {self._seed} --only {number}"
        sys.stdout.write(f"{self._reader}: {words}\n  in {place}; again: {again}\n")
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reader", choices=sorted(READERS))
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    parser.add_argument("--only", type=int, help="the number of the only draw")
    parser.add_argument("--found", type=Path, default=Path("build/fuzz/found"))
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that its folder goes
    remove_abandoned()
    search = Search(asked.reader, asked.seed, asked.found, asked.seconds)
    if asked.only is not None:
        search.batch(asked.only, 1)
    else:
        search.all()
    sys.stdout.write(
        f"{asked.reader}: seed {asked.seed}, {search.draws} drawn, {search.read} of them could be read, "
        f"{search.findings} findings\n"
    )
    sys.exit(1 if search.findings else 0)


if __name__ == "__main__":
    main()
