// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/collective.hpp"
#include "mpi/collective/run.hpp"

namespace orrery::mpi {

namespace {

/// Nobody leaves before all have come, in real time too: programs rely on it for what they do outside of MPI.
class Barrier final : public Repeatable<Barrier, HubExchange> {
 public:
  explicit Barrier(Comm& comm) : Repeatable(comm) {
    unite();
    time_as(op::CollectiveKind::Barrier, 0, 0, 1);
  }

 private:
  [[nodiscard]] Order order() const override { return Order::OfArrival; }
  Data contribution() override { return {}; }
  void combine(int, Piece piece) override { piece.read({}); }
  void distribute() override { post_to_others({}); }
  void result(Piece piece) override { piece.read({}); }
};

}  // namespace

void barrier(Comm& comm) {
  Barrier call(comm);
  run(call);
}

void ibarrier(Comm& comm, Request*& request) { request = launch(std::make_shared<Barrier>(comm)); }

void barrier_init(Comm& comm, Info*, Request*& request) { request = prepare(std::make_shared<Barrier>(comm)); }

}  // namespace orrery::mpi
