// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "mpi/types.hpp"

/// The real file behind an open one.
namespace orrery::mpi {

/// The name that the system knows: without a prefix such as "ufs:", by which some libraries choose a driver.
/// @throws Error (MPI_ERR_BAD_FILE) when it is empty or too long
[[nodiscard]] std::string real_name(const char* name);

/// What a failed system call is to MPI. @param action as in "write to"
[[nodiscard]] Error system_error(const char* action, const std::string& name, int error_number);

/// @throws Error
[[nodiscard]] int open_file(const std::string& name, int amode, bool create);
void delete_file(const std::string& name);
[[nodiscard]] std::int64_t size_of_file(int descriptor, const std::string& name);
void resize_file(int descriptor, const std::string& name, std::int64_t size);
/// Makes room for the first `size` bytes; the file becomes as long as that if it is shorter.
void reserve_space(int descriptor, const std::string& name, std::int64_t size);

/// All of `data`. @throws Error
void write_fully(int descriptor, const std::string& name, std::span<const std::byte> data, std::int64_t offset);
/// @return bytes read: fewer than asked for only where the file ends   @throws Error
[[nodiscard]] std::int64_t read_fully(int descriptor, const std::string& name, std::span<std::byte> data,
                                      std::int64_t offset);

}  // namespace orrery::mpi
