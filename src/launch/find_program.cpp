// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "launch/spawn.hpp"

namespace orrery::launch {
namespace {

constexpr int not_found = 127;
constexpr int not_executable = 126;
constexpr std::string_view default_path = "/usr/local/bin:/usr/bin:/bin";

/// 0 when `path` is a file that may be executed, else the errno that says why not.
int check_executable(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return errno;
  if (S_ISDIR(about.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string from_directory(const std::string& directory, std::string_view path) {
  const bool relative = path.empty() || path.front() != '/';
  return relative && !directory.empty() ? concat(directory, "/", path) : std::string(path);
}

[[noreturn]] void refuse(const std::string& name, int error) {
  if (error == ENOENT || error == ENOTDIR) throw StartError(concat(name, ": no such program"), not_found);
  throw StartError(concat(name, ": not a program that can be started (", std::strerror(error), ")"), not_executable);
}

}  // namespace

std::string_view value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (std::string_view entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

std::string find_program(const std::string& name, const std::vector<std::string>& environment,
                         const std::string& directory) {
  if (name.find('/') != std::string::npos) {
    if (const int error = check_executable(from_directory(directory, name)); error != 0) refuse(name, error);
    return name;
  }
  std::string_view folders = value_of(environment, "PATH");
  if (folders.empty()) folders = default_path;
  int worst = ENOENT;
  while (!folders.empty() && !name.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    const std::string path = concat(folder.empty() ? "." : folder, "/", name);
    const int error = check_executable(from_directory(directory, path));
    if (error == 0) return path;
    if (error == EACCES) worst = error;
  }
  refuse(name, worst);
}

}  // namespace orrery::launch
