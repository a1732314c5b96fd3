// SPDX-License-Identifier: BSD-3-Clause
#include "timeline/gatherings.hpp"

namespace orrery::timeline {
namespace {

using op::CollectiveKind;

constexpr std::uint32_t nobody = UINT32_MAX;

enum class WaitsFor : std::uint8_t {
  All,     ///< everybody for the last
  Root,    ///< everybody for the root
  AsRoot,  ///< the root for the last
  Some,    ///< it depends on the algorithm, or on who the neighbours are
};

WaitsFor who_waits(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::Bcast:
    case CollectiveKind::Scatter:
    case CollectiveKind::Scatterv: return WaitsFor::Root;
    case CollectiveKind::Reduce:
    case CollectiveKind::Gather:
    case CollectiveKind::Gatherv: return WaitsFor::AsRoot;
    case CollectiveKind::Scan:
    case CollectiveKind::Exscan: return WaitsFor::Some;
    default: return op::is_among_neighbors(kind) ? WaitsFor::Some : WaitsFor::All;
  }
}

}  // namespace

std::uint32_t Gatherings::size_of(op::CommId comm) const {
  if (const trace::File::Communicator* const known = file_.communicator(comm)) return known->size;
  return comm == 0 ? file_.ranks() : 0;
}

/// Roots on inter-communicators are not looked for: those who wait are in one group only.
std::uint32_t Gatherings::root_of(const Step& step) const {
  const WaitsFor who = who_waits(step.collective);
  if ((who != WaitsFor::Root && who != WaitsFor::AsRoot) || step.peer < 0) return nobody;
  auto left = static_cast<std::uint32_t>(step.peer);
  const trace::File::Communicator* const known = file_.communicator(step.comm);
  if (known == nullptr) return left;
  if (known->first_group != 0) return nobody;
  for (const trace::File::Run& run : known->runs) {
    if (left < run.length) return static_cast<std::uint32_t>(run.first + left * run.apart);
    left -= run.length;
  }
  return nobody;
}

void Gatherings::enter(const Step& step, std::uint32_t rank, std::int64_t ns, Lineage::Place place) {
  const auto [found, fresh] = calls_.try_emplace(key_of(step));
  Call& call = found->second;
  if (fresh) {
    call = {.kind = step.collective,
            .members = size_of(step.comm),
            .root = root_of(step),
            .last = {rank, ns, lineage_.hold(place)},
            .root_came = {nobody, 0, Lineage::nowhere}};
  } else if (ns > call.last.ns) {
    lineage_.release(call.last.place);
    call.last = {rank, ns, lineage_.hold(place)};
  }
  ++call.here;
  if (rank == call.root && call.root_came.rank == nobody) call.root_came = {rank, ns, lineage_.hold(place)};
}

std::optional<Gatherings::Late> Gatherings::late(Key key, std::uint32_t rank) const {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return {};
  const Call& call = found->second;
  const WaitsFor who = who_waits(call.kind);
  if (who == WaitsFor::All || (who == WaitsFor::AsRoot && rank == call.root)) return call.last;
  if (who == WaitsFor::Root && call.root_came.rank != nobody) return call.root_came;
  return {};
}

void Gatherings::leave(Key key) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call& call = found->second;
  if (++call.gone < call.members || call.here < call.members) {
    if (call.members > 0 || call.gone < call.here) return;
    ++unknown_;  // nobody is in it now; another who comes later is taken for a call of its own
  }
  lineage_.release(call.last.place);
  lineage_.release(call.root_came.place);
  calls_.erase(found);
}

}  // namespace orrery::timeline
