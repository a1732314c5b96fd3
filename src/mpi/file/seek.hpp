// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/file/file_object.hpp"

namespace orrery::mpi {

/// Where a pointer that is at `position` goes, in etypes. @throws Error when that is before the view, or `whence`
/// unknown
[[nodiscard]] std::int64_t sought(const File& file, std::int64_t offset, int whence, std::int64_t position);

}  // namespace orrery::mpi
