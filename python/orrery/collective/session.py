# SPDX-License-Identifier: BSD-3-Clause
"""What a question about collective calls is asked of: a laboratory with a platform, and the algorithms that are meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.predict import Question
from orrery.collective.settings import CollectiveRequest


@contextmanager
def opened(calls: Sequence[Call], request: CollectiveRequest) -> Iterator[tuple[Laboratory, Question]]:
    """The laboratory, whose experiments end with the block, and the question.

    Raises InputError for a platform, a mapping, a selector or rules that cannot be used.
    """
    laboratory = Laboratory(
        request.platform,
        request.model,
        request.mapping,
        request.root,
        replicas=request.replicas,
        seed=request.seed,
        vary=request.vary,
        sharing_error=request.error_of_sharing,
        force=request.force,
    )
    most_ranks = max(call.ranks for call in calls)
    chooser = laboratory.selector(request.selector, request.coll, request.rules, most_ranks)
    with laboratory.open():
        yield laboratory, Question(selector=chooser, request=request)
