// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/intercomm.hpp"

#include <numeric>

#include "catch.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/ranks_fixture.test.hpp"
#include "mpi/request/request.hpp"

using namespace orrery;
using namespace orrery::mpi;
using testing::comparison;
using testing::error_of;
using testing::expect;
using testing::run;
using testing::sum_op;
using Ints = std::vector<int>;

namespace {

/// World ranks 0 to `first` - 1 and the others, each group led by its last rank; the peers meet in MPI_COMM_WORLD.
Comm& two_groups(int first) {
  const int rank = this_rank().world_rank();
  const int size = this_rank().world_size();
  Comm* half = nullptr;
  comm_split(comm_world(), rank < first ? 0 : 1, rank, half);
  Comm* inter = nullptr;
  intercomm_create(*half, half->size() - 1, &comm_world(), rank < first ? size - 1 : first - 1, 7, inter);
  return *inter;
}

Datatype& ints() { return testing::int_type(); }
/// What rank `from` of one group gives rank `to` of the other.
int word(bool first, int from, int to) { return (first ? 1000 : 2000) + from * 10 + to; }

struct Side {
  Comm& inter;
  bool first;
  int self = inter.rank;
  int local = inter.size();
  int remote = inter.remote->size();
};

Side side(int first) {
  Comm& inter = two_groups(first);
  return {inter, this_rank().world_rank() < first};
}

/// MPI_ROOT at the root, MPI_PROC_NULL at the others of its group, and its rank in the other one.
int root_for(const Side& s, bool root_is_first, int rank) {
  if (s.first != root_is_first) return rank;
  return s.self == rank ? root : proc_null;
}

}  // namespace

TEST_CASE("An inter-communicator has two groups, and ranks in it are those of the other one") {
  const auto record = run(5, [](int rank) {
    Comm& inter = two_groups(2);
    expect(inter.size() == (rank < 2 ? 2 : 3), "local size");
    int remote_size = 0;
    comm_remote_size(inter, remote_size);
    expect(remote_size == (rank < 2 ? 3 : 2), "remote size");
    bool flag = false;
    comm_test_inter(inter, flag);
    expect(flag, "test_inter");
    // Everyone to everyone of the other group, at once.
    for (int to = 0; to < remote_size; ++to) send(&rank, 1, ints(), to, 3, inter);
    for (int from = 0; from < remote_size; ++from) {
      int got = -1;
      Status status;
      recv(&got, 1, ints(), from, 3, inter, &status);
      expect(got == (rank < 2 ? 2 + from : from) && status.source == from, "message of the other group");
    }
    expect(error_of([&] { send(&rank, 1, ints(), remote_size, 3, inter); }) == err_rank, "no such peer");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Inter-communicators are duplicated, split, merged and compared") {
  const auto record = run(5, [](int rank) {
    Comm& inter = two_groups(2);
    Comm* copy = nullptr;
    comm_dup(inter, copy);
    expect(comparison(inter, *copy) == congruent, "duplicate");
    expect(comparison(inter, comm_world()) == unequal, "inter and intra");
    // Order of the groups as their members say (MPI-4.1, section 7.6.2).
    Comm* merged = nullptr;
    intercomm_merge(*copy, rank < 2, merged);
    expect(merged->group->world == Ints{2, 3, 4, 0, 1}, "merged");
    // Colour 1 has ranks of the second group only: no communicator (section 7.4.2).
    Comm* part = nullptr;
    comm_split(inter, rank == 3 ? 1 : 0, -rank, part);
    expect((part == nullptr) == (rank == 3), "a color needs both groups");
    if (part != nullptr) {
      expect(part->group->world == (rank < 2 ? Ints{1, 0} : Ints{4, 2}), "local group by key");
      expect(part->remote->world == (rank < 2 ? Ints{4, 2} : Ints{1, 0}), "remote group by key");
    }
    Group* some = nullptr;
    const int last = inter.size() - 1;
    group_incl(*inter.group, 1, &last, some);
    Comm* created = nullptr;
    comm_create(inter, *some, created);
    expect((created != nullptr) == (rank == 1 || rank == 4), "only those in the groups");
    Comm* later = nullptr;
    Request* request = nullptr;
    comm_idup(inter, later, request);
    Request* requests[] = {request};
    expect(!complete_all(requests, nullptr), "idup");
    barrier(*later);
    barrier(*merged);
    comm_free(copy);
    comm_free(merged);
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Collectives of inter-communicators give each group what the other one has") {
  const auto record = run(5, [](int) {
    const Side s = side(2);
    const auto n = static_cast<std::size_t>(s.remote);
    barrier(s.inter);
    for (const bool root_is_first : {true, false}) {
      const int rank = 1;
      const int as_root = root_for(s, root_is_first, rank);
      int value = as_root == root ? 77 : 0;
      bcast(&value, 1, ints(), as_root, s.inter);
      expect(value == (as_root == proc_null ? 0 : 77), "bcast");

      const int own = word(s.first, s.self, 0);
      Ints got(n, -1);
      gather(&own, 1, ints(), got.data(), 1, ints(), as_root, s.inter);
      int total = -1;
      reduce(&own, &total, 1, ints(), sum_op(), as_root, s.inter);
      if (as_root == root) {
        for (int from = 0; from < s.remote; ++from)
          expect(got[static_cast<std::size_t>(from)] == word(!s.first, from, 0), "gather");
        expect(total == std::accumulate(got.begin(), got.end(), 0), "reduce");
      } else {
        expect(got[0] == -1 && total == -1, "only the root gets");
      }
      Ints out(n);
      for (int to = 0; to < s.remote; ++to) out[static_cast<std::size_t>(to)] = word(s.first, s.self, to);
      int mine = -1;
      scatter(out.data(), 1, ints(), &mine, 1, ints(), as_root, s.inter);
      expect(mine == (as_root >= 0 ? word(!s.first, rank, s.self) : -1), "scatter");
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Collectives without a root go both ways in inter-communicators, with different sizes and counts") {
  const auto record = run(5, [](int) {
    const Side s = side(2);
    const auto n = static_cast<std::size_t>(s.remote);
    // The first group gives 1 element each, the second 2.
    const int mine = s.first ? 1 : 2;
    const int theirs = 3 - mine;
    Ints out{word(s.first, s.self, 0), word(s.first, s.self, 1)};
    Ints in(n * static_cast<std::size_t>(theirs));
    allgather(out.data(), mine, ints(), in.data(), theirs, ints(), s.inter);
    for (int from = 0; from < s.remote; ++from) {
      for (int k = 0; k < theirs; ++k)
        expect(in[static_cast<std::size_t>(from * theirs + k)] == word(!s.first, from, k), "allgather");
    }
    Ints to_each(n), from_each(n);
    for (int to = 0; to < s.remote; ++to) to_each[static_cast<std::size_t>(to)] = word(s.first, s.self, to);
    alltoall(to_each.data(), 1, ints(), from_each.data(), 1, ints(), s.inter);
    int expected = 0;
    for (int from = 0; from < s.remote; ++from) {
      expect(from_each[static_cast<std::size_t>(from)] == word(!s.first, from, s.self), "alltoall");
      expected += word(!s.first, from, 0);
    }
    int total = 0;
    allreduce(out.data(), &total, 1, ints(), sum_op(), s.inter);
    expect(total == expected, "allreduce");

    // Six elements, shared by 2 ranks as 3 each and by 3 as 2 each.
    Ints vector(6);
    for (int i = 0; i < 6; ++i) vector[static_cast<std::size_t>(i)] = word(s.first, s.self, i);
    Ints part(static_cast<std::size_t>(6 / s.local));
    reduce_scatter_block(vector.data(), part.data(), 6 / s.local, ints(), sum_op(), s.inter);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto at = s.self * static_cast<int>(part.size()) + static_cast<int>(i);
      expect(part[i] == expected + s.remote * at, "reduce_scatter_block");
    }
    Request* requests[2] = {};
    iallreduce(out.data(), &total, 1, ints(), sum_op(), s.inter, requests[0]);
    ibarrier(s.inter, requests[1]);
    expect(!complete_all(requests, nullptr), "immediate forms");
    expect(error_of([&] { scan(out.data(), &total, 1, ints(), sum_op(), s.inter); }) == err_comm, "no scan");
    expect(error_of([&] { allreduce(in_place, &total, 1, ints(), sum_op(), s.inter); }) == err_buffer, "not in place");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("One group may give nothing to the other in an allgather") {
  const auto record = run(4, [](int rank) {
    const Side s = side(1);
    int got[3] = {-1, -1, -1};
    const int count = s.first ? 0 : 1;
    allgather(&rank, count, ints(), got, 1 - count, ints(), s.inter);
    expect(s.first ? got[0] == 1 && got[1] == 2 && got[2] == 3 : got[0] == -1, "blocks of the second group only");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Groups that share members make no inter-communicator; both sides are told") {
  const auto record = run(2, [](int) {
    Comm* inter = nullptr;
    const auto create = [&] { intercomm_create(comm_world(), 0, &comm_world(), 0, 1, inter); };
    expect(error_of(create) == err_comm, "common members");
    expect(error_of([&] { intercomm_create(comm_self(), 0, nullptr, 0, 1, inter); }) == err_comm, "no peer");
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("Inter-communicators can be made of groups and a text alone") {
  const auto record = run(4, [](int rank) {
    Group* all = nullptr;
    comm_group(comm_world(), all);
    const int first[] = {0, 2};
    const int second[] = {3, 1};
    Group *own = nullptr, *other = nullptr;
    group_incl(*all, 2, rank % 2 == 0 ? first : second, own);
    group_incl(*all, 2, rank % 2 == 0 ? second : first, other);
    Comm* inter = nullptr;
    intercomm_create_from_groups(*own, 1, *other, 1, "a text", nullptr, errors_return(), inter);
    expect(inter->remote->world == (rank % 2 == 0 ? Ints{3, 1} : Ints{0, 2}), "remote group");
    barrier(*inter);
  });
  CHECK(record.all_ended_well());
}
