// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "mpi/error/errors.hpp"

/// Error codes and classes that the program adds (MPI-4.1, section 9.5). The library's own codes are their classes.
namespace orrery::mpi {

struct ErrorCodes {
  struct Added {
    int error_class;  ///< its own value for a class
    std::string text;
  };
  std::map<int, Added> added;
  int last_used = err_lastcode;
};

/// Length of the standard ABI, with the terminating zero.
inline constexpr int max_error_string = 512;

void error_class(int code, int& error_class);
/// `text` has room for MPI_MAX_ERROR_STRING.
void error_string(int code, char* text, int& length);
void add_error_class(int& error_class);
void add_error_code(int error_class, int& code);
void add_error_string(int code, const char* text);
void remove_error_class(int error_class);
void remove_error_code(int code);
void remove_error_string(int code);

/// "MPI_ERR_TRUNCATE: Message truncated on receive"; for added codes the program's text.
[[nodiscard]] std::string error_text(int code);

}  // namespace orrery::mpi
