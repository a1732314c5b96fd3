// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/collective/inbox.hpp"
#include "mpi/collective/shared_bytes.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/object/held.hpp"
#include "mpi/point_to_point/kept.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/rank/rank.hpp"
#include "op/op.hpp"

namespace orrery::mpi {

/// In which order an exchange receives its pieces.
enum class Order : std::uint8_t {
  OfArrival,
  OfRanks,  ///< one's own in its place: reductions need no more to be the same from run to run
};

/// One collective call as one rank does its part: what the kernel is told, and the data plane.
///
/// The data plane has nothing to do with the algorithm that the kernel times: bytes go straight to where they are
/// needed, so that a rank sleeps at most once per call. There are two patterns. Direct: every rank posts pieces to some
/// ranks and awaits pieces from some (`begin` says which). Hub: see `HubExchange`.
///
/// On an inter-communicator data goes to the other group: pieces are posted to its ranks and awaited from them, and no
/// rank finds itself among its peers. Where the two groups act as one, as for a barrier, see `unite`.
///
/// No rank waits here for another that it need not wait for in the simulation, whatever the algorithm: else it could
/// wait for a rank that waits for the kernel's answer, while the kernel waits for its own next operation. So the hub is
/// one that needs everyone's data, and pieces without data are neither sent nor awaited.
class Exchange : public Task, private CollectiveListener {
 public:
  explicit Exchange(Comm& comm);
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() override;

  /// Gives the call its number now: it will be started again and again, and in an order that may differ from rank to
  /// rank (`next_start`).
  void number_starts();
  /// A copy of a numbered call to be started, the next of its kind. Null if it is not `Repeatable`.
  [[nodiscard]] std::shared_ptr<Exchange> next_start();

  /// Tells the kernel of the call, as a blocking one or under the number of a request, and posts what can be posted
  /// before anything has come.
  void start(op::RequestId request);
  /// Receives what has come; true when nothing is awaited any more and all memory that was lent to receivers is back.
  bool advance() final;
  [[nodiscard]] bool done() const { return done_; }
  /// Messages without which nothing more can be done.
  [[nodiscard]] int missing() const { return missing_; }
  /// What went wrong with the data, to be told when the call completes.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] Comm& comm() const { return *comm_; }

 protected:
  /// What another rank has posted.
  class Piece {
   public:
    Piece(const channel::Message& head, const std::byte* inline_bytes) : head_(head), inline_bytes_(inline_bytes) {}
    [[nodiscard]] std::int64_t bytes() const { return head_.bytes; }
    /// Copies as much as fits; then the piece is gone.
    void read(const Data& into) { this_rank().payloads().fetch(head_, inline_bytes_, into); }

   private:
    const channel::Message& head_;
    const std::byte* inline_bytes_;
  };

  /// A copy of the call, not started.
  Exchange(const Exchange& other);
  [[nodiscard]] virtual std::shared_ptr<Exchange> again() const { return nullptr; }

  virtual void begin() = 0;
  /// Whether there is anything to do at all.
  [[nodiscard]] virtual bool moves_data() const { return true; }
  /// Whether a rank has data for this one.
  [[nodiscard]] virtual bool expects(int /*from*/) const { return true; }
  /// With Order::OfArrival this is called while messages are being sorted: it must not post any.
  virtual void receive(int from, Piece piece) = 0;
  virtual void receive_own() {}
  /// All that was awaited has been received.
  virtual void finish() {}

  /// What the kernel is told; `bytes` as in collective/collective.hpp, `element` those that must not be split.
  void time_as(op::CollectiveKind kind, int root, std::int64_t bytes, std::int64_t element);
  void time_as(op::CollectiveKind kind, int root, std::int64_t bytes, const Datatype& type);
  void time_reduction(const Op& op);
  /// By an operation of MPI's that commutes.
  void time_reduction() { timing_.flags |= op::Commutative; }
  void time_in_place() { timing_.flags |= op::InPlace; }
  /// Bytes per peer of a v-collective.
  [[nodiscard]] std::vector<std::int64_t>& timed_counts() { return timed_counts_; }

  /// One piece from each of the ranks [first, last) that have one, one's own included.
  void await(int first, int last, Order order);
  /// With Reuse::Later, `data` stays as it is until the exchange is done.
  void post(int to, const Data& data, Reuse reuse = Reuse::Later);
  /// Posts the data to all others.
  void post_to_others(const Data& data);
  /// To every other rank r the data `slice(r)`, if there are any.
  void post_slices(const std::function<Data(int)>& slice, Reuse reuse = Reuse::Later);

  /// Puts a piece into the program's memory; what does not fit is dropped and gives MPI_ERR_TRUNCATE.
  void store(Piece piece, const Data& to);
  /// Stores a piece where all ranks must agree on the size: less is an error too.
  void store_exactly(Piece piece, const Data& to);
  /// Copies one's own piece; more than there is room for gives MPI_ERR_TRUNCATE.
  void store_own(const Data& from, const Data& to);
  void fail(Error error);

  /// Whether a rank may be done in the simulation before all have contributed: then its data must not wait here.
  [[nodiscard]] virtual bool senders_leave_early() const { return true; }

  /// Lets all members of an inter-communicator be peers. Not for data that only one group needs.
  void unite() { meet(comm_->everyone()); }
  /// From now on pieces are exchanged within the own group of an inter-communicator.
  void stay_local() { meet(*comm_->group); }
  /// Whether this rank's peers are the other group.
  [[nodiscard]] bool crosses() const { return comm_->is_inter() && peers_ == comm_->remote; }

  /// Own rank among the peers; among those of another group MPI_ROOT, as roots are called there.
  [[nodiscard]] int self() const { return self_; }
  [[nodiscard]] int size() const { return peers_->size(); }

 private:
  [[nodiscard]] bool listens_to(op::CommId comm, std::int32_t call, std::uint32_t part) const override {
    return comm == comm_->id && call == call_ && part == starts_;
  }
  [[nodiscard]] Delivery deliver(const channel::Message& record) override;
  void take_early();
  void fetch_ahead(Payloads& payloads) override;
  void receive_kept();
  void receive_kept(int from);
  [[nodiscard]] Kept::Owner& kept(int position) { return kept_[static_cast<std::size_t>(position - first_)]; }
  [[nodiscard]] bool awaits_own() const;
  bool all_returned();
  void address(channel::Message& head) const;
  [[nodiscard]] std::optional<SharedBytes> share_slices(const std::function<Data(int)>& slice) const;
  void post_shared(int to, const SharedBytes& shared, std::span<const std::byte> part);

  void meet(const Group& peers);

  Held<Comm> comm_;
  const Group* peers_;
  int self_;
  std::int32_t call_ = 0;     ///< number of the call on its communicator
  std::uint32_t starts_ = 0;  ///< of a persistent one: so many starts, this one included
  bool is_numbered_ = false;
  op::Operation timing_;
  std::vector<std::int64_t> timed_counts_;
  int first_ = 0;  ///< pieces are awaited of [first_, last_)
  int last_ = 0;
  int next_ = 0;     ///< the rank whose turn it is, with Order::OfRanks
  int missing_ = 0;  ///< pieces that have not arrived
  Order order_ = Order::OfArrival;
  std::vector<Kept::Owner> kept_;  ///< arrived out of turn, by position - first_
  bool listening_ = false;
  bool finished_ = false;
  bool done_ = false;
  bool busy_ = false;                   ///< inside `start` or `advance`
  std::vector<Rank::SendToken> loans_;  ///< memory that receivers have not fetched yet
  std::optional<Error> error_;
};

/// A call that persistent requests can start.
template <class Self, class Base = Exchange>
class Repeatable : public Base {
 protected:
  using Base::Base;

 private:
  [[nodiscard]] std::shared_ptr<Exchange> again() const final {
    return std::make_shared<Self>(static_cast<const Self&>(*this));
  }
};

/// All send to one rank, which computes and sends each its result. On inter-communicators each group has a hub, the
/// first of its ranks, which gets what the other group gives and computes the results of its own.
class HubExchange : public Exchange {
 public:
  using Exchange::Exchange;

 protected:
  /// Nobody's result is ready in the simulation before this rank has begun.
  [[nodiscard]] virtual int hub() const { return 0; }
  [[nodiscard]] bool is_hub() const { return crosses() ? comm().rank == 0 : self() == hub(); }
  [[nodiscard]] virtual bool contributes(int /*rank*/) const { return true; }
  [[nodiscard]] virtual bool gets_result(int /*rank*/) const { return true; }

  /// In which the hub combines.
  [[nodiscard]] virtual Order order() const { return Order::OfRanks; }
  virtual Data contribution() = 0;                  ///< of a rank that is not the hub
  virtual void combine(int from, Piece piece) = 0;  ///< at the hub
  virtual void combine_own() {}                     ///< at the hub
  virtual void distribute() = 0;                    ///< at the hub, when all have come
  virtual void result(Piece piece) = 0;             ///< at the others

  void begin() final;
  [[nodiscard]] bool expects(int from) const final { return !is_hub() || contributes(from); }
  void receive(int from, Piece piece) final;
  void receive_own() final { combine_own(); }
  void finish() final;
};

}  // namespace orrery::mpi
