// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "transport/message.hpp"

namespace orrery::transport {

/// Messages in the order in which they were written. Each names its successor in its member `Next`, so a message can be
/// in one FIFO of a kind, and nothing is allocated.
template <TransferId MessageState::*Next>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == no_message; }
  [[nodiscard]] TransferId first() const { return first_; }

  void push(Traffic& traffic, TransferId id) {
    traffic[id].*Next = no_message;
    if (empty())
      first_ = last_ = id;
    else
      traffic[std::exchange(last_, id)].*Next = id;
  }
  void pop(const Traffic& traffic) { first_ = traffic[first_].*Next; }

  /// Calls `visit` with each message, from the first on.
  template <class Visit>
  void each(const Traffic& traffic, Visit visit) const {
    for (TransferId id = first_; id != no_message; id = traffic[id].*Next) visit(id);
  }

 private:
  TransferId first_ = no_message, last_ = no_message;
};

}  // namespace orrery::transport
