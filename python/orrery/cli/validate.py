# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from orrery import _core
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.options import option, parse_budget
from orrery.cli.outputs import FIGURES, by_ending, figure_of
from orrery.cli.said import refuse_all, said, spelling
from orrery.cli.simulating import ForceOption, MappingOption, SeedOption, VaryOption
from orrery.errors import InputError
from orrery.output import Output
from orrery.platform.model import Model
from orrery.run.settings import RunSettings

if TYPE_CHECKING:
    from orrery.validate.measure import Plan
    from orrery.validate.programs import ProgramValidation
    from orrery.validate.settings import Validation

_HELP = """
Compare predictions with measurements, case by case, and say how far they are apart.

Collectives: each measured case is simulated as it was timed, a barrier before every call, as many calls, the
longest local duration over the ranks; by each network model that the platform has parameters for, side by side.
Measured times come from CSV files (--ingest), or are measured now, on your MPI (--mpirun, --mpicc); ranks must then
share nodes as --map has it on the platform, which they are asked first.

Programs: --profile compares the time in every MPI routine, not only the total, where errors of opposite sign
hide each other. It takes what was measured, CSV with the columns function, calls_all_ranks, seconds_all_ranks,
and the record of a simulated run, as `orrery run -o FILE.json` writes it.

--trace takes runs that `orrery capture` recorded instead: their computation is replayed with simulated messages, and
the time in every routine is compared with what the trace says it took; several runs of one program give medians.

With --replicas N predictions are intervals, from the 5th to the 95th percentile of N simulations whose noise
differs: a case is inside when its median lies in the measured spread, and overlaps when its interval and that
spread have a time in common. Twenty or more make a percentile one. With --vary calibration they differ in the
platform's parameters as well, as far as its calibration leaves them open.

Ctrl-C shows what has been simulated by then; measured times are kept in the file of --keep, from which the same
command goes on.

--suite FILE runs all validations that a TOML file lists, and compares with the report stored last.

Exit code 1: an error is above its bound (--most-median, --most-p90), or, with --suite, became worse than it.

\b
Examples:
  orrery validate --platform cluster.toml --selector openmpi-4.1 --ingest times.csv -o errors.html
  orrery validate --platform cluster.toml --selector openmpi-4.1 -n 4,8,16 -s 4:1M --budget 4min \\
    --mpirun "mpirun -np {n} --hostfile hosts" --mpicc mpicc --keep times.csv bcast allreduce alltoall
  orrery validate --platform cluster.toml --ingest all.csv --where testbed=v50 --where impl=openmpi --json
  orrery validate --profile npb-functions.csv --where kernel=cg.W --record cg.json
  orrery validate --trace cg.trace --platform cluster.toml --selector openmpi-4.1 --replicas 20
  orrery validate --suite suite.toml --store reports
"""

_REPLICAS = 3
"""Of collectives, where the user does not say: enough for a median."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("validate", help=_HELP, short_help="Compare predictions with measurements.")(_validate)


def _validate(
    context: typer.Context,
    kinds: Annotated[list[str] | None, typer.Argument(metavar="KIND...", help="Collectives to measure.")] = None,
    *,
    platform: Annotated[str, option(RunSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = "default",
    selector: Annotated[
        str, option(RunSettings, "selector", "--selector", metavar="NAME", values=_core.selectors())
    ] = "default",
    mapping: MappingOption = "node",
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="hybrid|loggps|fluid", help="Network model; may be repeated; by default all."),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            "--replicas",
            min=1,
            metavar="N",
            help="Predict as intervals: median, 5th and 95th percentile over so many seeds of the noise; by default 3 for "
            "collectives, 1 for programs.",
        ),
    ] = None,
    vary: VaryOption = "noise",
    seed: SeedOption = 0,
    force: ForceOption = False,
    ingest: Annotated[
        list[Path] | None, typer.Option("--ingest", metavar="FILE", help="Measured times, CSV; may be repeated.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="COLUMN=VALUE", help="Only rows with this value; may be repeated."),
    ] = None,
    mpirun: Annotated[
        str | None, typer.Option("--mpirun", metavar="COMMAND", help='What starts programs: "mpirun -np {n} ...".')
    ] = None,
    mpicc: Annotated[str, typer.Option("--mpicc", metavar="COMMAND", help="Compiler of that MPI.")] = "mpicc",
    ranks: Annotated[
        str, typer.Option("-n", "-np", "--ranks", metavar="N,...", help="Numbers of ranks to measure.")
    ] = "",
    sizes: Annotated[
        str, typer.Option("-s", "--size", metavar="BYTES,...", help="Sizes to measure, such as 4:1MiB:4.")
    ] = "4,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB",
    budget: Annotated[
        str,
        typer.Option(
            "--budget", metavar="TIME", help="For measuring each number of ranks: 2min, 90s; a number: minutes."
        ),
    ] = "2min",
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FILE", help="Where measured times go; goes on from what is there.")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="FILE", help="Measured time in each MPI routine, CSV.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="The simulated run: what `orrery run -o FILE.json` wrote."),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option("--trace", metavar="FILE", help="A captured run of a program; may be repeated: runs of the same."),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option("--suite", metavar="FILE", help="Run all that a TOML file lists.")
    ] = None,
    store: Annotated[
        Path, typer.Option("--store", metavar="FOLDER", help="Where reports of the suite are kept.")
    ] = Path("validation"),
    most_median: Annotated[
        float | None, typer.Option("--most-median", metavar="X", help="Bound of the median error, such as 0.1.")
    ] = None,
    most_p90: Annotated[
        float | None, typer.Option("--most-p90", metavar="X", help="Bound of the 90th percentile.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON; in seconds.")] = False,
    every_case: Annotated[bool, typer.Option("--cases/--no-cases", help="Show each case, too.")] = True,
    output: Annotated[
        list[Path] | None,
        output_option(
            "What to write, by its ending: everything (FILE.json) or a drawing (FILE.html, .svg, .png); may be repeated."
        ),
    ] = None,
    overwrite: OverwriteOption = False,
) -> int:
    _check(context)
    inputs = [*(ingest or ()), *(trace or ()), *filter(None, (profile, record))]
    outputs = by_ending(output, (".json", *FIGURES), overwrite=overwrite, read=inputs)
    budget_s = parse_budget(budget)
    if suite is not None:
        return _suite(suite, store, as_json=as_json, force=force)
    chosen = _columns(where or [])
    if profile is not None and record is not None:
        return _routines(profile, record, chosen, most_median, as_json=as_json, outputs=outputs)
    if trace:
        from orrery.validate.programs import ProgramValidation

        program = ProgramValidation(
            traces=tuple(trace),
            platform=platform,
            selector=selector,
            mapping=mapping,
            model=_one_model(model),
            replicas=replicas or 1,
            seed=seed,
            vary=vary,
            force=force,
            most_error=most_median,
        )
        return _program(program, as_json=as_json, outputs=outputs)
    from orrery.validate.measure import Plan

    plan = Plan(
        mpirun=mpirun or "",
        mpicc=mpicc,
        kinds=tuple(kinds or ()),
        ranks=ranks,
        sizes=sizes,
        seconds=budget_s,
        file=keep,
    )
    from orrery.validate.settings import Validation

    validation = Validation(
        platform=platform,
        selector=selector,
        mapping=mapping,
        models=_models(model or []),
        replicas=replicas or _REPLICAS,
        seed=seed,
        vary=vary,
        force=force,
        ingest=(plan.times,) if mpirun else tuple(ingest or ()),
        where=chosen,
        most_median=most_median,
        most_p90=most_p90,
    )
    if mpirun:
        _measure(plan, validation)
    return _collectives(validation, as_json=as_json, every_case=every_case, outputs=outputs)


def _measure(plan: Plan, validation: Validation) -> None:
    """Times of the user's MPI, now; Ctrl-C says where those are that were measured by then."""
    from orrery.validate.measure import measure
    from orrery.validate.places import check_places

    hosts_of, mapping = validation.predictor.hosts_of, validation.mapping
    try:
        measure(plan, sys.stderr, lambda layout: check_places(layout, hosts_of, mapping))
    except KeyboardInterrupt:
        kept = f"what was measured is in {plan.times}, and --ingest {plan.times} compares it"
        found = kept if plan.times.exists() else "nothing was measured yet"
        sys.stderr.write(f"orrery: interrupted: {found}; the same command goes on from there\n")
        raise


_COLLECTIVES = (
    "kinds",
    "mpirun",
    "mpicc",
    "ranks",
    "sizes",
    "budget",
    "keep",
    "ingest",
    "where",
    "most_p90",
    "every_case",
)
_SIMULATION = ("platform", "selector", "mapping", "model", "replicas", "vary", "seed")
_NOT_WITH: dict[str, tuple[str, ...]] = {
    "suite": (*_COLLECTIVES, *_SIMULATION, "most_median", "profile", "record", "trace", "output", "overwrite"),
    "profile": (*(name for name in _COLLECTIVES if name != "where"), *_SIMULATION, "force", "trace", "store"),
    "trace": (*_COLLECTIVES, "record", "store"),
    "ingest": ("kinds", "mpirun", "mpicc", "ranks", "sizes", "budget", "keep", "record", "store"),
    "mpirun": ("record", "store"),
}
"""By what is compared, what would be ignored."""


def _check(context: typer.Context) -> None:
    """Raises InputError for what would be ignored, or is missing."""
    given = said(context)
    for name, others in _NOT_WITH.items():
        if name in given:
            refuse_all(context, others, f"acts not with {spelling(context, name)}")
            break
    else:
        raise InputError(
            "nothing to compare with: --ingest FILE, --mpirun COMMAND, --profile FILE, --trace FILE or --suite FILE"
        )
    if "profile" in given and "record" not in given:
        raise InputError("--profile and --record belong together: what was measured, and what was simulated")
    if "trace" in given and "vary" in given and "replicas" not in given:
        raise InputError("--vary: acts only with --replicas")


def _suite(suite: Path, store: Path, *, as_json: bool, force: bool) -> int:
    from functools import partial

    from orrery.report.routines import write_program
    from orrery.report.validation import write_tables
    from orrery.validate.suite import Tables, run_suite

    tables = Tables(collectives=partial(write_tables, every_case=False), program=write_program)
    return run_suite(suite, store, sys.stdout, tables, as_json=as_json, force=force)


def _collectives(validation: Validation, *, as_json: bool, every_case: bool, outputs: dict[str, Output]) -> int:
    from orrery.progress import progress
    from orrery.report.validation import write_tables

    with progress() as advanced:
        found = validation.compare(advanced)
    if as_json:
        _write_json(found.as_json())
    else:
        write_tables(found, sys.stdout, every_case=every_case)
    _write_record(found.as_json(), outputs)
    for output in figure_of(outputs):
        from orrery.report.validation_plot import write_page

        write_page(found, output)
    if found.missing:
        sys.stderr.write(
            f"orrery: interrupted: {len(found.cases)} of {len(found.cases) + found.missing} cases are there; the same "
            "command simulates all of them\n"
        )
        return 130
    return _complain(validation.exceeded(found))


def _routines(
    profile: Path, record: Path, where: dict[str, str], most: float | None, *, as_json: bool, outputs: dict[str, Output]
) -> int:
    from orrery.report.routines import write_page, write_table
    from orrery.validate.routines import compare, measured_routines, simulated_routines

    found = compare(measured_routines(profile, where), simulated_routines(record))
    if as_json:
        _write_json(found.as_json())
    else:
        write_table(found, sys.stdout)
    _write_record(found.as_json(), outputs)
    for output in figure_of(outputs):
        write_page(found, output)
    worst = max((abs(line.error_of_share) for line in found.lines), default=0.0)
    return _complain([f"an error of {worst:.1%} is above {most:.1%}"] if most is not None and worst > most else [])


def _program(validation: ProgramValidation, *, as_json: bool, outputs: dict[str, Output]) -> int:
    from orrery.report.routines import write_page, write_program

    found = validation.compare()
    if as_json:
        _write_json(found.as_json())
    else:
        write_program(found, sys.stdout)
    _write_record(found.as_json(), outputs)
    for output in figure_of(outputs):
        write_page(found.routines, output)
    return _complain(validation.exceeded(found))


def _write_json(found: dict[str, Any]) -> None:
    sys.stdout.write(_json(found))


def _write_record(found: dict[str, Any], outputs: dict[str, Output]) -> None:
    if ".json" in outputs:
        outputs[".json"].write(_json(found))


def _json(found: dict[str, Any]) -> str:
    from orrery.marks import mark_json

    return json.dumps(mark_json(found), indent=1) + "\n"


def _complain(above: list[str]) -> int:
    for line in above:
        sys.stderr.write(f"orrery validate: {line}\n")
    return 1 if above else 0


def _one_model(named: list[str] | None) -> Model | None:
    if named and len(named) > 1:
        raise InputError("--model: a program is replayed with one of them")
    return _models(named)[0] if named else None


def _models(named: list[str]) -> tuple[Model, ...]:
    known: tuple[Model, ...] = get_args(Model)
    if unknown := [name for name in named if name not in known]:
        raise InputError(f"--model {unknown[0]}: there are {', '.join(known)}")
    return tuple(model for model in known if not named or model in named)


def _columns(where: list[str]) -> dict[str, str]:
    chosen = {}
    for text in where:
        column, equals, value = text.partition("=")
        if not equals or not column:
            raise InputError(f'--where "{text}": expected COLUMN=VALUE')
        chosen[column] = value
    return chosen
