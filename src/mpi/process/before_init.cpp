// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/before_init.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "mpi/rank/threads.hpp"

namespace orrery::mpi {
namespace {

/// A function of the file of replacements, so that linkers, which take from an archive what is asked for, take it.
[[gnu::used]] char* (*const replaced_mkdtemp)(char*) noexcept = &mkdtemp;

// --- answers of the system ------------------------------------------------------------------------------------------

struct Answer {
  Personal what;
  const char* words;
};
constexpr std::array answers{
    Answer{Personal::Clock, "read a clock"},
    Answer{Personal::ProcessNumber, "asked for its process number"},
    Answer{Personal::RandomNumbers, "drawn random numbers of the system"},
    Answer{Personal::TemporaryName, "made a temporary file"},
};

std::atomic<std::uint32_t> noted{0};

std::uint32_t bit(Personal answer) { return 1U << static_cast<unsigned>(answer); }

// --- descriptors ----------------------------------------------------------------------------------------------------

bool same_file(const struct stat& first, const struct stat& second) {
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string link(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  return length < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

/// Whether the process that started this one has it under the same number: it was handed down, to all ranks alike.
bool is_inherited(int descriptor, const std::string& target) {
  return link(concat("/proc/", getppid(), "/fd/", descriptor)) == target;
}

/// A device without a position, such as /dev/null and /dev/urandom.
bool is_plain_device(const struct stat& status) { return S_ISCHR(status.st_mode) && major(status.st_rdev) == 1; }

struct Descriptors {
  const struct stat memory;
  int launcher;
  GivenDescriptors given;

  /// Words for what it is, if the program has opened it.
  [[nodiscard]] std::string opened(int descriptor) const {
    if (descriptor == launcher || (descriptor >= given.first && descriptor < given.end)) return {};
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || same_file(status, memory) || is_plain_device(status)) return {};
    const std::string target = link(concat("/proc/self/fd/", descriptor));
    if (is_inherited(descriptor, target)) return {};
    const bool is_output = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    if (is_output && S_ISFIFO(status.st_mode)) return {};  // the launcher's
    if (descriptor == STDIN_FILENO && !S_ISREG(status.st_mode)) return {};
    return concat("opened ", target);
  }
};

/// The first thing that the program has open, in words.
std::string open_descriptor(const Descriptors& own) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr) return {};
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor == dirfd(folder.get())) continue;
    if (std::string words = own.opened(descriptor); !words.empty()) return words;
  }
  return {};
}

// --- memory ---------------------------------------------------------------------------------------------------------

/// The first mapping that is shared and can be written, in words. A line of /proc/self/maps (proc(5)) has addresses,
/// rights, offset, device, inode and name.
std::string shared_mapping(const struct stat& memory) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t rights = line.find(' ') + 1;
    if (line.compare(rights + 1, 1, "w") != 0 || line.compare(rights + 3, 1, "s") != 0) continue;
    std::istringstream fields(line.substr(rights + 4));
    std::string offset, device, name;
    ino_t inode = 0;
    fields >> offset >> device >> inode;
    if (inode == memory.st_ino) continue;
    std::getline(fields >> std::ws, name);
    return concat("mapped shared memory", name.empty() ? "" : concat(" (", name, ")"));
  }
  return {};
}

// --- the rest -------------------------------------------------------------------------------------------------------

/// Timers are not passed on to forked processes.
bool has_timers() {
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    if (getitimer(which, &timer) == 0 && (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0)) return true;
  }
  return std::ifstream("/proc/self/timers").peek() != std::ifstream::traits_type::eof();
}

/// Whether it has written to any file, which might be its output: forked ranks would not do it again.
bool has_written() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  for (std::uint64_t count = 0; counts >> name >> count;) {
    if (name == "syscw:") return count > 0;
  }
  return false;
}

}  // namespace

void note(Personal answer) {
  if ((noted.load(std::memory_order_relaxed) & bit(answer)) == 0) noted.fetch_or(bit(answer));
}

std::string shared_by_forking(const channel::Memory& memory, int launcher, GivenDescriptors given) {
  struct stat file {};
  fstat(memory.descriptor(), &file);
  std::vector<std::string> found{open_descriptor({file, launcher, given}), shared_mapping(file)};
  if (process_has_children()) found.emplace_back("started processes");
  if (process_has_threads()) found.emplace_back("started threads");
  if (has_timers()) found.emplace_back("set a timer");
  if (has_written()) found.emplace_back("written something");
  for (const Answer& answer : answers) {
    if ((noted.load() & bit(answer.what)) != 0) found.emplace_back(answer.words);
  }
  std::string words;
  for (const std::string& part : found) {
    if (!part.empty()) words += concat(words.empty() ? "" : ", ", part);
  }
  return words;
}

}  // namespace orrery::mpi
