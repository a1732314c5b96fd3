# SPDX-License-Identifier: BSD-3-Clause
"""Platform files of version 0.2: they are refused with a cure, and rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import CALIBRATION
from harness import Sandbox
from orrery.errors import InputError
from orrery.platform.load import load, parse
from orrery.platform.upgrade import upgraded

OLD = Path(__file__).parent.parent / "data" / "platform-0.2.toml"


def test_an_old_file_is_refused_with_line_and_cure() -> None:
    with pytest.raises(InputError) as refused:
        load(str(OLD))
    assert str(refused.value).startswith(f"{OLD}:15: hybrid: ")
    assert f"`orrery platform upgrade {OLD} -o NEW.toml`" in str(refused.value)


def test_every_value_is_in_its_new_place_with_its_comment() -> None:
    text = upgraded(OLD.read_text(encoding="utf-8"))
    platform = parse(Path("new.toml"), text)
    network, transport, node = platform.network, platform.transport, platform.node
    assert network is not None
    assert network.framing.frames is not None
    assert transport.connections is not None
    assert transport.connections.queue is not None
    assert transport.timeouts is not None
    assert node.processors is not None
    assert (network.tcp_window_bytes, network.burst_bytes, network.rate_noise) == (1 << 20, 3166, 0.0003)
    assert (network.framing.header_bytes, network.framing.store_and_forward) == (41, True)
    assert (network.framing.frames.payload_bytes, network.framing.frames.overhead_bytes) == (1448, 90)
    assert [regime.end_bytes for regime in network.between_nodes] == [65536, None]
    assert (transport.connection_setup_s, transport.timeouts.probability) == (1e-3, 0.5)
    assert (transport.connections.queue.depth_bytes, transport.connections.queue.later_share) == (30925, 0.5)
    assert transport.connections.ack_fraction == 0.03
    assert (node.progress, node.handling_noise_s) == ("in-calls", 7e-6)
    assert (node.processors.count, node.processors.send_work_s) == (2, 1e-5)
    assert platform.loggps is not None
    for comment in ("pass at once", "of a large message", "as the interfaces count", "containers", "eager"):
        assert comment in text


def test_a_key_that_is_no_longer_modelled_becomes_a_comment_and_is_refused_with_a_cure() -> None:
    old = OLD.read_text(encoding="utf-8") + CALIBRATION
    text = upgraded(
        old + '[calibration.draws]\n"hybrid.send_buffer_bytes" = [1, 2]\n"hybrid.ack_fraction" = [0.1, 0.2]\n'
    )
    assert "# no longer modelled: send_buffer_bytes = 50000" in text
    found = parse(Path("new.toml"), text).calibration
    assert found is not None
    assert found.draws == {"transport.connections.ack_fraction": [0.1, 0.2]}
    with pytest.raises(InputError, match=r"send_buffer_bytes = 50000: is no longer modelled.*Delete the line"):
        parse(Path("new.toml"), text.replace("# no longer modelled: send", "send"))


def test_intervals_and_draws_keep_their_values_under_new_names() -> None:
    old = OLD.read_text(encoding="utf-8") + CALIBRATION
    old += '[calibration.draws]\n"hybrid.network[0].latency_s" = [1e-6, 2e-6]\n"hybrid.queue_bytes" = [30000, 31000]\n'
    found = parse(Path("new.toml"), upgraded(old)).calibration
    assert found is not None
    assert found.draws == {
        "network.between_nodes[0].latency_s": [1e-6, 2e-6],
        "transport.connections.queue.depth_bytes": [30000, 31000],
    }


def test_the_command_writes_the_file_once(sandbox: Sandbox) -> None:
    new = sandbox.folder / "new.toml"
    assert sandbox.orrery("platform", "upgrade", str(OLD), "-o", str(new)).code == 0
    assert sandbox.orrery("platform", "show", str(new)).code == 0
    again = sandbox.orrery("platform", "upgrade", str(new))
    assert again.code == 2
    assert "of today already" in again.err
