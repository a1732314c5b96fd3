# SPDX-License-Identifier: BSD-3-Clause
"""What only several messages show: processors that nodes share, uplinks of cabinets, queues, acknowledgements."""

from __future__ import annotations

import numpy as np
import pytest

from orrery.calibrate.fit.network.regimes import Fit
from orrery.calibrate.fit.network.uplinks import uplink_of
from orrery.calibrate.fit.network.wire import TcpFraming, Wire, acknowledgements_of, framing_of
from orrery.calibrate.fit.node.processors import noise_of, processors_of
from orrery.calibrate.fit.transport.sharing import sharing_of
from orrery.calibrate.measure.layout import Layout
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, Curve

ETHERNET = TcpFraming(header_bytes=36, payload_bytes=1448, overhead_bytes=90)


def _experiment(kind: str, samples: list[CalibrationSample], **keys: str) -> CalibrationExperiment:
    return CalibrationExperiment(f"{kind}-{keys}", kind, keys, samples, done=True)


def _flows(
    name: str, pairs: int, time: float, *, size: int = 1 << 20, both: bool = False, **keys: str
) -> CalibrationExperiment:
    """`pairs` transfers from ranks 0.. to 8.., and back, that all end at `time`, three times."""
    flows = [(rank, rank + 8) for rank in range(pairs)]
    flows += [(b, a) for a, b in flows] if both else []
    samples = [CalibrationSample("arrived", a, b, size, repetition, time) for repetition in range(3) for a, b in flows]
    text = ",".join(f"{a}>{b}" for a, b in flows)
    return _experiment("flows", samples, group="share", name=name, list=text, bytes=str(size), **keys)


def _load(pairs: int, half: float, group: str = "load", at: int = 0) -> CalibrationExperiment:
    samples = [
        CalibrationSample("half", 2 * pair, 2 * pair + 1, 1, n, half) for pair in range(pairs) for n in range(20)
    ]
    text = ",".join(f"{2 * pair}-{2 * pair + 1}" for pair in range(pairs))
    return _experiment("pingpong", samples, group=group, pairs=text, bytes="1", at=str(at))


LONE = Fit(send_s=5e-6, send_s_per_byte=0, recv_s=4e-6, recv_s_per_byte=0, latency_s=15e-6, rate_bytes_per_s=6e6)
"""A small message by itself takes 24 us."""


def _layout(*, kernels: int) -> Layout:
    return Layout(nodes={f"n{rank}": [rank] for rank in range(16)}, kernels=kernels, processors=2, mpi="an MPI")


def _held(send: float, recv: float, at: str = "") -> CalibrationExperiment:
    """200 messages; the receiver begins 50 ms later."""
    samples = [
        CalibrationSample("left", 0, 1, 1, 0, 200 * send),
        CalibrationSample("arrived", 0, 1, 1, 0, 0.05 + 200 * recv),
    ]
    return _experiment(
        "flows", samples, group="share", name="held", list="0>1", bytes="1", count="200", hold_us="50000", at=at
    )


def test_work_on_shared_processors_is_that_of_a_ring_and_of_ping_pongs_of_all() -> None:
    # 16 messages in each of 300 rounds on two processors: 24 ms for 4,800 messages are 10 us of work for each, without
    # sleep. Eight pairs that send one each in 80 us, with sleep: 20 us. The stream's sends share packets: 4 us are no packet.
    ring = _flows("small_ring", 8, 0.024, size=1, both=True, count="300")
    results = CalibrationResults([_load(1, 20e-6), _load(2, 18e-6), _load(8, 80e-6), ring, _held(4e-6, 2e-6)])
    found = processors_of(results, _layout(kernels=1), LONE)
    assert found is not None
    assert found.count == 2
    assert (found.send_work_s, found.recv_work_s) == pytest.approx((8e-6, 2e-6))
    assert found.wake_work_s == pytest.approx(20e-6 - 10e-6)
    assert found.frame_work_s == pytest.approx(6e-6)  # 0.6 of the 10 us


def test_work_is_the_median_over_times_and_says_how_much_it_differed() -> None:
    # The host was busy when the first of four was measured: 160 us where 80 us are 20 us of two processors for each.
    ring = _flows("small_ring", 8, 0.024, size=1, both=True, count="300")
    again = [_load(8, half, group="work", at=n) for n, half in enumerate((80e-6, 80e-6, 88e-6))]
    slow_ring = _flows("small_ring", 8, 0.048, size=1, both=True, count="300", at="0")
    streams = [_held(4e-6, recv, at=str(recv)) for recv in (1e-6, 2e-6, 7e-6)]
    results = CalibrationResults([_load(1, 20e-6), _load(8, 160e-6), *again, slow_ring, ring, *streams])
    found = processors_of(results, _layout(kernels=1), LONE)
    assert found is not None
    assert found.recv_work_s == pytest.approx(2e-6)
    assert found.send_work_s + found.recv_work_s + found.wake_work_s == pytest.approx(21e-6)  # between 80 and 88 us
    assert found.seen_work_s == pytest.approx((20e-6, 40e-6))
    assert found.variation == pytest.approx(1.0)


def test_the_time_slice_is_the_computation_between_two_interruptions() -> None:
    loads = [_load(1, 20e-6), _load(8, 80e-6)]
    slices = [
        CalibrationSample("slice", rank, rank, 0, n, value)
        for rank in (0, 1)
        for n, value in enumerate((4e-3, 3.9e-3, 8e-3))
    ]
    found = processors_of(CalibrationResults([*loads, _experiment("slice", slices)]), _layout(kernels=1), LONE)
    assert found is not None
    assert found.slice_s == pytest.approx(4e-3)
    never = processors_of(CalibrationResults([*loads, _experiment("slice", [])]), _layout(kernels=1), LONE)
    assert never is not None
    assert never.slice_s is None


@pytest.mark.parametrize(("two_pairs", "idle_wake"), [(14e-6, 10e-6), (30e-6, 4e-6), (5e-6, 15e-6)])
def test_what_lone_messages_take_longer_than_those_of_a_few_pairs_is_waking(two_pairs: float, idle_wake: float) -> None:
    # A lone one takes 24 us, one pair's 20, two pairs' as said; all of the latency (15 us) at most.
    found = processors_of(
        CalibrationResults([_load(1, 20e-6), _load(2, two_pairs), _load(8, 70e-6)]), _layout(kernels=1), LONE
    )
    assert found is not None
    assert found.idle_wake_s == pytest.approx(idle_wake)


def test_a_ring_that_takes_longer_than_ping_pongs_leaves_nothing_to_waking() -> None:
    ring = _flows("small_ring", 8, 0.048, size=1, both=True, count="300")
    found = processors_of(
        CalibrationResults([_load(1, 20e-6), _load(8, 70e-6), ring, _held(4e-6, 2e-6)]), _layout(kernels=1), LONE
    )
    assert found is not None
    assert found.wake_work_s == 0
    assert found.send_work_s + found.recv_work_s == pytest.approx(2 * 70e-6 / 8)


def test_nodes_with_processors_of_their_own_share_none_whatever_their_kernels_say() -> None:
    slowed = CalibrationResults([_load(1, 20e-6), _load(8, 70e-6)])
    assert processors_of(slowed, _layout(kernels=16), LONE) is None
    alike = CalibrationResults([_load(1, 20e-6), _load(8, 21e-6)])
    assert processors_of(alike, _layout(kernels=1), LONE) is None


def test_a_lone_pair_that_wakes_processors_does_not_hide_that_they_are_shared() -> None:
    # Eight nodes on two processors, 100 Mbit/s: a pair by itself takes 30 us, two 13, four 26.
    found = processors_of(
        CalibrationResults([_load(1, 30e-6), _load(2, 13e-6), _load(4, 26e-6)]), _layout(kernels=1), LONE
    )
    assert found is not None
    assert found.send_work_s + found.recv_work_s + found.wake_work_s == pytest.approx(13e-6)


def test_noise_is_the_mean_of_exponential_delays() -> None:
    generator = np.random.default_rng(4)
    small = np.repeat(np.arange(1.0, 21.0), 400)
    large = np.repeat(np.array([3e5, 1e6, 3e6]), 400)
    times = np.concatenate(
        [20e-6 + generator.exponential(7e-6, len(small)), large / 1e8 * (1 + generator.exponential(0.03, len(large)))]
    )
    noise = noise_of(Curve(np.concatenate([small, large]), times))
    assert noise.handling_s == pytest.approx(7e-6, rel=0.15)
    # Over the lower quartile, which itself is delayed by ln(4/3) means.
    assert noise.rate_fraction == pytest.approx(0.03 * (1 - np.log(4 / 3)), rel=0.2)


def test_an_uplink_is_what_more_and_more_pairs_reach_together() -> None:
    wire = Wire(None, 1e8, 0.0)
    alone = (1 << 20) / 1e8
    # Two pairs fill it: four take twice as long. Both directions together reach 1.5 times one.
    cases = [("across", 1, alone), ("across", 2, alone), ("across", 4, 2 * alone)]
    experiments = [_flows(name, pairs, time, groups="2") for name, pairs, time in cases]
    experiments.append(_flows("across_both", 4, 4 * alone / 1.5, both=True, groups="2"))
    experiments.append(
        _experiment("pingpong", [CalibrationSample("half", 0, 8, 1, 0, 90e-6)], group="across", bytes="1")
    )
    experiments.append(_experiment("pingpong", [CalibrationSample("half", 0, 1, 1, 0, 50e-6)], group="net", bytes="1"))
    found = uplink_of(CalibrationResults(experiments), wire, [8, 8])
    assert found is not None
    assert found.rate_bytes_per_s == pytest.approx(2e8, rel=0.01)
    assert found.limiter_bytes_per_s == pytest.approx(3e8, rel=0.01)
    assert found.latency_s == pytest.approx(20e-6)


def test_the_latency_of_an_uplink_is_without_what_storing_a_frame_takes() -> None:
    wire = Wire(TcpFraming(40, 1448, 90), 1e8, 0.0, store_and_forward=True)
    fills = 4 * float(wire.bytes(np.array([float(1 << 20)]))[0]) / 2e6  # four pairs at 2 MB/s together
    experiments = [_flows("across", 4, fills, groups="2")]
    experiments.append(
        _experiment("pingpong", [CalibrationSample("half", 0, 8, 1, 0, 290e-6)], group="across", bytes="1")
    )
    experiments.append(_experiment("pingpong", [CalibrationSample("half", 0, 1, 1, 0, 50e-6)], group="net", bytes="1"))
    found = uplink_of(CalibrationResults(experiments), wire, [8, 8])
    assert found is not None
    assert found.rate_bytes_per_s == pytest.approx(2e6)
    # 240 us more for two links, each 131 bytes at 2 MB/s: 65.5 us.
    assert found.latency_s == pytest.approx((240e-6 - 2 * 65.5e-6) / 2)


def test_one_lost_packet_is_no_limit_of_both_directions() -> None:
    wire, alone = Wire(None, 1e8, 0.0), (1 << 20) / 1e8
    forth = [CalibrationSample("arrived", pair, 8 + pair, 1 << 20, 0, 2 * alone) for pair in range(2)]
    back = [CalibrationSample("arrived", 8 + pair, pair, 1 << 20, 0, (2 + 0.5 * pair) * alone) for pair in range(2)]
    both = _experiment("flows", forth + back, name="across_both", list="0>8,1>9,8>0,9>1", bytes=str(1 << 20))
    across = [_flows("across", pairs, pairs * alone, groups="2") for pairs in (1, 2, 4)]
    found = uplink_of(CalibrationResults([*across, both]), wire, [8, 8])
    assert found is not None
    assert found.rate_bytes_per_s == pytest.approx(1e8)
    # 1 one way, and 0.8 the other, where one of two waited.
    assert found.limiter_bytes_per_s == 0.0


def test_an_uplink_that_no_number_of_pairs_fills_has_no_rate_of_its_own() -> None:
    alone = (1 << 20) / 1e8
    experiments = [_flows("across", pairs, alone, groups="2") for pairs in (1, 4)]
    found = uplink_of(
        CalibrationResults([*experiments, _flows("across_both", 4, alone, both=True)]), Wire(None, 1e8, 0.0), [8, 8]
    )
    assert found is not None
    assert (found.rate_bytes_per_s, found.limiter_bytes_per_s) == (0.0, 0.0)
    assert uplink_of(CalibrationResults(experiments), Wire(None, 1e8, 0.0), [16]) is None


def _wire_experiment(size: int, sent: float, received: float, *, ethernet: int = 1) -> CalibrationExperiment:
    values = {"sent:eth0": sent, "received:eth0": received, "mtu:eth0": 1500, "ethernet:eth0": ethernet}
    return _experiment(
        "wire", [CalibrationSample(what, 0, 1, size, 0, value) for what, value in values.items()], bytes=str(size)
    )


def test_framing_is_read_from_what_the_interfaces_count() -> None:
    # Open MPI over TCP and Ethernet, as counted: 103 bytes for a message of 1, 10,495 for one of 10,000.
    counted = [
        _wire_experiment(1, 103, 44),
        _wire_experiment(10_000, 10_495, 110),
        _wire_experiment(1 << 20, 1_097_000, 23_430),
    ]
    framing = framing_of(CalibrationResults(counted))
    assert framing == TcpFraming(header_bytes=33, payload_bytes=1448, overhead_bytes=90)
    # 23,430 / 66 = 355 acknowledgements of 90 bytes on the wire, against 725 frames of 1,538.
    assert acknowledgements_of(CalibrationResults(counted), ETHERNET) == pytest.approx(
        355 * 90 / (725 * 1538), rel=0.01
    )


def test_a_network_that_bypasses_the_kernel_or_is_no_ethernet_has_no_framing() -> None:
    assert framing_of(CalibrationResults([_wire_experiment(1 << 20, 3000, 3000)])) is None
    assert framing_of(CalibrationResults([_wire_experiment(1 << 20, 1_097_000, 23_430, ethernet=0)])) is None


def test_a_ring_that_is_slowed_by_three_per_cent_shows_acknowledgements_and_no_limiter() -> None:
    alone = float(ETHERNET.wire(np.array([float(1 << 20)]))[0]) / 6.25e6
    ring = _flows("sendrecv_ring3", 3, 1.029 * alone)
    results = CalibrationResults([_flows("alone", 1, alone), ring, _wire_experiment(1 << 20, 1_097_000, 8_000)])
    found = sharing_of(results, Wire(ETHERNET, 6.25e6, 0.0))
    assert found.limiter_factor == 2.0
    assert found.ack_fraction == pytest.approx(0.029, rel=0.02)


@pytest.mark.parametrize("room", [2, 4])
@pytest.mark.parametrize("share", [1.0, 0.6, 0.3])
def test_the_first_of_several_messages_tells_how_they_share_their_node(share: float, room: int) -> None:
    # 16 KiB and 12 frames of 1,448 bytes with 90 more each, and a header of 36: 17,500 bytes at 6.25 MB/s, 2.8 ms.
    alone = (16384 + 36 + 12 * 90) / 6.25e6
    shares = share ** np.minimum(np.arange(4), room)
    ends, done, left = [], 0.0, np.ones(4)
    for flow in range(4):  # weights keep their proportions, so they end in the order in which they were written
        rates = shares[flow:] / shares[flow:].sum()
        time = left[flow] / rates[0]
        done += time
        left[flow:] -= rates * time
        ends.append(done)
    samples = [
        CalibrationSample("arrived", 0, 1 + flow, 16384, n, 2e-4 + end * alone)
        for n in range(8)
        for flow, end in enumerate(ends)
    ]
    fan = _experiment("flows", samples, group="share", name="fan", list="0>1,0>2,0>3,0>4", bytes="16384")
    again = CalibrationExperiment("another pass", fan.kind, fan.keys, fan.samples, done=True)
    found = sharing_of(
        CalibrationResults([fan, again, _queue_of(room * 17_000), _load(1, 20e-6)]), Wire(ETHERNET, 6.25e6, 0.0)
    )
    assert found.later_share == pytest.approx(share, abs=0.02)
    assert not found.cases  # which are written by name, once each


def _queue_of(queued: float) -> CalibrationExperiment:
    """Behind a large message a small one waits for so many bytes, once in a round trip."""
    delayed = 20e-6 + queued / 6.25e6 / 2
    return _experiment(
        "queue", [CalibrationSample("half_loaded", 0, 2, 1 << 21, n, delayed) for n in range(9)], group="queue"
    )


def test_the_queue_is_what_a_small_message_waits_for_behind_a_large_one() -> None:
    found = sharing_of(CalibrationResults([_queue_of(30_000), _load(1, 20e-6)]), Wire(ETHERNET, 6.25e6, 0.0))
    assert found.queue_bytes == pytest.approx(30_000, rel=0.01)
