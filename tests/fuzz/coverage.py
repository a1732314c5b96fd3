# SPDX-License-Identifier: BSD-3-Clause
"""Looks for files that reach new lines of a reader that is Python: `python tests/fuzz/coverage.py READER CORPUS [libFuzzer's options]`.

Only the main file of a case is drawn; what lies beside it is that of the first seed.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["orrery"]):
    from readers import READERS

    from orrery.errors import InputError
from mutations import mutated
from seeds import SEEDS

from orrery.temporary import temporary_folder

_MOST_BYTES = 1 << 16


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"coverage.py READER CORPUS [OPTIONS]; READER: {', '.join(READERS)}")
    name = sys.argv.pop(1)
    # libFuzzer leaves without a word to Python, so that the folder is removed by another process.
    with temporary_folder("orrery-fuzz-") as folder:
        fuzzer = os.fork()
        if fuzzer == 0:
            _fuzz(name, folder)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(fuzzer, signal.SIGTERM))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the fuzzer, too
        code = os.waitstatus_to_exitcode(os.waitpid(fuzzer, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


def _fuzz(name: str, folder: Path) -> None:
    """Does not come back."""
    reader = READERS[name]
    for beside, content in SEEDS[name]()[0].items():
        (folder / beside).parent.mkdir(parents=True, exist_ok=True)
        (folder / beside).write_bytes(content)

    def read(data: bytes) -> None:
        (folder / reader.main).write_bytes(data)
        with suppress(InputError):
            reader.read(folder / reader.main)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        draws = Random(seed)  # noqa: S311  the same each time
        if draws.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return mutated({reader.main: data}, draws)[reader.main][: min(most, _MOST_BYTES)]

    atheris.Setup(sys.argv, read, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
