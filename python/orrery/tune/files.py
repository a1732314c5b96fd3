# SPDX-License-Identifier: BSD-3-Clause
"""Which files rules are written as, and how a library is told to load them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orrery.marks import COMMENT
from orrery.output import checked, checked_folder
from orrery.published import SPREAD, json_of
from orrery.tune.cautions import cautions
from orrery.tune.forced import forced
from orrery.tune.formats import intel, mpich_json, openmpi_han, openmpi_json
from orrery.tune.formats.openmpi_classic import classic
from orrery.tune.rules import RulesOrigin, TunedRule, TunedRules, each_rule
from orrery.words import comment, setting, shell

ABOUT = "tuned.json"
RULES = "openmpi-rules.conf"
RULES_6 = "openmpi-6-rules.json"
HAN = "openmpi-han-rules.conf"
PARAMETERS = "mca-params.conf"
ALGORITHMS = "mpich-tuning.json"
COMPOSITIONS = "mpich-ch4-tuning.json"
VARIABLES = "mpich.sh"
INTEL = "intel-mpi.sh"
_CURE = "which stays; name another folder, or replace only files of the same names with --overwrite"
_FOR_6 = f"{RULES_6}: these rules for Open MPI 6.0 and later, which reads files such as {RULES} otherwise; no build of 6.0 was there to try it"


@dataclass(frozen=True, kw_only=True)
class RulesFile:
    """`tuned.json`: where the files beside it come from, as some formats have no comments."""

    written_by: str
    library: str
    made: RulesOrigin = field(metadata=SPREAD)
    cautions: list[str]
    """What to mind before a program runs with them."""
    load: dict[str, str]
    """Environment variables that make the library load the files. Those of Intel MPI depend on the number of ranks: `intel-mpi.sh`."""
    rules: list[TunedRule]


def files_of(tuned: TunedRules, folder: Path) -> dict[str, str]:
    """Texts of the files by their names.

    Args:
        tuned: the rules.
        folder: where the files will be; parameters name them by absolute paths.
    """
    found = {ABOUT: _about(tuned, folder)}
    if tuned.library.family == "intel":
        return found | {INTEL: intel.script(tuned, INTEL, _comments(tuned))}
    return found | (_of_openmpi(tuned, folder) if tuned.library.family == "openmpi" else _of_mpich(tuned, folder))


def environment(tuned: TunedRules, folder: Path, ranks: int | None = None) -> dict[str, str]:
    """Variables by which ranks load the files. `ranks`: of the communicators; None: only what holds for any number."""
    if tuned.library.family == "intel":
        return {} if ranks is None else intel.variables(tuned, ranks)
    if tuned.library.family == "openmpi":
        return {f"OMPI_MCA_{name}": value for name, value in _parameters(tuned, folder).items()}
    found = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": _in(folder, ALGORITHMS)}
    if mpich_json.compositions(tuned) is not None:
        found["MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"] = _in(folder, COMPOSITIONS)
    return found


def loading(tuned: TunedRules, folder: Path) -> list[str]:
    """How a user makes the library load the files: sentences, with a command each."""
    if tuned.library.family == "openmpi":
        return [
            f"mkdir -p ~/.openmpi && cat {shell(_in(folder, PARAMETERS))} >> ~/.openmpi/mca-params.conf",
            *(f"or: export {name}={shell(value)}" for name, value in environment(tuned, folder).items()),
        ]
    if tuned.library.family == "intel":
        numbers = sorted({count for row in tuned.rows for count in row.counts})
        return [f". {shell(_in(folder, INTEL))} {numbers[-1]}   # the number of ranks"] if numbers else []
    return [f"source {shell(_in(folder, VARIABLES))}"]


def write(tuned: TunedRules, folder: Path, more: Mapping[str, str], *, overwrite: bool) -> list[Path]:
    """Put all files into a folder, which is made where there is none; what was written.

    A folder that Orrery wrote is replaced. With `overwrite` files of these names are replaced in any folder, and others stay.
    `more`: texts of further files, by their names.
    Raises InputError where it cannot be written, or has what Orrery did not write.
    """
    texts = {**files_of(tuned, folder), **more}
    if overwrite and folder.is_dir():
        for output, text in [(checked(folder / name, overwrite=True), text) for name, text in texts.items()]:
            output.write(text)
    else:
        with checked_folder(folder, cure=_CURE).partial() as partial:
            for name, text in texts.items():
                (partial / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def check_place(folder: Path, *, overwrite: bool) -> None:
    """Before the work. Raises InputError as `write` does."""
    if not (overwrite and folder.is_dir()):
        checked_folder(folder, cure=_CURE)


def _about(tuned: TunedRules, folder: Path) -> str:
    about = RulesFile(
        written_by=f"Orrery {tuned.made.orrery}: orrery tune",
        library=tuned.library.name,
        made=tuned.made,
        cautions=cautions(tuned),
        load=environment(tuned, folder),
        rules=each_rule(tuned.rows),
    )
    return f"{json_of(about)}\n"


def _comments(tuned: TunedRules) -> list[str]:
    return [
        COMMENT.removeprefix("# "),
        f"Collective algorithms for {tuned.library.name}, by orrery tune",
        f"platform {tuned.made.platform}; ranks {tuned.made.mapping}",
        *tuned.made.gains,
        *(f"caution: {caution}" for caution in cautions(tuned)),
    ]


def _of_openmpi(tuned: TunedRules, folder: Path) -> dict[str, str]:
    comments = _comments(tuned)
    settings = "".join(f"{setting(name, value)}\n" for name, value in _parameters(tuned, folder).items())
    found = {
        RULES: classic(tuned, comments),
        PARAMETERS: _commented([*comments, "For ~/.openmpi/mca-params.conf"]) + settings,
    }
    if tuned.library.name != "openmpi-4.1":
        if rules := openmpi_han.han(tuned, comments):
            found[HAN] = rules
        found[RULES_6] = openmpi_json.in_json(tuned)
        found[PARAMETERS] = _commented([*comments, _FOR_6, "For ~/.openmpi/mca-params.conf"]) + settings
    return found


def _parameters(tuned: TunedRules, folder: Path) -> dict[str, str]:
    found = {
        "coll_tuned_use_dynamic_rules": "1",
        "coll_tuned_dynamic_rules_filename": _in(folder, RULES),
    }
    if tuned.library.name != "openmpi-4.1" and openmpi_han.han(tuned, []):
        found |= {"coll_han_use_dynamic_file_rules": "1", "coll_han_dynamic_rules_filename": _in(folder, HAN)}
    return found


def _of_mpich(tuned: TunedRules, folder: Path) -> dict[str, str]:
    exports = [f"export {name}={shell(value)}" for name, value in environment(tuned, folder).items()]
    found = {
        ALGORITHMS: mpich_json.algorithms(tuned),
        VARIABLES: _commented(_comments(tuned)) + "".join(f"{line}\n" for line in [*exports, *_alone(tuned)]),
    }
    if (text := mpich_json.compositions(tuned)) is not None:
        found[COMPOSITIONS] = text
    return found


def _alone(tuned: TunedRules) -> list[str]:
    """Variables for collectives that have one algorithm in all rules. They would hold for all calls, and come before the files."""
    found: dict[str, str] = {}
    for kind in dict.fromkeys(row.kind for row in tuned.rows):
        bands = [band for row in tuned.rows if row.kind == kind for band in row.bands]
        chosen = {band.variant for band in bands if band.variant is not None}
        if len(chosen) == 1:
            found |= forced(tuned.library, kind, chosen.pop())
    lines = [comment(f"export {name}={shell(value)}") for name, value in found.items()]
    return [comment("Without the files, for all calls of these collectives:"), *lines] if found else []


def _commented(lines: Sequence[str]) -> str:
    return "".join(f"{comment(line)}\n" for line in lines)


def _in(folder: Path, name: str) -> str:
    return str((folder / name).absolute())
