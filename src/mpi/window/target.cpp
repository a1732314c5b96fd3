// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/target.hpp"

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/checks.hpp"
#include "mpi/window/synchronise.hpp"

namespace orrery::mpi {
namespace {

/// @throws Error when bytes [first, first + bytes) from the displacement on are not all in the part
void check_range(const WindowPart& part, std::int64_t displacement, const Span& span) {
  std::int64_t start = 0, first = 0, end = 0;
  const bool overflows = __builtin_mul_overflow(displacement, part.unit, &start) ||
                         __builtin_add_overflow(start, span.first, &first) ||
                         __builtin_add_overflow(first, span.bytes, &end);
  if (!overflows && first >= 0 && end <= part.size) return;
  throw Error{err_rma_range, concat("displacement ", displacement, " and ", span.bytes,
                                    " bytes there are not all in the target's ", part.size)};
}

}  // namespace

std::vector<Run> TargetPlace::runs() const {
  if (is_contiguous(*type)) return bytes() > 0 ? std::vector<Run>{{address, bytes()}} : std::vector<Run>{};
  std::vector<Run> runs;
  const Layout layout = repeat(type->bytes, count, extent_of(*type));
  auto add = [&](std::int64_t at, std::int64_t bytes, const Basic*) {
    runs.push_back({address + static_cast<std::uint64_t>(at), bytes});
  };
  if (layout) visit_range(*layout, 0, 0, layout->size, add);
  return runs;
}

bool find_place(Window& window, int rank, std::int64_t displacement, std::int64_t count, Datatype& type,
                TargetPlace& place) {
  if (rank != proc_null && (rank < 0 || rank >= window.comm->size())) {
    throw Error{err_rank, concat("there is no rank ", rank, " in a window of ", window.comm->size())};
  }
  check_elements(count, type);
  check_may_access(window, rank);
  if (rank == proc_null) return false;
  const WindowPart& part = window.part(rank);
  const bool dynamic = window.flavor == flavor_dynamic;
  if (!dynamic && displacement < 0) throw Error{err_disp, concat("the target displacement is ", displacement)};
  const Span span = span_of(type, count);
  if (!dynamic && span.bytes > 0) check_range(part, displacement, span);
  const std::uint64_t base = part.shared != 0 ? part.shared : part.address;
  place = {.rank = rank,
           .reach = {.owner = window.comm->world(rank), .shared = part.shared != 0},
           .address = base + static_cast<std::uint64_t>(displacement) * static_cast<std::uint64_t>(part.unit),
           .count = count,
           .type = &type};
  return true;
}

Target& target_of(Window& window, int rank) { return window.targets[rank]; }

void announce(Window& window, int rank, op::Kind kind, std::int64_t bytes, op::RequestId own, std::int64_t effect) {
  Rank& self = this_rank();
  Target& target = target_of(window, rank);
  if (target.outstanding == 0) target.outstanding = self.new_request_id();
  op::Operation operation;
  operation.kind = kind;
  operation.peer = window.comm->world(rank);
  operation.tag = static_cast<std::int32_t>(own);
  operation.comm = window.comm->id;
  operation.request = target.outstanding;
  operation.bytes = {bytes};
  operation.element = effect;
  self.push(operation);
}

}  // namespace orrery::mpi
