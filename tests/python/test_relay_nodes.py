# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of a job of `orrery relay`, on the loopback: each knows when another is gone, and says how the job has ended there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from orrery.relay.helper import GoneError, Helper
from orrery.relay.roster import Account
from orrery.relay.wire import Refusal
from relays import A, B, echo, placed, settings, turns_until


def test_nodes_say_how_the_job_has_ended_there(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys), enlisted=True) as place:
            helpers = place.helpers
            concluding = asyncio.create_task(helpers["a"].conclude(failed=False))
            assert await helpers["b"].over is False
            await helpers["b"].close()
            assert await concluding == [(B, Account(failed=False, cut=0))]
            assert not helpers["a"].gone.done()

    asyncio.run(talk())


def test_what_helpers_ask_about_each_other_counts_as_no_connection(tmp_path: Path, keys: Path) -> None:
    """In what frontals say of a job that has left."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys), enlisted=True) as place:
            for helper in place.helpers.values():
                await helper.check_relay()
            await asyncio.gather(place.helpers["a"].conclude(failed=False), place.helpers["b"].close())
            await place.helpers["a"].close()
            await turns_until(lambda: sum("has left" in line for line in place.said) == 2)
            left = [line.partition("; ")[2] for line in place.said if "has left" in line]
            assert left == ["connections to other sites: none; 0 bytes relayed"] * 2

    asyncio.run(talk())


def test_a_job_that_fails_where_it_was_started_ends_on_all_nodes(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys), enlisted=True) as place:
            concluding = asyncio.create_task(place.helpers["a"].conclude(failed=True))
            assert await place.helpers["b"].over is True
            await place.helpers["b"].close()
            await concluding

    asyncio.run(talk())


@pytest.mark.parametrize(("killed", "tells"), [("a", "b"), ("b", "a")])
def test_a_helper_that_is_killed_is_missed_where_the_job_was_started_and_on_its_nodes(
    tmp_path: Path, keys: Path, killed: str, tells: str
) -> None:
    """With the bytes that it has carried."""
    node = {"a": A, "b": B}[killed]

    async def talk() -> None:
        async with placed(settings(tmp_path, keys), enlisted=True) as place:
            _, sock = await place.ask("a", f"connect {await place.target(echo)} 0.0.0.0:0")
            reader, writer = await asyncio.open_connection(sock=sock)
            writer.write(bytes(1000))
            await reader.readexactly(1000)
            kill(place.helpers[killed])
            with pytest.raises(GoneError) as gone:
                await place.helpers[tells].gone
            assert str(gone.value) == (
                f"the helper of {node}, site {killed}, is gone: it was closed; "
                "it carried 1 connection (1,000 bytes sent, 1,000 received) of this node; the job ends"
            )
            writer.close()
            if killed == "b":
                assert await place.helpers["a"].conclude(failed=True) == [(B, None)]

    asyncio.run(talk())


def kill(helper: Helper) -> None:
    """Close all its connections at once, as the system does when it is killed."""
    links = [carried.stream._link for carried in helper._carried] + [*helper._gate._admitted.values()]
    if helper._membership is not None:
        links.append(helper._membership._connection)
    links += [node.connection for node in helper._roster._nodes]
    for link in links:
        link.abort()


def test_of_a_relay_that_takes_a_node_with_it_the_relay_is_named(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys), enlisted=True) as place:
            await place.frontals["b"].close()
            with pytest.raises(
                GoneError, match=r"the relay of site b \(.*\) is gone.*; it carried no connection of this"
            ):
                await place.helpers["a"].gone
            with pytest.raises(GoneError, match=r"the relay of site b \(.*\) is gone"):
                await place.helpers["b"].gone

    asyncio.run(talk())


@pytest.mark.parametrize("words", [{}, {"failed": 1}, {"failed": False, "cut": -1}, {"failed": False, "cut": True}])
def test_a_node_that_does_not_say_how_it_ended_counts_as_lost(words: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="it does not say how it ended"):
        Account.parse({"ended": True, **words})
