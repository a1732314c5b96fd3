# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery import units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24us", 24e-6),
        ("24 µs", 24e-6),
        ("7.8ms", 7.8e-3),
        ("1.5e3 ns", 1.5e-6),
        ("0.5", 0.5),
        ("2s", 2.0),
    ],
)
def test_times_are_those_that_the_literal_in_seconds_gives(text: str, expected: float) -> None:
    assert units.seconds(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1Gbit/s", 1.25e8),  # bits, powers of 1000
        ("10Gb/s", 1.25e9),
        ("10 Gbps", 1.25e9),
        ("1 GiB/s", 2**30),
        ("3979.46Mbit/s", 3979.46e6 / 8),
        ("20GB/s", 20e9),
        ("125e6", 125e6),
    ],
)
def test_rates_tell_bits_from_bytes_and_1000_from_1024(text: str, expected: float) -> None:
    assert units.bytes_per_second(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64KiB", 65536),
        ("1.5 MB", 1_500_000),
        ("1420", 1420),
        ("1M", 1 << 20),
        ("64k", 65536),
        ("8K", 8192),
        ("2G", 2 << 30),
        ("1MiB", 1 << 20),
        ("1Mi", 1 << 20),
        ("1MB", 1_000_000),
        ("64kB", 64_000),
    ],
)
def test_sizes_are_whole_bytes(text: str, expected: int) -> None:
    assert units.byte_count(text) == expected


@pytest.mark.parametrize("text", ["", "fast", "12 parsecs", "1e", "--3s", "5 us/s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        units.seconds(text)


@pytest.mark.parametrize("text", ["10G", "10GB", "1 lightyear/s", "Gbit/s"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        units.bytes_per_second(text)


@pytest.mark.parametrize("text", ["0.5B", "10 X", "1e400"])
def test_parts_of_bytes_and_unknown_units_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        units.byte_count(text)


@given(st.floats(min_value=1e-12, max_value=1e6))
def test_a_shown_time_reads_back_to_four_digits(value: float) -> None:
    assert units.seconds(units.show_time(value)) == pytest.approx(value, rel=5.1e-4)


@given(st.integers(min_value=0, max_value=2**50))
def test_a_shown_size_is_within_four_digits(count: int) -> None:
    number, unit = units.show_bytes(count).split()
    factor = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[unit]
    assert float(number) * factor == pytest.approx(count, rel=5.1e-4)


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("64kb", "64kB or 64KiB"),
        ("1Mb", "1MB or 1MiB"),
        ("8 Kibit", "8kB or 8KiB"),
        ("24b", "24B"),
        ("2Gbit", "2GB or 2GiB"),
    ],
)
def test_sizes_in_bits_are_refused_with_bytes(text: str, cure: str) -> None:
    with pytest.raises(units.BitsError, match=f": {cure}$"):
        units.byte_count(text)
    assert units.byte_count(cure.split(" or ", maxsplit=1)[0]) > 0
