// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "op/op.hpp"

namespace orrery::mpi {

/// Dense numbers for the requests of one rank, from 1: the kernel keeps a table by number, so the smallest possible
/// are used again.
class RequestIds {
 public:
  [[nodiscard]] op::RequestId take() {
    if (free_.empty()) return ++used_;
    const op::RequestId id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(op::RequestId id) { free_.push_back(id); }

 private:
  std::vector<op::RequestId> free_;
  op::RequestId used_ = 0;
};

}  // namespace orrery::mpi
