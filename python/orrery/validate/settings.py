# SPDX-License-Identifier: BSD-3-Clause
"""Settings of one validation, of collectives or of a program, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from orrery.errors import Interrupt
from orrery.experiment.settings import AS_RECORDED, DEFAULT_MAPPING, SimulationSettings, Vary, check_vary
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.verbs import same, setting

if TYPE_CHECKING:
    from orrery.validate.comparison import ValidationComparison
    from orrery.validate.predicted import Predictor

_INGESTED = {"ingest": "acts not with {ingest}"}
_MEASURED = {"mpirun": "acts on measured files ({ingest})"}


@dataclass(frozen=True, kw_only=True)
class MeasuringPlan:
    """What is measured on the user's MPI, and how."""

    kinds: Annotated[Sequence[str], setting(metavar="KIND...", kind="words", beside=_INGESTED)] = ()
    """Collectives to measure."""
    mpirun: Annotated[str, setting("--mpirun", metavar="COMMAND", beside=_INGESTED)] = ""
    """What starts programs: "mpirun -np {n} ..."."""
    mpicc: Annotated[str, setting("--mpicc", metavar="COMMAND", beside=_INGESTED)] = "mpicc"
    """Compiler of that MPI."""
    ranks: Annotated[str, setting("-n", "-np", "--ranks", metavar="N,...")] = ""
    """Numbers of ranks to measure; of measured tables that do not say it, how many ranks they are of."""
    sizes: Annotated[str, setting("-s", "--size", metavar="BYTES,...", beside=_INGESTED)] = (
        "4,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB"
    )
    """Sizes to measure, such as 4:1MiB:4."""
    budget: Annotated[str, setting("--budget", metavar="TIME", beside=_INGESTED)] = "2min"
    """For measuring each number of ranks: 2min, 90s; a number: minutes."""
    keep: Annotated[Path | None, setting("--keep", metavar="FILE", beside=_INGESTED)] = None
    """Where measured times go; goes on from what is there."""

    @property
    def times(self) -> Path:
        """Absolute path of the CSV file of measured times."""
        return (self.keep or Path("collective-times.csv")).absolute()


@dataclass(frozen=True, kw_only=True)
class CollectiveValidation:
    """Settings of the comparison of measured collectives with predictions. Raises InputError for what would be ignored."""

    platform: Annotated[str, same(SimulationSettings)] = DEFAULT
    selector: Annotated[str, same(SimulationSettings)] = "default"
    coll: Annotated[str, same(SimulationSettings)] = ""
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    mapping: Annotated[str, same(SimulationSettings)] = DEFAULT_MAPPING
    models: tuple[Model, ...] = get_args(Model)
    replicas: Annotated[int, same(SimulationSettings)] = 3
    """Predict as intervals: median, 5th and 95th percentile over so many seeds of the noise."""
    vary: Annotated[Vary, same(SimulationSettings)] = "noise"
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    ingest: tuple[Path, ...]
    """Files of measured times."""
    ranks: int | None = None
    """How many ranks measured tables are of that do not say it."""
    nodes: Annotated[int | None, setting("--nodes", metavar="N", least=1, beside=_MEASURED)] = None
    """Nodes of measured tables that do not say it."""
    ppn: Annotated[int | None, setting("--ppn", metavar="N", least=1, beside=_MEASURED)] = None
    """Ranks on each node, of measured tables that do not say it."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Only rows whose columns have these values are compared."""
    most_median: Annotated[float | None, setting("--most-median", metavar="X", in_python=False)] = None
    """Bound of the median error, such as 0.1."""
    most_p90: Annotated[float | None, setting("--most-p90", metavar="X", in_python=False)] = None
    """Bound of the 90th percentile."""

    def __post_init__(self) -> None:
        check_vary(self.vary, self.replicas)

    @cached_property
    def predictor(self) -> Predictor:
        """Predictor with these settings. Raises InputError for platforms and selectors that cannot be used."""
        from orrery.collective.selector import selector_named
        from orrery.validate.predicted import Predictor

        return Predictor(
            self.platform,
            selector_named(self.selector, self.coll, self.rules),
            self.mapping,
            models=self.models,
            replicas=self.replicas,
            seed=self.seed,
            vary=self.vary,
            force=self.force,
        )

    def compare(self, advanced: Callable[[int, int], object] = lambda _done, _all: None) -> ValidationComparison:
        """Simulate all measured cases. Raises InputError for files, platforms and selectors that cannot be used.

        After Ctrl-C, the cases that were simulated are compared; without any, Interrupt is raised.
        """
        from orrery.collective.asked import cautions_of_choices
        from orrery.evidence.statement import statement_of
        from orrery.platform.trusted import cautions_of, verdict_of
        from orrery.validate.comparison import ValidationCase, ValidationComparison
        from orrery.validate.measured import read
        from orrery.validate.measured_logs import UserLayout

        found = read(self.ingest, self.where, UserLayout(self.ranks, self.nodes, self.ppn))
        measured, predictor = found.cases, self.predictor
        asked = cautions_of_choices(predictor.chosen(measured), predictor.selector, self.rules)
        predicted = predictor.predict(measured, advanced)
        if measured and not predicted:
            raise Interrupt("no case was simulated yet; the same command simulates all of them")
        statement = statement_of(predictor.platform)
        return ValidationComparison(
            platform=predictor.platform["name"],
            source=predictor.platform["source"],
            calibration=verdict_of(predictor.platform),
            selector=predictor.selector.name,
            models=predictor.models,
            cases=[
                ValidationCase.of(measurement, models, statement)
                for measurement, models in zip(measured, predicted, strict=False)
            ],
            missing=len(measured) - len(predicted),
            cautions=[*asked, *cautions_of(predictor.platform), *predictor.cautions, *found.cautions],
        )

    @property
    def bounded(self) -> bool:
        """Whether an error has a bound."""
        return self.most_median is not None or self.most_p90 is not None

    def exceeded(self, found: ValidationComparison) -> list[str]:
        """A sentence for each bound that the first model exceeds."""
        from orrery.validate.comparison import exceeded

        summary = found.summary[found.models[0]]["all"]
        return exceeded(summary, [("median", self.most_median), ("p90", self.most_p90)])


@dataclass(frozen=True, kw_only=True)
class ProgramValidation:
    """Settings of the comparison of one program with its prediction."""

    traces: tuple[Path, ...]
    """Traces of `orrery capture`. The first one is replayed; the measured times are medians over all of them."""
    platform: Annotated[str, same(SimulationSettings)] = DEFAULT
    selector: Annotated[str, same(SimulationSettings)] = "default"
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=AS_RECORDED)] = None
    model: Annotated[Model | None, same(SimulationSettings)] = None
    """Network model; by default the platform's own."""
    replicas: Annotated[int, same(CollectiveValidation)] = 1
    vary: Annotated[Vary, same(SimulationSettings)] = "noise"
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    most_error: Annotated[float | None, setting("--most-median", metavar="X")] = None
    """Bound of the error of the total, and of each routine as a share of the measured time, such as 0.1."""
