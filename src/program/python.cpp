// SPDX-License-Identifier: BSD-3-Clause
#include "program/python.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace orrery::program {
namespace {

/// Where this program lies, behind all symbolic links: pipx and others link to it from elsewhere.
std::filesystem::path own_folder() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
}

/// Gives up quietly where there is no such program.
void become(const std::filesystem::path& program, const std::vector<const char*>& first, char** arguments) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const char* word : first) words.push_back(const_cast<char*>(word));
  while (*arguments != nullptr) words.push_back(*arguments++);
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
}

}  // namespace

int become_python(char** arguments) {
  const std::filesystem::path folder = own_folder();
  char** const behind_name = *arguments == nullptr ? arguments : arguments + 1;
  become(folder / "orrery-python", {}, behind_name);
  // An environment that was moved: its scripts name an interpreter that is no longer there, but it has one.
  for (const char* const interpreter : {"python3", "python"})
    become(folder / interpreter, {"-P", "-m", "orrery"}, behind_name);
  std::fprintf(stderr,
               "orrery: error: there is neither orrery-python nor Python in %s: install Orrery again, or run it as "
               "python -m orrery\n",
               folder.c_str());
  return 1;
}

}  // namespace orrery::program
