// SPDX-License-Identifier: BSD-3-Clause
#include "abi/convert.hpp"

#include <algorithm>

namespace orrery::abi {

StatusesOut::StatusesOut(StatusOf* statuses, std::int64_t length, const int* used)
    : out_(statuses), used_(used), statuses_(statuses != nullptr ? array_length(length) : 0, not_set) {}

StatusesOut::~StatusesOut() {
  const std::size_t length = used_ != nullptr
                                 ? static_cast<std::size_t>(std::clamp(*used_, 0, static_cast<int>(statuses_.size())))
                                 : statuses_.size();
  for (std::size_t i = 0; i < length; ++i) {
    if (!is_set(statuses_[i])) continue;
    write_status(statuses_[i], out_[i]);
    out_[i].MPI_ERROR = statuses_[i].error;
  }
}

}  // namespace orrery::abi
