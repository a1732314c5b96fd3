// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/info.hpp"

/// How communicators come to be: the hub of an exchange decides who belongs together, defines the communicators, and
/// tells each rank the number of its own. Members are then in shared memory, where the kernel looks for them too.
namespace orrery::mpi {

namespace {

constexpr op::CommId none = no_comm;
constexpr op::CommId failed = std::numeric_limits<op::CommId>::max();

/// Bytes that each rank tells where communicators are split.
constexpr std::int64_t color_and_key_bytes = 8;

template <class Value>
Data data_of(std::span<const Value> values) {
  return Data::of(std::as_bytes(values));
}

/// Makes communicators. All members of an inter-communicator agree together, and all wait for all.
class Creation : public HubExchange {
 public:
  /// @param told bytes that each rank tells all others before they agree on a number, as real libraries do
  explicit Creation(Comm& comm, std::int64_t told = 0) : HubExchange(comm) {
    unite();
    time_as(op::CollectiveKind::NewComm, 0, told, std::int64_t{1});
  }

  /// Number of this rank's new communicator, or `none`.
  [[nodiscard]] op::CommId id() const { return id_; }

 protected:
  /// At the hub: the number of each rank's new communicator.
  virtual std::vector<op::CommId> define() = 0;
  virtual void created(op::CommId) {}

 private:
  [[nodiscard]] Order order() const final { return Order::OfArrival; }
  void distribute() final {
    try {
      ids_ = define();
    } catch (const Error& error) {
      fail(error);
      ids_.assign(static_cast<std::size_t>(size()), failed);
    }
    post_slices(
        [this](int to) { return data_of(std::span<const op::CommId>(ids_).subspan(static_cast<std::size_t>(to), 1)); });
    take(ids_[0]);
  }
  void result(Piece piece) final {
    op::CommId id = none;
    piece.read(data_of(std::span<const op::CommId>(&id, 1)));
    take(id);
  }
  void take(op::CommId id) {
    if (id == failed) {
      fail({err_other, "no more communicators can be made"});
      return;
    }
    id_ = id;
    created(id);
  }

  std::vector<op::CommId> ids_;
  op::CommId id_ = none;
};

/// All ranks get the same communicator, of the same members.
class SameMembers : public Creation {
 public:
  explicit SameMembers(Comm& comm) : Creation(comm) {}

 private:
  Data contribution() final { return {}; }
  void combine(int, Piece piece) final { piece.read({}); }
  std::vector<op::CommId> define() final {
    return std::vector(static_cast<std::size_t>(size()),
                       define_comm(comm().everyone().world, first_group_size(comm())));
  }
};

/// A duplicate that is made while the program goes on: it already holds the communicator, which gets its number later.
class LaterDup final : public SameMembers {
 public:
  LaterDup(Comm& comm, Comm& copy) : SameMembers(comm), copy_(copy) {}

 private:
  void created(op::CommId id) override { copy_->id = id; }

  Held<Comm> copy_;
};

/// Members of a communicator to be made out of another one, of the same sort.
class NewMembers {
 public:
  explicit NewMembers(const Comm& parent) : parent_(parent) {}

  void add(std::int32_t world_rank) {
    const auto position = static_cast<std::size_t>(parent_.everyone().rank_of(world_rank));
    const bool in_second = parent_.is_inter() && position >= first_group_size(parent_);
    (in_second ? second_ : first_).push_back(world_rank);
  }
  /// Its number; `none` where one of two groups has no member.
  [[nodiscard]] op::CommId define() const {
    if (!parent_.is_inter()) return define_comm(first_);
    if (first_.empty() || second_.empty()) return none;
    std::vector<std::int32_t> world = first_;
    world.insert(world.end(), second_.begin(), second_.end());
    return define_comm(world, first_.size());
  }

 private:
  const Comm& parent_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> second_;
};

/// Each rank gets the communicator of its colour.
class Split final : public Creation {
 public:
  Split(int color, int key, Comm& comm) : Creation(comm, color_and_key_bytes), own_{color, key} {
    if (is_hub()) all_.resize(static_cast<std::size_t>(size()));
  }

 private:
  struct Entry {
    std::int32_t color;
    std::int32_t key;
  };

  Data contribution() override { return data_of(std::span<const Entry>(&own_, 1)); }
  void combine(int from, Piece piece) override {
    piece.read(data_of(std::span<const Entry>(all_).subspan(static_cast<std::size_t>(from), 1)));
  }
  void combine_own() override { all_[0] = own_; }

  std::vector<op::CommId> define() override {
    std::vector<op::CommId> ids(all_.size(), none);
    const auto ranks = by_color_and_key();
    for (std::size_t first = 0; first < ranks.size();) {
      const auto color = all_[ranks[first]].color;
      NewMembers members(comm());
      std::size_t last = first;
      for (; last < ranks.size() && all_[ranks[last]].color == color; ++last) {
        members.add(comm().everyone().world[ranks[last]]);
      }
      if (color != undefined) {
        const auto id = members.define();
        for (auto i = first; i < last; ++i) ids[ranks[i]] = id;
      }
      first = last;
    }
    return ids;
  }

  /// Ties in the key are broken by the rank (MPI-4.1, section 7.4.2).
  [[nodiscard]] std::vector<std::size_t> by_color_and_key() const {
    std::vector<std::size_t> ranks(all_.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    std::ranges::sort(ranks, {}, [this](std::size_t i) { return std::tuple(all_[i].color, all_[i].key, i); });
    return ranks;
  }

  Entry own_;
  std::vector<Entry> all_;  ///< at the hub
};

/// Each rank gets the communicator of the group that it passed. The first of each group tells its members.
class Create final : public Creation {
 public:
  Create(Group& group, Comm& comm) : Creation(comm) {
    if (group.rank_of(comm.world(comm.rank)) == 0) members_ = group.world;
  }

 private:
  Data contribution() override { return data_of(std::span<const std::int32_t>(members_)); }
  void combine(int, Piece piece) override {
    std::vector<std::int32_t> world(static_cast<std::size_t>(piece.bytes()) / sizeof(std::int32_t));
    piece.read(data_of(std::span<const std::int32_t>(world)));
    if (!world.empty()) groups_.push_back(std::move(world));
  }
  void combine_own() override {
    if (!members_.empty()) groups_.push_back(members_);
  }
  std::vector<op::CommId> define() override {
    std::vector<op::CommId> ids(static_cast<std::size_t>(size()), none);
    if (comm().is_inter()) {  // one of each side, at most: they become one communicator
      std::vector<std::int32_t> all;
      for (const auto& world : groups_) all.insert(all.end(), world.begin(), world.end());
      groups_ = {std::move(all)};
    }
    for (const auto& world : groups_) {
      NewMembers members(comm());
      for (const auto member : world) members.add(member);
      const auto id = members.define();
      for (const auto member : world) ids[static_cast<std::size_t>(comm().everyone().rank_of(member))] = id;
    }
    return ids;
  }

  std::vector<std::int32_t> members_;              ///< of this rank's group, if it is their first
  std::vector<std::vector<std::int32_t>> groups_;  ///< at the hub
};

/// All get one intra-communicator, of both groups of theirs.
class Merge final : public Creation {
 public:
  Merge(bool high, Comm& comm) : Creation(comm), high_(high ? 1 : 0) {
    if (is_hub()) highs_.resize(static_cast<std::size_t>(size()));
  }

 private:
  Data contribution() override { return data_of(std::span<const std::uint8_t>(&high_, 1)); }
  void combine(int from, Piece piece) override {
    piece.read(data_of(std::span<const std::uint8_t>(highs_).subspan(static_cast<std::size_t>(from), 1)));
  }
  void combine_own() override { highs_[0] = high_; }
  std::vector<op::CommId> define() override {
    auto world = comm().everyone().world;
    const auto second = static_cast<std::ptrdiff_t>(first_group_size(comm()));
    check(highs_.begin(), highs_.begin() + second);
    check(highs_.begin() + second, highs_.end());
    if (highs_[0] > highs_.back()) std::ranges::rotate(world, world.begin() + second);
    return std::vector(static_cast<std::size_t>(size()), define_comm(world));
  }
  static void check(auto begin, auto end) {
    if (std::adjacent_find(begin, end, std::not_equal_to{}) == end) return;
    throw Error{err_arg, "ranks of one group give different values of high"};
  }

  std::uint8_t high_;
  std::vector<std::uint8_t> highs_;  ///< at the hub
};

op::CommId run_creation(Creation&& creation) {
  run(creation);
  return creation.id();
}

/// Attributes and hints of a duplicate. @throws Error as the copy callbacks say; then the duplicate is gone
void furnish(Comm*& copy, const Comm& comm, Info* info) {
  try {
    copy_attributes(comm.attributes, comm.abi_handle, copy->attributes);
    if (info != nullptr) comm_set_info(*copy, info);
  } catch (const Error&) {
    release(*copy);
    copy = nullptr;
    throw;
  }
}

void check_members(const Group& group, const Comm& comm) {
  for (const auto member : group.world) {
    if (comm.group->rank_of(member) == undefined) {
      throw Error{err_group, concat("world rank ", member, " is in the group but not in the communicator")};
    }
  }
}

}  // namespace

Comm* hidden_dup(Comm& comm) { return view_of(run_creation(SameMembers(comm)), &comm); }

void comm_dup_with_info(Comm& comm, Info* info, Comm*& copy) {
  copy = view_of(run_creation(SameMembers(comm)), &comm);
  copy->topology = comm.topology;
  furnish(copy, comm, info);
}

void comm_dup(Comm& comm, Comm*& copy) { comm_dup_with_info(comm, nullptr, copy); }

void comm_idup_with_info(Comm& comm, Info* info, Comm*& copy, Request*& request) {
  if (comm.is_inter()) {
    copy = make_intercomm(none, comm.both->world, first_group_size(comm));
  } else {
    copy = make_comm(none, comm.group->world, comm.rank);
  }
  copy->topology = comm.topology;
  if (comm.errhandler != nullptr) comm_set_errhandler(*copy, *comm.errhandler);
  furnish(copy, comm, info);
  request = launch(std::make_shared<LaterDup>(comm, *copy));
}

void comm_idup(Comm& comm, Comm*& copy, Request*& request) { comm_idup_with_info(comm, nullptr, copy, request); }

void comm_create(Comm& comm, Group& group, Comm*& created) {
  check_members(group, comm);
  created = view_of(run_creation(Create(group, comm)), &comm);
}

void comm_create_group(Comm& comm, Group& group, int tag, Comm*& created) {
  check_intra(comm);
  check_members(group, comm);
  if (tag < 0 || tag > tag_upper_bound) throw Error{err_tag, concat("the tag is ", tag)};
  created = nullptr;
  if (group.rank_of(comm.world(comm.rank)) == undefined) return;
  created = view_of(agreed_number(group, beside(comm), tag), &comm);
}

void intercomm_merge(Comm& comm, bool high, Comm*& merged) {
  if (!comm.is_inter()) throw Error{err_comm, "only an inter-communicator has groups to merge"};
  merged = view_of(run_creation(Merge(high, comm)), &comm);
}

void comm_split(Comm& comm, int color, int key, Comm*& part) {
  if (color < 0 && color != undefined) throw Error{err_arg, concat("the color is ", color)};
  part = view_of(run_creation(Split(color, key, comm)), &comm);
}

}  // namespace orrery::mpi
