// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ti/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "op/sleep.hpp"

namespace orrery::trace::ti {
namespace {

constexpr double most_seconds = 1e9;
constexpr std::size_t ahead = 192;  ///< bytes, three cache lines: some ten lines of a trace

bool is_any_source(std::int64_t source) { return source == any_source || source == undefined || source == -1; }

op::Mode mode_of(Action action) {
  switch (action) {
    case Action::Ssend:
    case Action::Issend: return op::Mode::Synchronous;
    case Action::Bsend:
    case Action::Ibsend: return op::Mode::Buffered;
    default: return op::Mode::Standard;
  }
}

bool receives(Action action) { return action == Action::Recv || action == Action::Irecv; }

bool is_blocking(Action action) {
  return action == Action::Send || action == Action::Ssend || action == Action::Bsend || action == Action::Recv;
}

}  // namespace

Reader::Reader(const Files& files, const Terms& terms, KnownLines& known, std::uint32_t rank)
    : files_(&files), terms_(&terms), known_(&known), rank_(rank) {
  const std::string own = concat(rank, ' '), mask(own.size(), '\xff');
  if (own.size() > sizeof own_) return;
  std::memcpy(&own_, own.data(), own.size());
  std::memcpy(&own_mask_, mask.data(), mask.size());
  own_length_ = static_cast<std::uint32_t>(own.size());
}

op::Pull Reader::next(op::Operation& operation) {
  if (more_ > 0) {
    exchange(operation);
    return op::Pull::Ready;
  }
  while (read_line()) {
    if (computes()) continue;
    if (repeat_known(operation)) return hand_over(operation);
    const std::string_view name = words_.word();
    const Described* const found = find(name);
    if (found == nullptr) refuse(concat("the action \"", name, "\" is not one that SimGrid replays"));
    if (act(found->action, operation)) return hand_over(operation);
  }
  if (finalized_) return op::Pull::End;
  end(operation);
  return hand_over(operation);
}

op::Pull Reader::hand_over(op::Operation& operation) {
  operation.compute_s = std::exchange(compute_s_, std::exchange(after_s_, 0));
  return op::Pull::Ready;
}

void Reader::reply(const op::Reply& reply) {
  if (reply.flag) requests_.tested_complete();
}

void Reader::leave_line() {
  const std::string_view rest = words_.rest();
  // Mostly all of the line has been read.
  const bool over = rest.empty() || rest.front() == '\n';
  const std::size_t end = over ? 0 : std::min(rest.find('\n'), rest.size());
  left_ = rest.substr(std::min(end + 1, rest.size()));
  line_ = nullptr;
}

/// Moves on to the next line that says something, behind the rank's number. False at the end.
bool Reader::read_line() {
  if (line_ != nullptr) leave_line();
  for (;;) {
    if (left_.empty()) {
      const std::vector<std::string_view>& pieces = files_->pieces(rank_);
      if (piece_ == pieces.size()) return false;
      left_ = pieces[piece_++];
      continue;
    }
    line_ = left_.data();
    // Many ranks take turns, a line each: too many places for the processor to see that each goes on.
    if (left_.size() > ahead) __builtin_prefetch(line_ + ahead);
    if (begins_with_own()) {
      words_ = Words(left_.substr(own_length_));
      return true;
    }
    words_ = Words(left_);
    if (words_.at_end() || *line_ == '#') {
      leave_line();
      continue;
    }
    if (words_.integer() != static_cast<std::int64_t>(rank_))
      refuse(concat("expected what rank ", rank_, " does, which begins with its number"));
    return true;
  }
}

/// Nearly all lines do. All characters are compared at once.
bool Reader::begins_with_own() const {
  std::uint64_t found;
  if (own_length_ == 0 || left_.size() < sizeof found) return false;
  std::memcpy(&found, left_.data(), sizeof found);
  return (found & own_mask_) == own_;
}

void Reader::begin(op::Operation& operation, Action action, op::Kind kind, unsigned flags) const {
  operation = {};
  operation.kind = kind;
  operation.flags = static_cast<std::uint8_t>(flags | op::FirstOfCall);
  operation.routine = terms_->routine[static_cast<std::size_t>(action)];
}

/// Whether the line is a computation, as every other one is; it is done then.
bool Reader::computes() {
  constexpr std::string_view name = "compute ";
  if (!words_.rest().starts_with(name)) return false;
  words_ = Words(words_.rest().substr(name.size()));
  compute_s_ += seconds_of_flops();
  return true;
}

/// Whether the line is known; its operation is begun then.
bool Reader::repeat_known(op::Operation& operation) {
  const std::string_view line = words_.rest();
  letters_ = KnownLines::letters(line);
  if (letters_.count == 0) return false;
  const Message* const message = known_->find(letters_, default_bytes_);
  if (message == nullptr) return false;
  words_ = Words(line.substr(letters_.count));
  begin(operation, *message);
  return true;
}

/// @return whether the line is an operation
bool Reader::act(Action action, op::Operation& operation) {
  switch (action) {
    case Action::Init: default_bytes_ = words_.at_end() ? 1 : 8; return false;
    case Action::Nothing: return false;
    case Action::Finalize: return false;  // the stream ends where the file does
    case Action::Compute: compute_s_ += seconds_of_flops(); return false;
    case Action::Sleep: {
      const std::optional<double> seconds = words_.real();
      if (!seconds || !(*seconds >= 0 && *seconds <= most_seconds)) refuse("expected how many seconds it sleeps");
      operation = op::sleep(std::llround(*seconds * 1e9));
      return true;
    }
    case Action::Send:
    case Action::Ssend:
    case Action::Bsend:
    case Action::Isend:
    case Action::Issend:
    case Action::Ibsend:
    case Action::Recv:
    case Action::Irecv: return message(action, operation);
    case Action::SendRecv:
      more_ = 3;
      exchange(operation);
      return true;
    case Action::Test:
    case Action::Wait: return wait(action, operation);
    case Action::WaitAll: begin(operation, action, op::Kind::WaitAll); return wait_for_all(operation);
    default: collective(action, operation); return true;
  }
}

bool Reader::message(Action action, op::Operation& operation) {
  const std::optional<Message> message = receives(action) ? receive(action) : send(action);
  if (!message) return false;
  if (letters_.count > 0) known_->keep(letters_, default_bytes_, *message);
  begin(operation, *message);
  return true;
}

/// Nothing if it goes to no process.
std::optional<Message> Reader::send(Action action) {
  const std::int64_t dest = number("the rank that it sends to");
  if (dest == process_null) return std::nullopt;
  if (dest < 0 || dest >= files_->ranks()) refuse(concat("a send to rank ", dest, " of ", files_->ranks()));
  const auto tag = static_cast<std::int32_t>(number("a tag"));
  const std::int64_t elements = count("how many elements");
  return Message{elements * datatype(), static_cast<std::int32_t>(dest), tag, action};
}

std::optional<Message> Reader::receive(Action action) {
  const std::int64_t source = number("the rank that it receives from");
  if (source == process_null) return std::nullopt;
  if (!is_any_source(source) && (source < 0 || source >= files_->ranks()))
    refuse(concat("a receive from rank ", source, " of ", files_->ranks()));
  const std::int64_t tag = number("a tag");
  const std::int64_t elements = std::max<std::int64_t>(0, number("how many elements"));  // -1: any number
  if (elements > most_elements) refuse("a receive of more than there can be");
  return Message{elements * datatype(), is_any_source(source) ? op::any_source : static_cast<std::int32_t>(source),
                 tag == any_tag ? op::any_tag : static_cast<std::int32_t>(tag), action};
}

void Reader::begin(op::Operation& operation, const Message& message) {
  const bool receiving = receives(message.action);
  const bool blocking = is_blocking(message.action);
  begin(operation, message.action, receiving ? op::Kind::Irecv : op::Kind::Isend, blocking ? op::Blocking : 0);
  operation.mode = mode_of(message.action);
  operation.peer = message.peer;
  operation.tag = message.tag;
  operation.bytes.count = message.bytes;
  if (blocking) return;
  const auto own = static_cast<std::int32_t>(rank_);
  operation.request =
      receiving ? requests_.open({message.peer, own, message.tag}) : requests_.open({own, message.peer, message.tag});
}

/// The receive, the send and the wait that a sendRecv is made of. Its requests have names that no other has.
void Reader::exchange(op::Operation& operation) {
  const Requests::Key receive{-1, -1, 1}, send{-1, -1, 0};
  if (more_ == 3) {
    begin(operation, Action::SendRecv, op::Kind::Irecv);
    second_ = operation;
    second_.kind = op::Kind::Isend;
    second_.flags = 0;
    second_.bytes.count = count("how many elements it sends");
    second_.peer = peer("the rank that it sends to");
    operation.bytes.count = count("how many elements it receives");
    operation.peer = peer("the rank that it receives from");
    second_.bytes.count *= datatype();
    operation.bytes.count *= datatype();
    operation.request = requests_.open(receive);
    second_.request = requests_.open(send);
  } else if (more_ == 2) {
    operation = second_;
  } else {
    operation = {};
    operation.kind = op::Kind::WaitAll;
    operation.routine = second_.routine;
    list_ = {*requests_.take(receive), *requests_.take(send)};
    operation.requests = list_;
  }
  --more_;
}

Requests::Key Reader::key() {
  const auto rank_or_any = [this](const char* what) {
    const std::int64_t rank = number(what);
    return is_any_source(rank) ? op::any_source : static_cast<std::int32_t>(rank);
  };
  const std::int32_t source = rank_or_any("the sender");
  const std::int32_t dest = rank_or_any("the receiver");
  const std::int64_t tag = number("a tag");
  return {source, dest, tag == any_tag ? op::any_tag : static_cast<std::int32_t>(tag)};
}

bool Reader::wait(Action action, op::Operation& operation) {
  const Requests::Key wanted = key();
  const std::optional<op::RequestId> request = action == Action::Wait ? requests_.take(wanted) : requests_.test(wanted);
  if (!request || *request == 0) return false;
  begin(operation, action, action == Action::Wait ? op::Kind::WaitAll : op::Kind::TestAll);
  list_.assign(1, *request);
  operation.requests = list_;
  return true;
}

bool Reader::wait_for_all(op::Operation& operation) {
  list_.clear();
  requests_.take_all(list_);
  operation.requests = list_;
  return !list_.empty();
}

/// SMPI waits at the end for what is still open.
void Reader::end(op::Operation& operation) {
  begin(operation, Action::WaitAll, op::Kind::WaitAll);
  if (wait_for_all(operation)) return;
  begin(operation, Action::Finalize, op::Kind::Finalize);
  finalized_ = true;
}

std::int64_t Reader::number(const char* what) {
  const std::optional<std::int64_t> found = words_.integer();
  if (!found) refuse(concat("expected ", what));
  return *found;
}

std::int64_t Reader::count(const char* what) {
  const std::int64_t found = number(what);
  if (found < 0 || found > most_elements) refuse(concat("expected ", what, ", not ", found));
  return found;
}

std::int32_t Reader::peer(const char* what) {
  const std::int64_t found = number(what);
  if (found < 0 || found >= files_->ranks()) refuse(concat("expected ", what, ", below ", files_->ranks()));
  return static_cast<std::int32_t>(found);
}

std::int32_t Reader::optional_root() { return words_.at_end() ? 0 : peer("the root"); }

double Reader::seconds_of_flops() {
  const std::optional<double> flops = words_.real();
  if (!flops || !(*flops >= 0 && *flops <= most_seconds * terms_->flops_per_s)) refuse("expected how many flops");
  return *flops / terms_->flops_per_s;
}

std::int64_t Reader::datatype() {
  return words_.at_end() ? default_bytes_ : datatype_bytes(number("the number of a datatype"));
}

void Reader::refuse(const std::string& what) const {
  const std::string_view left(line_, static_cast<std::size_t>(words_.rest().data() + words_.rest().size() - line_));
  const std::string_view line = left.substr(0, left.find('\n'));
  throw InputError(concat(files_->describe(line_), ": ", what, " in \"", line.substr(0, 120), "\""));
}

}  // namespace orrery::trace::ti
