// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/checks.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/window/access_request.hpp"
#include "mpi/window/target.hpp"

/// Puts and gets. Their bytes move at once, from process to process: an epoch has been opened, so the target does not
/// use that memory, and what other origins do there at the same time has no order that a program may rely on.
namespace orrery::mpi {
namespace {

/// @throws Error when the target has no room for what the origin has, or less than what it wants
void check_sizes(const Data& origin, const TargetPlace& place) {
  if (origin.bytes() > place.bytes()) {
    throw Error{err_truncate, concat("the origin has ", origin.bytes(), " bytes, the target ", place.bytes())};
  }
}

/// The runs of the first `bytes` bytes.
std::vector<Run> first_runs(const TargetPlace& place, std::int64_t bytes) {
  std::vector<Run> runs = place.runs();
  std::int64_t left = bytes;
  std::size_t kept = 0;
  for (; kept < runs.size() && left > 0; ++kept) {
    runs[kept].bytes = std::min(runs[kept].bytes, left);
    left -= runs[kept].bytes;
  }
  runs.resize(kept);
  return runs;
}

void write_to_target(const Data& origin, const TargetPlace& place) {
  Rank& rank = this_rank();
  const std::vector<Run> runs = first_runs(place, origin.bytes());
  if (origin.contiguous()) return write_runs(rank, place.reach, runs, static_cast<const std::byte*>(origin.buffer));
  std::vector<std::byte> packed(static_cast<std::size_t>(origin.bytes()));
  origin.pack_into(packed.data());
  write_runs(rank, place.reach, runs, packed.data());
}

void read(const Data& origin, const TargetPlace& place) {
  Rank& rank = this_rank();
  const std::vector<Run> runs = first_runs(place, origin.bytes());
  if (origin.contiguous()) return read_runs(rank, place.reach, runs, static_cast<std::byte*>(origin.buffer));
  std::vector<std::byte> packed(static_cast<std::size_t>(origin.bytes()));
  read_runs(rank, place.reach, runs, packed.data());
  origin.unpack_from(packed.data(), origin.bytes());
}

/// One transfer in both planes: first the bytes, so that whoever learns of its end from the kernel finds them moved.
/// @param own request of it alone, or 0
void transfer(op::Kind kind, const void* buffer, std::int64_t count, Datatype& type, int rank,
              std::int64_t displacement, std::int64_t target_count, Datatype& target_type, Window& window,
              AccessRequest* request) {
  check_buffer(buffer, count, type);
  TargetPlace place;
  if (!find_place(window, rank, displacement, target_count, target_type, place)) return;
  const Data origin = Data::of(buffer, count, type);
  check_sizes(origin, place);
  if (kind == op::Kind::Put) {
    write_to_target(origin, place);
  } else {
    read(origin, place);
  }
  if (request != nullptr) request->begin();
  announce(window, rank, kind, origin.bytes(), request != nullptr ? request->id : 0);
}

}  // namespace

void put(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
         std::int64_t target_count, Datatype& target_type, Window& window) {
  transfer(op::Kind::Put, origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
           nullptr);
}

void rput(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
          std::int64_t target_count, Datatype& target_type, Window& window, Request*& request) {
  auto made = std::make_unique<AccessRequest>(window);
  transfer(op::Kind::Put, origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
           made.get());
  request = made.release();
}

void get(void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
         std::int64_t target_count, Datatype& target_type, Window& window) {
  transfer(op::Kind::Get, origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
           nullptr);
}

void rget(void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
          std::int64_t target_count, Datatype& target_type, Window& window, Request*& request) {
  auto made = std::make_unique<AccessRequest>(window);
  transfer(op::Kind::Get, origin, origin_count, origin_type, target, displacement, target_count, target_type, window,
           made.get());
  request = made.release();
}

}  // namespace orrery::mpi
