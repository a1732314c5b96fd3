// SPDX-License-Identifier: BSD-3-Clause
#include "launch/run_fixture.test.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

std::vector<std::string> processes_left() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream command(entry.path() / "cmdline"), stat(entry.path() / "stat");
    const std::string words{std::istreambuf_iterator<char>(command), {}};
    std::string line;
    std::getline(stat, line);
    char state = '?';
    pid_t parent = 0;
    if (!line.empty()) std::istringstream(line.substr(line.rfind(')') + 1)) >> state >> parent;
    if (parent == getpid() || words.starts_with(ORRERY_STAND_IN)) found.push_back(line);
  }
  return found;
}
