# SPDX-License-Identifier: BSD-3-Clause
"""Settings common to runs and replays, declared once; checks, the help of options, and records use them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from orrery.errors import InputError
from orrery.experiment.link_load import WantedLinkLoad
from orrery.platform import core
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.verbs import setting

Vary = Literal["noise", "calibration"]

DEFAULT_MAPPING = "slot"
"""Where ranks go if nobody says it, in all commands and functions: as mpirun, mpiexec and srun place them."""
AS_RECORDED = f"{DEFAULT_MAPPING}, or as a trace was recorded"
"""Where ranks go if nobody says it and there may be a trace."""
MOST_SEED = (1 << 63) - 1
"""Largest seed of a first replica; those of further replicas, which follow it, fit 64 bits as well."""
MOST_SHARING_ERROR = 0.01
"""Largest error of sharing: beyond it, messages would end in another order than they do."""
BEST = "best"
"""The selector that takes of each call the algorithm that takes least by itself, where calls are simulated."""


def selectors() -> tuple[str, ...]:
    """Return the names of all that choose algorithms of collectives."""
    from orrery import _core

    return (*_core.selectors(), BEST)


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """Settings common to runs and replays. The docstring of a field is the help of its option."""

    platform: Annotated[str, setting("-p", "--platform", metavar="NAME|FILE", kind="platform")] = DEFAULT
    """Platform to run on: a built-in name (see `orrery platform list`) or a TOML file."""
    model: Annotated[Model | None, setting("--model", metavar="hybrid|loggps|fluid")] = None
    """Network model: hybrid, loggps or fluid; by default the platform's own."""
    mapping: Annotated[
        str, setting("--map", "--mapping", metavar="slot|node|socket|cabinet|ppr:N|random:SEED|file:PATH")
    ] = DEFAULT_MAPPING
    """Where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn, `socket` fills
    nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets, leaves or groups in turn,
    `ppr:N` gives N ranks to each node, `random:SEED` takes random cores, `file:PATH` reads a host file or a rank file, which
    may bind ranks to cores. Behind all but the last, "@HOSTS" uses only these: `slot@node-1,node-2:4`; and "/CORES"
    binds the ranks of each node to cores, in turn: `slot/0,2`, or `slot/0+1,2+3` to several each."""
    launcher: Annotated[str, setting("--launcher", metavar="ssh|manager[:FANOUT]")] = ""
    """How jobs are started, instead of what the platform's [launch] says: `ssh` or `manager`, the resource manager; with a
    fan-out behind it proxies form a tree: `ssh:8`."""
    selector: Annotated[str, setting("--selector", metavar="NAME", listed=selectors)] = "default"
    """Selector of collective algorithms: `default`, with thresholds from the literature; a version of an MPI library,
    with its built-in rules; or, where calls are simulated, `best`: of each the algorithm that takes least by itself."""
    coll: Annotated[str, setting("--coll", metavar="KIND=ALGORITHM,...")] = ""
    """Collective algorithms to use whatever the selector says, such as "allreduce=ring,bcast=binomial:segment=32KiB"."""
    rules: Annotated[Path | None, setting("--selector-rules", metavar="FILE")] = None
    """Rules file that overrules the selector: of Open MPI (coll_tuned_dynamic_rules_filename), classic or JSON, of MPICH
    (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device), settings of Intel MPI (I_MPI_ADJUST_BCAST=1:0-1023;3,
    as environments or -genv), or [[rule]] tables as of `orrery deploy`."""
    replicas: Annotated[int, setting("--replicas", metavar="N", least=1)] = 1
    """Number of simulations, each with its own draw of the platform's noise; the report gives the median and the range
    from the 5th to the 95th percentile."""
    vary: Annotated[Vary, setting("--vary", metavar="noise|calibration")] = "noise"
    """What replicas differ in: only `noise`, of messages and nodes, or, from the second one on, also the parameters of the
    platform, drawn within the uncertainty of its `calibration` ([calibration.draws], which `orrery calibrate` writes)."""
    seed: Annotated[int, setting("--seed", metavar="N", least=0, most=MOST_SEED)] = 0
    """Seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same times."""
    sharing_error: Annotated[
        float,
        setting(
            "--sharing-error",
            metavar="PART",
            least=core.EXACT,
            most=MOST_SHARING_ERROR,
            beside={"exact": "not with {exact}, which sets it"},
        ),
    ] = core.SHARING_ERROR
    """Error, relative to a message, with which links are shared among messages: ends move by about as much, in all-to-alls on
    hundreds of nodes of one in a hundred by up to 30 times that. The larger it is, the less such simulations take."""
    exact: Annotated[bool, setting("--exact")] = False
    """Share links as exactly as numbers allow: a {sharing_error} of 1e-10."""
    trace: Path | None = None
    """Record the operations of the ranks in this file, which `orrery replay` can replay on any platform. A replay records
    the messages that it simulated; computation is recorded as in its own trace, without --compute-scale."""
    links: WantedLinkLoad | None = None
    """Keep what links carry, there; of several runs or replicas, that of the one which the record is of."""
    force: Annotated[bool, setting("--force")] = False
    """Use a platform whose calibration is poor, or one that was calibrated on a single node for more ranks than its cores."""

    @property
    def error_of_sharing(self) -> float:
        """Error, relative to a message, with which links are shared."""
        return error_of_sharing(self.sharing_error, exact=self.exact)


def error_of_sharing(sharing_error: float, *, exact: bool) -> float:
    """Error that the settings of these names mean."""
    return core.EXACT if exact else sharing_error


def check_vary(vary: Vary, replicas: int) -> None:
    """Raises InputError for --vary calibration without --replicas: the first replica has the platform's own parameters."""
    if vary == "calibration" and replicas == 1:
        raise InputError("--vary calibration: acts on replicas from the second one on; say how many: --replicas 20")
