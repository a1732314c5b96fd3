// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "op/op.hpp"

namespace orrery::trace {

/// Keeps requests apart while the operations of a rank are put into another order.
///
/// A rank uses numbers of requests again, in the order of its calls; in another order two that are under way could have
/// the same. So each request gets a name of its own while operations still come in their old order, and a number, as
/// low as possible, when they are written in the new one.
class RequestNumbers {
 public:
  using Name = std::uint32_t;  ///< from 1; 0: no request

  /// The name of an operation's own request, which it starts or asks about.
  [[nodiscard]] Name named(const op::Operation& operation);
  /// The one of an access with a request besides that of its target (MPI_Rput), which is in its tag.
  [[nodiscard]] Name named_in_tag(const op::Operation& operation);
  /// Names instead of numbers in the list of a wait or test.
  void name(op::Kind kind, std::span<std::uint32_t> requests);

  /// The number of a request in an operation that is written now.
  [[nodiscard]] std::uint32_t number(Name name);
  /// An operation that has it is over. After the last one the number is another request's.
  void used(Name name);

 private:
  struct Request {
    std::uint32_t uses = 0;  ///< operations that have it and are not over
    std::uint32_t number = 0;
    bool asked_about = false;  ///< by a wait or test; otherwise it may be under way for ever
    bool over = false;         ///< a wait has taken it
  };

  Name add(std::uint32_t number);
  Name find(std::uint32_t number);

  std::vector<Request> requests_;                   ///< by name - 1
  std::unordered_map<std::uint32_t, Name> latest_;  ///< by number
  std::vector<std::uint32_t> free_;
  std::uint32_t numbers_ = 0;
};

}  // namespace orrery::trace
