// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <vector>

#include "deploy.hpp"

namespace orrery::deploy {

/// A call that comes again has the same operations: they are read from the algorithm once, and kept.
class Prepared {
 public:
  /// @param call with the choice applied
  Prepared(const collective::Algorithm& algorithm, const collective::Call& call);

  [[nodiscard]] bool serves() const { return serves_; }
  [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }
  /// Operations that are kept.
  [[nodiscard]] std::size_t kept() const { return operations_.size(); }

  /// Hands each operation to `perform`, which gives MPI's result, until one fails.
  template <class Perform>
  [[nodiscard]] int each(Perform perform) const {
    if (!kept_) return each_live(perform);
    for (const op::Operation& operation : operations_)
      if (const int result = perform(operation); result != MPI_SUCCESS) return result;
    return MPI_SUCCESS;
  }

 private:
  template <class Perform>
  [[nodiscard]] int each_live(Perform perform) const {
    op::Script script = algorithm_->stream(call_);
    while (const op::Operation* operation = script.next())
      if (const int result = perform(*operation); result != MPI_SUCCESS) return result;
    return MPI_SUCCESS;
  }
  void keep(const op::Operation& operation);

  const collective::Algorithm* algorithm_;
  collective::Call call_;
  bool serves_;
  bool kept_ = true;  ///< what a rank does next may depend on which message comes first; very long streams are not kept
  std::int64_t scratch_bytes_ = 0;
  std::vector<op::Operation> operations_;
  std::deque<std::vector<op::RequestId>> lists_;  ///< that operations wait for
};

}  // namespace orrery::deploy
