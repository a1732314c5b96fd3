// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "prepared.hpp"
#include "rules.hpp"
#include "world.hpp"

namespace orrery::deploy {

/// What a rank keeps for a communicator, as an attribute of it.
class Member {
 public:
  /// What this rank keeps for a communicator whose ranks all make theirs now. Null: it is to have none.
  static std::unique_ptr<Member> of(MPI_Comm comm, const Settings& settings, const World& world);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  [[nodiscard]] MPI_Comm messages() const { return copy_; }
  [[nodiscard]] int self() const { return self_; }
  [[nodiscard]] int size() const { return size_; }

  /// The operations of a call by this rule. @param element as `collective::Call::element`
  [[nodiscard]] const Prepared& prepared(const Rule& rule, std::int64_t bytes, int root, std::int64_t element);

  /// Whether a rule is used for the first time on vectors of this class of sizes.
  [[nodiscard]] bool first_use(const Rule& rule, std::int64_t bytes);

 private:
  Member() = default;

  MPI_Comm copy_ = MPI_COMM_NULL;
  int self_ = 0;
  int size_ = 1;
  std::optional<collective::Places> places_;
  std::map<std::tuple<const Rule*, std::int64_t, int, std::int64_t>, Prepared> prepared_;
  std::size_t kept_ = 0;  ///< operations of all of them
  std::set<std::pair<const Rule*, int>> used_;
};

}  // namespace orrery::deploy
