// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "abi/handle.hpp"
#include "special.hpp"

/// Statuses of another interface. Its folder, which is on the include path, has special.hpp, with
///   void set_message(Status&, std::int64_t bytes, bool cancelled);
///   std::int64_t bytes_of(const Status&);  bool is_cancelled(const Status&);
namespace orrery::abi::foreign {

[[nodiscard]] inline MPI_Status to_standard(const Status& from) {
  MPI_Status to{};
  write_status({.source = static_cast<int>(category::rank::standard(from.MPI_SOURCE)),
                .tag = static_cast<int>(category::tag::standard(from.MPI_TAG)),
                .cancelled = is_cancelled(from),
                .bytes = bytes_of(from)},
               to);
  to.MPI_ERROR = static_cast<int>(category::error::standard(from.MPI_ERROR));
  return to;
}

inline void from_standard(const MPI_Status& from, Status& to) {
  const mpi::Status status = read_status(from);
  to.MPI_SOURCE = static_cast<int>(category::rank::foreign(status.source));
  to.MPI_TAG = static_cast<int>(category::tag::foreign(status.tag));
  to.MPI_ERROR = code(status.error);
  set_message(to, status.bytes, status.cancelled);
}

[[nodiscard]] inline bool is_ignored(const Status* status) {
  return status == reinterpret_cast<const Status*>(status_ignore);
}

class StatusIn {
 public:
  explicit StatusIn(const Status* status) : given_(status != nullptr && !is_ignored(status)) {
    if (given_) local_ = to_standard(*status);
  }
  operator const MPI_Status*() const { return given_ ? &local_ : nullptr; }

 private:
  bool given_;
  MPI_Status local_{};
};

/// What the routine has made of `before`. Its error stays what it was where the routine leaves it alone, and so does
/// all of it where the routine has not set it: what a program has not set either is not to be read as a number of ours.
inline void change(Status& out, const MPI_Status& before, const MPI_Status& after) {
  if (std::memcmp(&before, &after, sizeof after) == 0) return;
  const int error = out.MPI_ERROR;
  from_standard(after, out);
  if (after.MPI_ERROR == before.MPI_ERROR) out.MPI_ERROR = error;
}

/// One that the routine sets, or reads and sets.
class StatusOut {
 public:
  explicit StatusOut(Status* status) : out_(is_ignored(status) ? nullptr : status) {
    if (out_ != nullptr) local_ = to_standard(*out_);
  }
  StatusOut(const StatusOut&) = delete;
  StatusOut& operator=(const StatusOut&) = delete;
  ~StatusOut() {
    if (out_ != nullptr) change(*out_, to_standard(*out_), local_);
  }
  operator MPI_Status*() { return out_ != nullptr ? &local_ : nullptr; }

 private:
  Status* out_;
  MPI_Status local_{};
};

class StatusesOut {
 public:
  /// @param used how many the routine has filled in, when it is not all of them; null: all
  StatusesOut(Status* statuses, std::int64_t length, const int* used)
      : out_(is_ignored(statuses) ? nullptr : statuses), used_(used), array_(out_ != nullptr ? length : 0) {
    for (std::size_t i = 0; i < array_.size(); ++i) array_[i] = to_standard(out_[i]);
  }
  StatusesOut(const StatusesOut&) = delete;
  StatusesOut& operator=(const StatusesOut&) = delete;
  ~StatusesOut() {
    const std::size_t filled = used_ == nullptr ? array_.size() : static_cast<std::size_t>(std::max(*used_, 0));
    for (std::size_t i = 0; i < std::min(array_.size(), filled); ++i)
      change(out_[i], to_standard(out_[i]), array_[i]);
  }
  operator MPI_Status*() { return out_ != nullptr ? array_.data() : nullptr; }

 private:
  Status* out_;
  const int* used_;
  HandleArray<MPI_Status, 8> array_;
};

}  // namespace orrery::abi::foreign
