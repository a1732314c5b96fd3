// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "collective/fixed.hpp"
#include "floats.hpp"
#include "next.hpp"
#include "op/vocabulary.hpp"

namespace orrery::deploy {
namespace {

using enum CollectiveKind;

/// Operations that give one of their operands, or are of integers: the order does not matter.
bool is_exact(MPI_Op op) {
  for (const MPI_Op exact :
       {MPI_MAX, MPI_MIN, MPI_MAXLOC, MPI_MINLOC, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR})
    if (op == exact) return true;
  return false;
}

/// Equal but for rounding; what is not a number, or infinite, on both sides is equal.
bool is_near(double ours, double theirs, double tolerance) {
  return ours == theirs || (!std::isfinite(ours) && !std::isfinite(theirs)) || std::abs(ours - theirs) <= tolerance;
}

/// Makes the call by the library itself.
int by_library(const Arguments& a) {
  const auto given = static_cast<int>(a.give_count);
  const auto got = static_cast<int>(a.get_count);
  switch (a.kind) {
    case Barrier: return ORRERY_NEXT(Barrier)(a.comm);
    case Bcast: return ORRERY_NEXT(Bcast)(a.get, got, a.get_type, a.root, a.comm);
    case Reduce: return ORRERY_NEXT(Reduce)(a.give, a.get, given, a.give_type, a.op, a.root, a.comm);
    case Allreduce: return ORRERY_NEXT(Allreduce)(a.give, a.get, given, a.give_type, a.op, a.comm);
    case Gather: return ORRERY_NEXT(Gather)(a.give, given, a.give_type, a.get, got, a.get_type, a.root, a.comm);
    case Scatter: return ORRERY_NEXT(Scatter)(a.give, given, a.give_type, a.get, got, a.get_type, a.root, a.comm);
    case Allgather: return ORRERY_NEXT(Allgather)(a.give, given, a.give_type, a.get, got, a.get_type, a.comm);
    default: return ORRERY_NEXT(Alltoall)(a.give, given, a.give_type, a.get, got, a.get_type, a.comm);
  }
}

}  // namespace

Check::Check(const Arguments& arguments, const Rule& rule, const Staged& staged, const Member& member,
             std::int64_t bytes)
    : arguments_(arguments), rule_(rule), staged_(staged), member_(member), bytes_(bytes) {
  if (staged.output() != nullptr) expected_.assign(staged.output(), staged.output() + staged.output_bytes());
}

Arguments Check::reference() {
  Arguments call = arguments_;
  call.give = staged_.input();
  call.get = expected_.data();
  if (!reduces(call.kind)) {
    call.give_type = call.get_type = MPI_BYTE;
    call.give_count = call.get_count = bytes_;
  }
  return call;
}

void Check::compare() {
  const Floats floats = reduces(arguments_.kind) ? Floats::of(arguments_.give_type) : Floats{};
  if (floats.width > 0 && !is_exact(arguments_.op)) {
    const std::vector<double> values = floats.values(staged_.input(), static_cast<std::size_t>(bytes_));
    std::vector<double> sizes(values.size());
    std::ranges::transform(values, sizes.begin(), [](double value) { return std::abs(value); });
    scale_.resize(sizes.size());
    ORRERY_NEXT(Allreduce)
    (sizes.data(), scale_.data(), static_cast<int>(sizes.size()), MPI_DOUBLE, MPI_SUM, member_.messages());
  }
  if (by_library(reference()) != MPI_SUCCESS) return;
  std::size_t at = 0;
  if (staged_.output() == nullptr || !differs(at)) return;
  give_up(concat(collective::name(rule_.kind), " by ", collective::spelled(rule_.choice), " of ", bytes_,
                 " bytes gives rank ", member_.self(), " of ", member_.size(),
                 " another result than the library, from byte ", at,
                 " on; leave such calls to the library: algorithm = \"library\""));
}

bool Check::differs(std::size_t& at) const {
  const char* ours = staged_.output();
  const std::size_t bytes = expected_.size();
  if (scale_.empty()) {
    at = static_cast<std::size_t>(std::mismatch(ours, ours + bytes, expected_.begin()).first - ours);
    return at < bytes;
  }
  const Floats floats = Floats::of(arguments_.give_type);
  const std::vector<double> found = floats.values(ours, bytes), expected = floats.values(expected_.data(), bytes);
  // Each of p - 1 operations rounds once; of complex numbers each is a few of real ones.
  const double rounding = 8 * member_.size() * floats.epsilon;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // The product of complex numbers has parts that may cancel each other.
    const std::size_t partner = std::min(i ^ std::size_t{1}, expected.size() - 1);
    const double parts = std::abs(expected[i]) + std::abs(expected[partner]);
    const double scale = arguments_.op == MPI_SUM ? scale_[i] : std::max(scale_[i], parts);
    if (is_near(found[i], expected[i], rounding * scale)) continue;
    at = i * floats.width;
    return true;
  }
  return false;
}

}  // namespace orrery::deploy
