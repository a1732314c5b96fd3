// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>

/// Quantities have types, so that bytes are never added to seconds; a bare number that crosses a
/// border (TOML, JSON, Python) carries its unit in its name instead (`latency_s`).
namespace orrery {

/// A span of simulated time, in seconds.
struct Duration {
  double s = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.s + b.s}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.s - b.s}; }
  friend constexpr Duration operator*(Duration a, double factor) { return {a.s * factor}; }
  friend constexpr Duration operator*(double factor, Duration a) { return {factor * a.s}; }
  friend constexpr double operator/(Duration a, Duration b) { return a.s / b.s; }
  constexpr Duration& operator+=(Duration d) {
    s += d.s;
    return *this;
  }
};

/// A point in simulated time, in seconds since the start of the simulation.
struct SimTime {
  double s = 0;

  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator+(SimTime t, Duration d) { return {t.s + d.s}; }
  friend constexpr Duration operator-(SimTime a, SimTime b) { return {a.s - b.s}; }
  constexpr SimTime& operator+=(Duration d) {
    s += d.s;
    return *this;
  }
};

/// A number of bytes.
struct Bytes {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
  constexpr Bytes& operator+=(Bytes b) {
    count += b.count;
    return *this;
  }
};

/// A rate of transfer, in bytes per second.
struct Bandwidth {
  double bytes_per_s = 0;

  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;
  friend constexpr Bandwidth operator*(Bandwidth b, double factor) { return {b.bytes_per_s * factor}; }
};

constexpr Duration operator/(Bytes bytes, Bandwidth rate) {
  return {static_cast<double>(bytes.count) / rate.bytes_per_s};
}

/// Position of a rank in MPI_COMM_WORLD. Never silently a rank of another communicator.
enum class WorldRank : std::int32_t {};

constexpr std::int32_t index(WorldRank rank) { return static_cast<std::int32_t>(rank); }

}  // namespace orrery
