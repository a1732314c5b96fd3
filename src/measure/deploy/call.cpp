// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "check.hpp"
#include "execution.hpp"
#include "op/vocabulary.hpp"
#include "session.hpp"
#include "staged.hpp"

namespace orrery::deploy {
namespace {

using enum CollectiveKind;

bool usable(MPI_Count count, MPI_Datatype type) { return count >= 0 && type != MPI_DATATYPE_NULL; }

/// Whether MPI would take the arguments, as far as we look at them ourselves.
bool arguments_serve(const Arguments& a, const Member& member) {
  if (a.root < 0 || a.root >= member.size()) return false;
  const bool at_root = a.root == member.self();
  const bool gives = a.kind != Barrier && a.kind != Bcast && (a.kind != Scatter || at_root) && a.give != MPI_IN_PLACE;
  const bool gets = a.kind != Barrier && ((a.kind != Gather && a.kind != Reduce) || at_root) && a.get != MPI_IN_PLACE;
  if (gives && !usable(a.give_count, a.give_type)) return false;
  if (gets && !usable(a.get_count, a.get_type)) return false;
  if (!reduces(a.kind)) return true;
  return a.op != MPI_OP_NULL && usable(a.give_count, a.give_type);
}

/// What is known before the rules are asked: all of it the same on all ranks.
std::optional<Left> obstacle(const Arguments& a, const Member& member) {
  if (!arguments_serve(a, member)) return Left::WrongArguments;
  if (reduces(a.kind)) {
    int commutes = 0;
    PMPI_Op_commutative(a.op, &commutes);
    if (commutes == 0) return Left::DoesNotCommute;
    if (plain_size(a.give_type) == 0) return Left::DerivedType;
  }
  const std::int64_t bytes = shared_bytes(a, a.root == member.self());
  if (bytes > std::numeric_limits<int>::max() / most_blocks(a.kind, member.size())) return Left::TooLong;
  return std::nullopt;
}

/// By this rule, which has an algorithm that serves.
int carried_out(const Arguments& a, const Rule& rule, Member& member, const Prepared& prepared, std::int64_t bytes) {
  const Inside inside;
  Staged staged(a, member.self(), member.size(), bytes);
  std::optional<Check> check;
  if (session()->settings.check && member.first_use(rule, bytes)) check.emplace(a, rule, staged, member, bytes);
  Data data{.input = staged.input(), .output = staged.output()};
  if (reduces(a.kind)) {
    data.type = a.give_type;
    data.element = plain_size(a.give_type);
    data.op = a.op;
  }
  if (const int result = execute(prepared, data, member.messages()); result != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(a.comm, result);
    return result;
  }
  if (check) check->compare();
  staged.deliver();
  return MPI_SUCCESS;
}

}  // namespace

std::optional<int> call(const Arguments& a) {
  Session* const now = session();
  if (now == nullptr || now->idle || Inside::already() || a.comm == MPI_COMM_NULL) return std::nullopt;
  const auto leave = [&](Left why) {
    now->tally.left(a.kind, why);
    return std::optional<int>();
  };
  Member* const member = now->member(a.comm);
  if (member == nullptr) return leave(Left::NoPrivateCopy);
  if (const auto why = obstacle(a, *member)) return leave(*why);
  const std::int64_t bytes = shared_bytes(a, a.root == member->self());
  const Rule* const rule = now->settings.rule_of(a.kind, member->size(), bytes);
  if (rule == nullptr) return leave(Left::NoRule);
  const auto number = static_cast<std::size_t>(rule - now->settings.rules.data());
  if (rule->choice.algorithm == nullptr) {
    now->tally.by_rule(a.kind, number);
    return std::nullopt;
  }
  const std::int64_t element = reduces(a.kind) ? plain_size(a.give_type) : 1;
  const Prepared& prepared = member->prepared(*rule, bytes, a.root, element);
  if (!prepared.serves()) return leave(Left::NotServed);
  now->tally.by_rule(a.kind, number);
  return carried_out(a, *rule, *member, prepared, bytes);
}

}  // namespace orrery::deploy
