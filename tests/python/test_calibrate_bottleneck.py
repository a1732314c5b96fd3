# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration says of testbeds whose processors, not their links, bound many transfers at once."""

from __future__ import annotations

import numpy as np
import pytest

from orrery.calibrate.fit.bottleneck import bottleneck_of
from orrery.calibrate.fit.network.wire import TcpFraming, Wire
from orrery.calibrate.fit.node.processors import SharedProcessors
from orrery.calibrate.fit.transport.sharing import SharingCase

ETHERNET = TcpFraming(header_bytes=36, payload_bytes=1448, overhead_bytes=90)
TWO = SharedProcessors(count=2, send_work_s=10e-6, recv_work_s=1e-6, wake_work_s=12e-6, frame_work_s=7e-6)


def _pings(*slowdowns: float) -> list[SharingCase]:
    return [SharingCase("pings", 2 << n, 1 << 20, np.full(3, slowdown)) for n, slowdown in enumerate(slowdowns)]


@pytest.mark.parametrize(("mbit_per_s", "load"), [(50, 0.228), (100, 0.455), (200, 0.910)])
def test_frames_of_sixteen_nodes_take_more_of_two_processors_the_faster_their_links_are(
    mbit_per_s: float, load: float
) -> None:
    # 16 nodes, 50e6 / 8 bytes a second in frames of 1,538 bytes, 7 us each, on two processors.
    found = bottleneck_of(_pings(1.0, 1.0, 1.0), TWO, Wire(ETHERNET, mbit_per_s * 1e6 / 8, 0.0), 16)
    assert found.frame_load == pytest.approx(load, rel=0.01)
    assert found.not_links == (mbit_per_s > 50)


def test_pairs_on_links_of_their_own_that_slow_each_other_are_not_bound_by_links() -> None:
    wire = Wire(ETHERNET, 1.25e8, 0.0)
    found = bottleneck_of(_pings(1.0, 1.02, 1.6), None, wire, 16)
    assert (found.pairs, found.frame_load) == (8, 0.0)
    assert found.slowdown == pytest.approx(1.6)
    assert found.not_links
    assert not bottleneck_of(_pings(1.0, 1.02, 1.05), None, wire, 16).not_links
    assert not bottleneck_of([], None, wire, 2).not_links
