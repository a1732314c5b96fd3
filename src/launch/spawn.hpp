// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::launch {

/// A program that could not be started: the cause in one line, and the status that shells give for it.
class StartError : public std::runtime_error {
 public:
  StartError(const std::string& text, int exit_code) : std::runtime_error(text), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const { return exit_code_; }  ///< 127: not found; 126: found, but not started

 private:
  int exit_code_;
};

/// Gives a child the file that is `here` under the number `there`. `there` must be `here`, or no other entry's `here`.
struct Handed {
  int here;
  int there;
};

/// What a process is started with.
struct Spawn {
  std::string path;  ///< as `find_program` gives it
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string directory;  ///< empty: the present one
  std::vector<Handed> descriptors;
};

/// Path of the program that `name` means, as a shell would find it: with a slash in it a path (from `directory`),
/// otherwise the first of PATH in `environment`.
/// @throws StartError
[[nodiscard]] std::string find_program(const std::string& name, const std::vector<std::string>& environment,
                                       const std::string& directory);

/// Starts a process in a session and process group of its own, with default signals; it is killed when the calling
/// thread ends. Returns once the program has been loaded.
/// @throws StartError
[[nodiscard]] pid_t spawn(const Spawn& request);

/// Value of NAME in "NAME=value" entries; empty when it is not there.
[[nodiscard]] std::string_view value_of(const std::vector<std::string>& environment, std::string_view name);

}  // namespace orrery::launch
