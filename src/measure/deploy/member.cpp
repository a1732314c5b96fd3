// SPDX-License-Identifier: BSD-3-Clause
#include "member.hpp"

#include <bit>

#include "next.hpp"

namespace orrery::deploy {

std::unique_ptr<Member> Member::of(MPI_Comm comm, const Settings& settings, const World& world) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &size);
  if (inter != 0 || size < 2 || !settings.concerns(size)) return nullptr;
  std::unique_ptr<Member> member(new Member);
  member->size_ = size;
  PMPI_Comm_rank(comm, &member->self_);
  member->places_ = world.places_of(comm);
  if (!member->places_) return nullptr;
  // Not MPI_Comm_dup, which would copy the program's attributes, and call what it has for that.
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  const int result = ORRERY_NEXT(Comm_create)(comm, group, &member->copy_);
  PMPI_Group_free(&group);
  if (result != MPI_SUCCESS) return nullptr;
  PMPI_Comm_set_errhandler(member->copy_, MPI_ERRORS_RETURN);
  return member;
}

Member::~Member() {
  if (copy_ != MPI_COMM_NULL) PMPI_Comm_free(&copy_);
}

const Prepared& Member::prepared(const Rule& rule, std::int64_t bytes, int root, std::int64_t element) {
  const auto key = std::tuple(&rule, bytes, root, element);
  if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second;
  constexpr std::size_t most = 1 << 18;
  if (kept_ > most) {
    prepared_.clear();
    kept_ = 0;
  }
  const collective::Call call{.kind = rule.kind,
                              .self = self_,
                              .size = size_,
                              .root = root,
                              .bytes = {bytes},
                              .element = element,
                              .places = &*places_};
  const auto made = prepared_.try_emplace(key, *rule.choice.algorithm, rule.choice.applied_to(call)).first;
  kept_ += made->second.kept() + 1;
  return made->second;
}

bool Member::first_use(const Rule& rule, std::int64_t bytes) {
  return used_.emplace(&rule, std::bit_width(static_cast<std::uint64_t>(bytes))).second;
}

}  // namespace orrery::deploy
