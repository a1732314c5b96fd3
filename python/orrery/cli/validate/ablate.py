# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate ablate`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import interrupted
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.outputs import by_ending
from orrery.cli.shown import show_json
from orrery.cli.validate.shared import JsonOption, suite_of, write_record
from orrery.experiment.settings import SimulationSettings
from orrery.verbs import same

_HELP = """
Say what each table and key of a suite's platforms is worth.

Each is left out of every platform file that has it, as if it were absent, and everything that the suite lists is
predicted again. Shown is the error without it less the error with it, in percentage points, for each group of the
suite: a positive number says how much it helps. What acts only beside it is left out with it; all other values stay as
they were fitted beside it. A suite of a few hundred cases takes seconds for each key. Ctrl-C shows, and writes, what is
there by then, and says how to go on.

\b
Examples:
  orrery validate ablate suite.toml -o accuracy.md
  orrery validate ablate suite.toml --key transport --key transport.connections.queue
"""


@dataclass(frozen=True, kw_only=True)
class AblateOptions:
    """Which suite, and which keys."""

    file: Annotated[Path | None, typer.Argument(metavar="FILE", show_default=False)] = None
    """The suite."""
    suite: Annotated[Path | None, typer.Option("--suite", metavar="FILE", hidden=True)] = None
    """The earlier spelling of this, beside --ablate."""
    ablate: Annotated[bool, typer.Option("--ablate", hidden=True)] = True
    """Chooses this command where its name is not given."""
    key: Annotated[list[str] | None, typer.Option("--key", metavar="KEY")] = None
    """Only this table or key; may be repeated."""
    force: Annotated[bool, same(SimulationSettings)] = False
    as_json: JsonOption = False
    output: Annotated[
        list[Path] | None,
        output_option("What to write, by its ending: a page (FILE.md) or everything (FILE.json); may be repeated."),
    ] = None
    overwrite: OverwriteOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "ablate", AblateOptions, _ablate, help=_HELP)


def _ablate(_context: typer.Context, options: AblateOptions) -> int:
    file = suite_of(options.file, options.suite, "ablate")
    outputs = by_ending(options.output, (".json", ".md"), overwrite=options.overwrite, read=[file])
    from orrery.progress import progress
    from orrery.report.ablation import page, write_table
    from orrery.validate.ablation import ablate

    with progress() as advanced:
        found = ablate(file, force=options.force, only=tuple(options.key or ()), advanced=advanced)
    if options.as_json:
        show_json(found)
    else:
        write_table(found, terminal.styling(sys.stdout))
    write_record(found, outputs)
    if ".md" in outputs:
        outputs[".md"].write(page(found, str(file)))
    if found.missing:
        there, keys = len(found.ablations), " ".join(f"--key {key}" for key in found.missing)
        return interrupted(
            f"{there} of {there + len(found.missing)} keys are there; the others with the same command and {keys}"
        )
    return 0
