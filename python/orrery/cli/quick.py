# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are over before the rest of the program would be loaded.

Reading a command line with typer takes 0.2 s, of which pydantic is the most. A schedule of ten thousand ranks under LogGOPS
takes a tenth. So its command line is read here, if it is as plain as can be; all others, and whatever is wrong or strange,
are left to typer, which knows what to say of them.
"""

from __future__ import annotations

import sys


def run(words: list[str]) -> int | None:
    """Do what `orrery WORDS` does, if it is known here, and give its exit code. None: ask typer."""
    if words[:1] != ["replay"]:
        return None
    files, parameters, as_json = [], [], False
    left = iter(words[1:])
    for word in left:
        name, equals, value = word.partition("=")
        if name == "--loggops":
            parameters.append(value if equals else next(left, "-"))
        elif word == "--print-json":
            as_json = True
        else:
            files.append(word)
    if len(files) != 1 or len(parameters) != 1 or any(word.startswith("-") for word in (*files, *parameters)):
        return None
    return _loggops(files[0], parameters[0], as_json=as_json)


def _loggops(schedule: str, parameters: str, *, as_json: bool) -> int:
    from orrery.errors import OrreryError
    from orrery.trace.loggops import run_loggops

    try:
        found = run_loggops(schedule, parameters)
    except OrreryError as error:
        sys.stderr.write(f"orrery: error: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(found.to_json() if as_json else found.text())
    return 0 if found.complete else 1
