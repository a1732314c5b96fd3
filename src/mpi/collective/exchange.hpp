// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mpi/collective/shared_bytes.hpp"
#include "mpi/comm.hpp"
#include "mpi/held.hpp"
#include "mpi/payload.hpp"
#include "mpi/rank.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// Who takes part in an exchange, and how its messages are told from all others.
struct Circle {
  const Group* group = nullptr;
  int self = 0;  ///< own position in `group`
  op::CommId comm = 0;
  std::int32_t call = 0;  ///< number of the collective call on `comm`

  [[nodiscard]] int size() const { return group->size(); }
};

/// One collective call as one rank does its part: what the kernel is told, and the data plane.
///
/// The data plane has nothing to do with the algorithm that the kernel times: bytes go straight to where they are
/// needed, so that a rank sleeps at most once per call. There are two patterns. Direct: every rank posts pieces to some
/// ranks and awaits pieces from some (`begin` says which). Hub: see `HubExchange`. Pieces are received in the order of
/// the ranks, whenever they arrive, and one's own takes its place in that order: reductions need no more to be the same
/// from run to run.
class Exchange : public Task {
 public:
  explicit Exchange(Comm& comm);
  /// Among `circle` alone, of which the kernel is told nothing.
  explicit Exchange(Circle circle) : circle_(circle) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Tells the kernel of the call, as a blocking one or under the number of a request, and posts what can be posted
  /// before anything has come.
  void start(op::RequestId request);
  /// Receives what has come; true when nothing is awaited any more and all memory that was lent to receivers is back.
  bool advance() final;
  [[nodiscard]] bool done() const { return done_; }
  /// What went wrong with the data, to be told when the call completes.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] Comm& comm() const { return *comm_; }

 protected:
  /// What another rank has posted.
  class Piece {
   public:
    Piece(Rank& rank, Rank::Arrived* message) : rank_(rank), message_(message) {}
    [[nodiscard]] std::int64_t bytes() const { return Rank::size_of(*message_); }
    /// Copies as much as fits; then the piece is gone.
    void read(const Data& into) { rank_.read(message_, into); }

   private:
    Rank& rank_;
    Rank::Arrived* message_;
  };

  virtual void begin() = 0;
  virtual void receive(int from, Piece piece) = 0;
  virtual void receive_own() {}
  /// All that was awaited has been received.
  virtual void finish() {}

  /// What the kernel is told; `bytes` as in collective/collective.hpp, `type` whose elements must not be split.
  void time_as(op::CollectiveKind kind, int root, std::int64_t bytes, const Datatype* type);
  void time_commutative(bool commutative);
  /// Bytes per peer of a v-collective.
  [[nodiscard]] std::vector<std::int64_t>& timed_counts() { return timed_counts_; }

  /// Receive from ranks [first, last), in this order.
  void await(int first, int last);
  /// With Reuse::Later, `data` stays as it is until the exchange is done.
  void post(int to, const Data& data, Reuse reuse = Reuse::Later);
  /// The same data to all others.
  void post_to_others(const Data& data);
  /// To every other rank r the data `slice(r)`.
  void post_slices(const std::function<Data(int)>& slice, Reuse reuse = Reuse::Later);

  /// Puts a piece into the program's memory; what does not fit is dropped and gives MPI_ERR_TRUNCATE.
  void store(Piece piece, const Data& to);
  /// The same where all ranks must agree on the size: less is an error too.
  void store_exactly(Piece piece, const Data& to);
  /// The same for one's own piece.
  void store_own(const Data& from, const Data& to);
  void fail(Error error);

  [[nodiscard]] int self() const { return circle_.self; }
  [[nodiscard]] int size() const { return circle_.size(); }
  [[nodiscard]] const Circle& circle() const { return circle_; }

 private:
  bool receive_pieces();
  bool all_returned();
  void address(channel::Message& head) const;
  [[nodiscard]] std::optional<SharedBytes> share_slices(const std::function<Data(int)>& slice) const;
  void post_shared(int to, const SharedBytes& shared, std::span<const std::byte> part);
  [[nodiscard]] std::int32_t world(int position) const {
    return circle_.group->world[static_cast<std::size_t>(position)];
  }

  Held<Comm> comm_;
  Circle circle_;
  op::Operation timing_;
  std::vector<std::int64_t> timed_counts_;
  int next_ = 0;  ///< position awaited next
  int end_ = 0;
  bool received_ = false;  ///< all that was awaited
  bool done_ = false;
  bool busy_ = false;                   ///< inside `start` or `advance`
  std::vector<Rank::SendToken> loans_;  ///< memory that receivers have not fetched yet
  std::optional<Error> error_;
};

/// All send to the first rank, which computes and sends each its result. The first rank receives everyone's piece in
/// the order of the ranks, the others one result.
class HubExchange : public Exchange {
 public:
  using Exchange::Exchange;

 protected:
  [[nodiscard]] bool is_hub() const { return self() == 0; }

  virtual Data contribution() = 0;                  ///< of a rank that is not the hub
  virtual void combine(int from, Piece piece) = 0;  ///< at the hub
  virtual void combine_own() {}                     ///< at the hub, which is the first
  virtual void distribute() = 0;                    ///< at the hub, when all have come
  virtual void result(Piece piece) = 0;             ///< at the others

  void begin() final;
  void receive(int from, Piece piece) final;
  void receive_own() final { combine_own(); }
  void finish() final;
};

}  // namespace orrery::mpi
