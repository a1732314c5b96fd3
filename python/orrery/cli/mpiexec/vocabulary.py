# SPDX-License-Identifier: BSD-3-Clause
"""Options of Hydra's and Open MPI's mpiexec that say nothing to a simulation, and those that it cannot obey.

Every spelling is without its leading dashes: Hydra takes one or two, and so does Open MPI.
"""

from __future__ import annotations

_NOTHING_IS_LAUNCHED = "nothing is launched on other machines"
_OF_THIS_HOST = "the network is simulated"

IGNORED: dict[str, tuple[int, str]] = {
    **dict.fromkeys(("launcher-exec", "bootstrap-exec", "iface", "prefix", "launch-agent",
                     "pernode-launch", "hydra-port", "pmi-port-range"), (1, _NOTHING_IS_LAUNCHED)),
    **dict.fromkeys(("disable-hostname-propagation", "enable-hostname-propagation", "localhost", "tree-spawn",
                     "allow-run-as-root", "no-local-launch", "do-not-launch"), (0, _NOTHING_IS_LAUNCHED)),
    "mca": (2, _OF_THIS_HOST),
    "gmca": (2, _OF_THIS_HOST),
    "prtemca": (2, _OF_THIS_HOST),
    "pmixmca": (2, _OF_THIS_HOST),
    "tune": (1, _OF_THIS_HOST),
    "am": (1, _OF_THIS_HOST),
    **dict.fromkeys(("oversubscribe", "use-hwthread-cpus", "use-hwthreads", "disable-x", "enable-x", "disable-auto-cleanup",
                     "enable-auto-cleanup", "genvall", "envall", "skip-launch-node", "enable-recovery"), (0, "it is so anyway")),
    **dict.fromkeys(("q", "quiet", "v", "verbose", "d", "debug-devel", "print-all-exitcodes", "display-map", "display-allocation",
                     "display-devel-map", "report-bindings", "report-state-on-timeout", "get-stack-traces", "display-topo",
                     "debug-daemons", "leave-session-attached"), (0, "the report says where ranks are")),
    **dict.fromkeys(("display", "topolib", "usize", "rank-by", "membind", "mem-bind", "stream-buffering", "max-restarts",
                     "report-uri", "report-pid", "debugger"), (1, "it has no effect on a simulation")),
}  # fmt: skip
"""By spelling: how many words follow, and why it has no effect."""

REFUSED: dict[str, tuple[int, str]] = {
    "outfile-pattern": (1, "redirect the output: > FILE"),
    "errfile-pattern": (1, "redirect the error output: 2> FILE"),
    "output-filename": (1, "redirect the output: > FILE"),
    "prepend-pattern": (1, "-l puts the rank before each line"),
    "merge-stderr-to-stdout": (0, "use 2>&1"),
    "timestamp-output": (0, "a trace has the times: orrery run -o FILE.trace"),
    "xml": (0, "orrery run --json has the report as JSON"),
    "genvnone": (0, "name what is to be set: env -i NAME=VALUE mpiexec ..."),
    "envnone": (0, "name what is to be set: env -i NAME=VALUE mpiexec ..."),
    "preload-binary": (0, "programs are where they are"),
    "preload-files": (1, "files are where they are"),
    "nolocal": (0, "every node is simulated; name those that are to be used: --host"),
    "nooversubscribe": (0, "give as many ranks as there are cores: orrery platform show"),
    "cpus-per-proc": (1, "bind ranks to cores by a rank file: --rankfile"),
    "cpus-per-rank": (1, "bind ranks to cores by a rank file: --rankfile"),
    "cpu-set": (1, "bind ranks to cores by a rank file: --rankfile"),
    "ckpoint-prefix": (1, "there are no checkpoints"),
    "ckpointlib": (1, "there are no checkpoints"),
}
"""By spelling: how many words follow, and what to do instead."""
