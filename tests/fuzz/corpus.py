# SPDX-License-Identifier: BSD-3-Clause
"""Files that fuzzers with a corpus begin with: `python tests/fuzz/corpus.py FOLDER`; one folder inside for each reader.

Each is the main file of a seed, or of a case that was found once.
"""

from __future__ import annotations

import sys
from pathlib import Path

from draw import corpus_of
from readers import READERS
from seeds import SEEDS


def main() -> None:
    for name, reader in READERS.items():
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for number, files in enumerate([*SEEDS[name](), *corpus_of(name).values()]):
            if reader.main in files:
                (folder / str(number)).write_bytes(files[reader.main])


if __name__ == "__main__":
    main()
