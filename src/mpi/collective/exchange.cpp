// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/exchange.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/collective/limits.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/reduction/reduction.hpp"

namespace orrery::mpi {

namespace {

/// Up to here a message with its payload is cheaper than a look into memory that the sender has just written.
constexpr std::int64_t small_piece = 128;

}  // namespace

Exchange::Exchange(Comm& comm) : comm_(comm), peers_(&comm.peers()), self_(comm.is_inter() ? root : comm.rank) {
  timing_.kind = op::Kind::Collective;
  timing_.comm = comm.id;
}

Exchange::Exchange(const Exchange& other)
    : Task(other),
      CollectiveListener(other),
      comm_(other.comm_),
      peers_(other.peers_),
      self_(other.self_),
      call_(other.call_),
      starts_(other.starts_),
      is_numbered_(other.is_numbered_),
      timing_(other.timing_),
      timed_counts_(other.timed_counts_) {}

void Exchange::number_starts() {
  call_ = comm_->collective_calls.next_other();
  is_numbered_ = true;
}

std::shared_ptr<Exchange> Exchange::next_start() {
  ++starts_;
  return again();
}

void Exchange::meet(const Group& peers) {
  peers_ = &peers;
  self_ = peers.rank_of(this_rank().world_rank());
}

void Exchange::time_as(op::CollectiveKind kind, int root, std::int64_t bytes, const Datatype& type) {
  time_as(kind, root, bytes, std::max<std::int64_t>(1, size_of(type)));
  if (extent_of(type) != timing_.element) timing_.extent = extent_of(type);
}

void Exchange::time_as(op::CollectiveKind kind, int root, std::int64_t bytes, std::int64_t element) {
  timing_.collective = kind;
  timing_.peer = root;
  timing_.bytes = {bytes};
  timing_.element = element;
}

void Exchange::time_reduction(const Op& op) {
  if (is_commutative(op)) timing_.flags |= op::Commutative;
  if (!is_predefined(op)) timing_.flags |= op::UserDefined;
}

void Exchange::start(op::RequestId request) {
  CallNumbers& numbers = comm_->collective_calls;
  if (!is_numbered_) call_ = request == 0 ? numbers.next_blocking() : numbers.next_other();
  timing_.tag = call_;
  timing_.request = request;
  timing_.counts = timed_counts_;
  if (request == 0) timing_.flags |= op::Blocking;
  this_rank().push(timing_);
  if (!moves_data()) {
    done_ = true;
    return;
  }
  busy_ = true;  // posting may make progress, and so come back here
  begin();
  this_rank().collectives().add(*this);
  listening_ = true;
  take_early();
  busy_ = false;
}

Exchange::~Exchange() {
  if (listening_) this_rank().collectives().remove(*this);
}

bool Exchange::advance() {
  if (done_ || busy_) return done_;
  busy_ = true;
  receive_kept();
  if (!finished_ && missing_ == 0) {
    finished_ = true;
    listening_ = false;
    this_rank().collectives().remove(*this);
    finish();
  }
  done_ = finished_ && all_returned();
  busy_ = false;
  return done_;
}

CollectiveListener::Delivery Exchange::deliver(const channel::Message& record) {
  const int from = peers_->rank_of(record.source);
  if (from < first_ || from >= last_ || !expects(from) || kept(from) != nullptr) return Delivery::Refused;
  --missing_;
  if (order_ == Order::OfRanks) {
    kept(from) = Kept::copy_of(record);
    return Delivery::Kept;
  }
  receive(from, Piece(record, inline_payload(record)));
  return Delivery::Read;
}

void Exchange::take_early() {
  auto& inbox = this_rank().collectives();
  for (int from = first_; from < last_ && !inbox.empty(); ++from) {
    if (from == self() || !expects(from)) continue;
    auto* message = inbox.find({peers_->world[static_cast<std::size_t>(from)], comm_->id, call_, starts_});
    if (message == nullptr) continue;
    kept(from) = inbox.remove(*message);
    --missing_;
    if (order_ == Order::OfArrival) receive_kept(from);
  }
  if (order_ == Order::OfArrival && awaits_own()) receive_own();
}

void Exchange::receive_kept(int from) {
  const auto message = std::move(kept(from));
  receive(from, Piece(message->head, message->payload()));
}

void Exchange::receive_kept() {
  if (order_ == Order::OfArrival) return;
  for (; next_ < last_; ++next_) {
    if (!expects(next_)) continue;
    if (next_ == self()) {
      receive_own();
    } else if (kept(next_) != nullptr) {
      receive_kept(next_);
    } else {
      return;
    }
  }
}

void Exchange::fetch_ahead(Payloads& payloads) {
  if (!senders_leave_early()) return;
  for (auto& message : kept_) {
    if (message != nullptr) payloads.fetch_ahead(*message);
  }
}

bool Exchange::awaits_own() const { return self() >= first_ && self() < last_ && expects(self()); }

bool Exchange::all_returned() {
  while (!loans_.empty() && loans_.back().done()) loans_.pop_back();
  return loans_.empty();
}

void Exchange::await(int first, int last, Order order) {
  first_ = next_ = first;
  last_ = last;
  order_ = order;
  missing_ = awaits_own() ? -1 : 0;
  for (int from = first; from < last; ++from) missing_ += expects(from) ? 1 : 0;
  kept_.resize(static_cast<std::size_t>(last - first));
}

void Exchange::address(channel::Message& head) const {
  head.source = this_rank().world_rank();
  head.comm = comm_->id;
  head.tag = call_;
  head.sequence = starts_;
  head.use = channel::Use::Collective;
}

void Exchange::post(int to, const Data& data, Reuse reuse) {
  channel::Message message{};
  address(message);
  auto token = this_rank().payloads().post(peers_->world[static_cast<std::size_t>(to)], message, data, reuse);
  if (!token.done()) loans_.push_back(std::move(token));
}

void Exchange::post_shared(int to, const SharedBytes& shared, std::span<const std::byte> part) {
  channel::Message message{};
  address(message);
  message.form = channel::Form::Arena;
  message.bytes = static_cast<std::int64_t>(part.size());
  message.place = shared.block + static_cast<channel::Offset>(part.data() - this_rank().memory().at(shared.block));
  message.ack = shared.block;
  this_rank().post(peers_->world[static_cast<std::size_t>(to)], message, {});
}

void Exchange::post_to_others(const Data& data) {
  const auto others = static_cast<std::uint32_t>(crosses() ? size() : size() - 1);
  // Data with gaps is packed in any case, once for all if it is shared.
  const bool left_out = this_rank().payloads().leaves_out(data);
  const bool can_be_fetched = data.contiguous() && this_rank().payloads().receivers_can_pull();
  std::optional<SharedBytes> shared;
  if (others > 0 && !left_out && data.bytes() > small_piece && (data.bytes() <= largest_shared || !can_be_fetched)) {
    shared = SharedBytes::allocate(this_rank().memory(), data.bytes(), others);
  }
  if (shared) data.pack_into(shared->bytes.data());
  for (int to = 0; to < size(); ++to) {
    if (to == self()) continue;
    if (shared) {
      post_shared(to, *shared, shared->bytes);
    } else {
      post(to, data);
    }
  }
}

void Exchange::post_slices(const std::function<Data(int)>& slice, Reuse reuse) {
  const auto shared = share_slices(slice);
  auto room = shared ? shared->bytes : std::span<std::byte>{};
  // Each begins with its neighbour, so that not all write to the same inbox first.
  for (int i = crosses() ? 0 : 1; i < size(); ++i) {
    const int to = (comm_->rank + i) % size();
    const auto data = slice(to);
    if (data.bytes() == 0) continue;
    if (!shared || data.bytes() <= small_piece || this_rank().payloads().leaves_out(data)) {
      post(to, data, reuse);
      continue;
    }
    const auto part = room.first(static_cast<std::size_t>(data.bytes()));
    data.pack_into(part.data());
    post_shared(to, *shared, part);
    room = room.subspan(part.size());
  }
}

std::optional<SharedBytes> Exchange::share_slices(const std::function<Data(int)>& slice) const {
  std::int64_t total = 0;
  std::uint32_t readers = 0;
  for (int to = 0; to < size(); ++to) {
    const Data data = slice(to);
    const auto bytes = data.bytes();
    if (to == self() || bytes <= small_piece || this_rank().payloads().leaves_out(data)) continue;
    total += bytes;
    ++readers;
  }
  if (readers == 0 || total > largest_shared) return std::nullopt;
  return SharedBytes::allocate(this_rank().memory(), total, readers);
}

void Exchange::store(Piece piece, const Data& to) {
  const auto sent = piece.bytes();
  piece.read(to);
  if (sent > to.bytes()) fail(does_not_fit(sent, to.bytes()));
}

void Exchange::store_exactly(Piece piece, const Data& to) {
  const auto sent = piece.bytes();
  store(piece, to);
  if (sent < to.bytes()) fail({err_truncate, concat(sent, " bytes were sent where ", to.bytes(), " were expected")});
}

void Exchange::store_own(const Data& from, const Data& to) {
  // In place. From and to MPI_BOTTOM, the types say where the data are.
  if (from.buffer == to.buffer && from.type == to.type) return;
  const auto sent = from.bytes();
  const auto room = to.bytes();
  if (sent > room)
    fail({err_truncate, concat("the send buffer has ", sent, " bytes for oneself, the receive buffer ", room)});
  if (sent > 0 && room > 0) copy(from.buffer, from.count, *from.type, to.buffer, to.count, *to.type);
}

void Exchange::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

void HubExchange::begin() {
  if (crosses()) {
    const Data own = contribution();
    if (own.bytes() > 0) post(0, own);
  }
  if (is_hub()) return await(0, size(), order());
  if (crosses()) {
    stay_local();
  } else if (contributes(self())) {
    post(hub(), contribution());
  }
  if (gets_result(self())) await(hub(), hub() + 1, Order::OfArrival);
}

void HubExchange::receive(int from, Piece piece) {
  if (is_hub()) {
    combine(from, piece);
  } else {
    result(piece);
  }
}

void HubExchange::finish() {
  if (!is_hub()) return;
  if (crosses()) stay_local();
  distribute();
}

}  // namespace orrery::mpi
