// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/point_to_point/checks.hpp"

namespace orrery::mpi {

namespace {

/// Direct: from the root to all.
class Bcast final : public Repeatable<Bcast> {
 public:
  Bcast(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm)
      : Repeatable(comm), type_(type), root_(root) {
    check_root(root, comm);
    if (has_part()) {
      check_not_in_place(buffer);
      check_buffer(buffer, count, type);
      data_ = Data::of(buffer, count, type);
    }
    time_as(op::CollectiveKind::Bcast, root, has_part() ? data_.bytes() : 0, type);
  }

 private:
  [[nodiscard]] bool has_part() const { return is_root(root_, comm()) || faces_root(root_, comm()); }
  [[nodiscard]] bool moves_data() const override { return has_part() && data_.bytes() > 0; }
  void begin() override {
    if (self() == root_) {
      post_to_others(data_);
    } else {
      await(root_, root_ + 1, Order::OfArrival);
    }
  }
  void receive(int, Piece piece) override { store(piece, data_); }

  Held<Datatype> type_;
  Data data_;
  int root_;
};

}  // namespace

void bcast(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm) {
  Bcast call(buffer, count, type, root, comm);
  run(call);
}

void ibcast(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm, Request*& request) {
  request = launch(std::make_shared<Bcast>(buffer, count, type, root, comm));
}

void bcast_init(void* buffer, std::int64_t count, Datatype& type, int root, Comm& comm, Info*, Request*& request) {
  request = prepare(std::make_shared<Bcast>(buffer, count, type, root, comm));
}

}  // namespace orrery::mpi
