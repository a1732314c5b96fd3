# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of what commands print with `--json`, from the classes that it is made of."""

from __future__ import annotations

from handbook.members import Part, sections
from handbook.record import PARTS as OF_RECORDS
from orrery.benchmark import advice, results
from orrery.benchmark.cases import LoopCase
from orrery.capture.session import CaptureOutcome
from orrery.collective import crossovers, ping_pong, study, versus
from orrery.collective.call import Call
from orrery.comparison import records as comparison
from orrery.comparison import runs_result, selectors, turns, where
from orrery.comparison.alignment import Alignment
from orrery.comparison.sample import RunSample
from orrery.placement import meta
from orrery.placement import result as placement
from orrery.platform import reach
from orrery.report import platform
from orrery.report.last_runs import LastRun
from orrery.trace import contents, usage
from orrery.tune import cells, check, cliffs, rules, seen, upgrade
from orrery.tune import results as tuning
from orrery.tune.discover import infer, selector_file
from orrery.tune.discover import results as discovered
from orrery.validate import ablation, programs, routines, summaries
from orrery.validate import comparison as validation
from orrery.watch import result as watched

_HEAD = """<!-- Written from the code by `make reference`; run that instead of editing it. -->
# What commands print as JSON

`--json` prints what is in the tables, and more; `-o FILE.json`, where a command has it, writes the same. All of it is SI
units: a name that ends in `_s` is in seconds, `bytes` are bytes; errors are fractions. Most begin with `orrery`, the version
that wrote them. Members may be added by a later version; programs should read those that they know. `orrery run` and
`orrery replay` write [a record](record.md).
"""

COMMANDS: tuple[tuple[str, str, tuple[Part, ...]], ...] = (
    (
        "orrery profile --json",
        (
            "Of a run: an array of [rows](record.md#row), or with `--per-rank` an array of such arrays, one for each rank. With "
            "`--list`: an array of runs. Of a trace: what it says without any simulation."
        ),
        (
            Part(LastRun, "A run of --list"),
            Part(usage.UsageReport, "Use of MPI in a trace"),
            Part(usage.RankUsage, "A rank of a trace"),
            Part(usage.PairTraffic, "Messages between two ranks"),
            Part(usage.SizeClass, "Messages of a size"),
            Part(usage.CommUsage, "Use of a communicator"),
            Part(usage.SiteUsage, "Calls from one place in the program"),
        ),
    ),
    (
        "orrery compare --json",
        "Two records are one object, all other runs another, selectors a third; platforms are as `orrery platform diff` has them.",
        (
            Part(comparison.RecordsCompared, "Two records"),
            Part(comparison.RoutineLine, "A routine of two records"),
            Part(comparison.RankLine, "A rank of two records"),
            Part(runs_result.RunsCompared, "Two runs"),
            Part(RunSample, "A run of a side"),
            Part(runs_result.GroupLine, "A line of two runs"),
            Part(Alignment, "Calls of two runs"),
            Part(where.LargestPiece, "Where two runs differ"),
            Part(turns.TurningPoints, "What turns a verdict"),
            Part(turns.Turn, "A key that turns it"),
            Part(selectors.SelectorsCompared, "Two selectors"),
            Part(selectors.ChoicePair, "A call of two selectors"),
        ),
    ),
    (
        "orrery collective --json",
        "With `--versus-sends` it is a comparison with sends, otherwise a study.",
        (
            Part(study.Study, "A study of collectives"),
            Part(study.PredictionRow, "A prediction"),
            Part(study.LeftOutCall, "What was left out"),
            Part(study.MissingCall, "A call that is missing"),
            Part(crossovers.Crossover, "A crossover"),
            Part(crossovers.SelectorChange, "A change of the selector"),
            Part(crossovers.Loss, "A loss"),
            Part(versus.SendsStudy, "Collectives and sends"),
            Part(versus.SendsComparison, "A collective and its sends"),
            Part(versus.Scenario, "A scenario"),
            Part(Call, "A call"),
        ),
    ),
    (
        "orrery benchmark --json",
        "With `--for` it has a member `advice`, too: an array of what is said of calls, the greatest gain first.",
        (
            Part(results.BenchmarkResults, "A benchmark"),
            Part(results.LoopRow, "A loop"),
            Part(results.LoopScenario, "A scenario of loops"),
            Part(LoopCase, "A loop that is missing", "A loop that was not timed."),
            Part(advice.Advice, "Advice"),
            Part(advice.UsedCall, "Calls that are alike"),
        ),
    ),
    (
        "orrery tune --json",
        "`orrery tune upgrade` compares two releases, `orrery tune discover` says what an MPI chooses, `orrery tune` what settings gain.",
        (
            Part(tuning.TuningReport, "A tuning"),
            Part(cells.TunedCell, "A cell"),
            Part(rules.TunedRule, "A rule"),
            Part(check.CheckedGain, "A gain on the real cluster"),
            Part(seen.RulesObservation, "What the real library was seen to do"),
            Part(cells.CellName, "A cell that is missing", "A cell that was not simulated."),
            Part(upgrade.Upgrade, "An upgrade"),
            Part(upgrade.Change, "Calls that change"),
            Part(cliffs.Cliff, "A cliff"),
            Part(cliffs.CliffEdge, "A side of a cliff"),
            Part(cliffs.CliffDistance, "A program beside a cliff"),
            Part(discovered.DiscoveryReport, "A discovery"),
            Part(selector_file.SelectorBand, "A rule that was discovered"),
            Part(infer.LibraryChoice, "A choice"),
            Part(infer.AlikeAlgorithm, "An algorithm that is alike"),
        ),
    ),
    (
        "orrery place --json",
        "With `--clusters` it says where groups go, otherwise where ranks go.",
        (
            Part(placement.PlacementOutcome, "A placement"),
            Part(placement.CandidateMapping, "A mapping that was tried"),
            Part(placement.PlacementGain, "A gain"),
            Part(meta.ClusterChoice, "Clusters for groups"),
            Part(meta.ClusterAssignment, "A group and its cluster"),
        ),
    ),
    (
        "orrery watch --json",
        "",
        (
            Part(watched.WatchOutcome, "A watched run"),
            Part(watched.CollectiveClass, "Collective calls of a class"),
            Part(watched.MessageClass, "Messages of a class"),
            Part(watched.ComparedTime, "Measured and expected time"),
            Part(watched.RankWait, "How long a rank waited for another"),
            Part(watched.Slowdown, "What is slow"),
            Part(watched.UnclassedCalls, "What no class has"),
        ),
    ),
    (
        "orrery validate collectives --json",
        "",
        (
            Part(validation.ValidationComparison, "Collectives, measured and predicted"),
            Part(validation.ValidationCase, "A case"),
            Part(validation.JudgedPrediction, "A case by one model"),
            Part(validation.Summary, "Errors of some cases"),
            Part(validation.Coverage, "Coverage of expected times"),
        ),
    ),
    (
        "orrery validate program --json",
        "",
        (
            Part(routines.Routines, "Routines, measured and predicted"),
            Part(routines.RoutineComparison, "A routine, measured and predicted"),
        ),
    ),
    (
        "orrery validate trace --json",
        "",
        (
            Part(programs.ProgramComparison, "A program, measured and predicted"),
            Part(programs.ProgramTotal, "Its time in all"),
        ),
    ),
    (
        "orrery validate suite --json",
        (
            "An object: for each entry of the suite by its name what `validate collectives` or `validate trace` print, with "
            "`changes`, an array of sentences on what differs from the report that was stored last; and `groups`, an array of "
            "summaries."
        ),
        (Part(summaries.GroupSummary, "Errors of a group"),),
    ),
    (
        "orrery validate ablate --json",
        "",
        (
            Part(ablation.Ablations, "Worth of the keys of platforms"),
            Part(ablation.Ablation, "Worth of a key"),
        ),
    ),
    (
        "orrery platform show --json",
        (
            "All values of the file, by [its keys](../platform-keys.md) and with units as above, those that it leaves to their defaults "
            "among them; and these members:"
        ),
        (
            Part(platform.PlatformSummary, "What is computed of a platform"),
            Part(reach.Way, "A connection between two clusters"),
            Part(ping_pong.PingPong, "Half of a ping-pong between two places"),
        ),
    ),
    ("orrery capture --json", "", (Part(CaptureOutcome, "A captured run"),)),
    (
        "orrery trace info --json",
        "",
        (
            Part(contents.Contents, "Contents of a trace"),
            Part(contents.TraceCommunicator, "A communicator"),
        ),
    ),
)


def page() -> str:
    """Markdown of the page."""
    links = {part.kind: f"[{part.heading}](record.md#{part.heading.lower().replace(' ', '-')})" for part in OF_RECORDS}
    every = [part for _, _, parts in COMMANDS for part in parts]
    links |= {part.kind: f"[{part.heading}](#{part.anchor})" for part in every}
    found = [_HEAD]
    for command, about, parts in COMMANDS:
        found += [f"## {command}", "", *([about, ""] if about else []), sections(parts, links, level="###")]
    return "\n".join(found)
