# SPDX-License-Identifier: BSD-3-Clause
"""What a question about collective calls is asked of: a laboratory with a platform, and the algorithms that are meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.predict import Question
from orrery.experiment.settings import DEFAULT_MAPPING, Vary
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model


@dataclass(frozen=True, kw_only=True)
class CollectiveSettings:
    """Where calls are simulated, and by which algorithms."""

    platform: str = DEFAULT
    model: Model | None = None
    mapping: str = DEFAULT_MAPPING
    root: int = 0
    replicas: int = 1
    vary: Vary = "noise"
    seed: int = 0
    force: bool = False
    selector: str = "default"
    coll: str = ""
    rules: Path | None = None
    algorithms: tuple[str, ...] = ()
    """As `Question.algorithms`."""
    segments: tuple[int, ...] | None = None
    """Bytes, as `Question.segments`."""
    fanout: int = 0
    most_messages: int = Question.most_messages


@contextmanager
def opened(calls: Sequence[Call], asked: CollectiveSettings) -> Iterator[tuple[Laboratory, Question]]:
    """The laboratory, whose experiments end with the block, and the question.

    Raises InputError for a platform, a mapping, a selector or rules that cannot be used.
    """
    laboratory = Laboratory(
        asked.platform,
        asked.model,
        asked.mapping,
        asked.root,
        replicas=asked.replicas,
        seed=asked.seed,
        vary=asked.vary,
        force=asked.force,
    )
    most_ranks = max(call.ranks for call in calls)
    chooser: _core.Selector = laboratory.selector(asked.selector, asked.coll, asked.rules, most_ranks)
    question = Question(
        selector=chooser,
        rules=asked.rules,
        algorithms=asked.algorithms,
        segments=asked.segments,
        fanout=asked.fanout,
        most_messages=asked.most_messages,
    )
    with laboratory.open():
        yield laboratory, question
