// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/descriptor_reach.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace orrery::mpi {
namespace {

int number_in(const std::string& text) {
  int number = -1;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int access_of(int descriptor) { return fcntl(descriptor, F_GETFL) & O_ACCMODE; }

/// Whether the other end of a pipe is open in this process, too.
bool has_other_end(int descriptor, const struct stat& pipe) {
  const int own = access_of(descriptor);
  if (own == O_RDWR) return false;  // of a pipe with a name, which anybody may open
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    const int other = number_in(entry.path().filename().string());
    struct stat at {};
    if (other == descriptor || fstat(other, &at) != 0 || at.st_ino != pipe.st_ino || at.st_dev != pipe.st_dev) continue;
    if (access_of(other) != own) return true;
  }
  return false;
}

int option(int socket, int name) {
  int value = 0;
  socklen_t bytes = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &bytes) == 0 ? value : 0;
}

/// Whether both ends of a connection were made by this process.
bool leads_here(int socket) {
  if (option(socket, SO_DOMAIN) != AF_UNIX || option(socket, SO_ACCEPTCONN) != 0) return false;
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.pid == getpid();
}

/// Lines "tfd: NUMBER events: ..." of proc(5).
WaitReach reach_of_members(int epoll) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(epoll));
  WaitReach widest = WaitReach::OwnThreads;
  for (std::string word; file >> word;) {
    int member = -1;
    if (word == "tfd:" && file >> member) widest = std::max(widest, reach_of(member));
  }
  return widest;
}

/// What has no file behind it, by the name that the system gives it.
WaitReach reach_of_anonymous(int descriptor) {
  std::error_code none;
  const std::string name = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), none).string();
  if (name == "anon_inode:[eventpoll]") return reach_of_members(descriptor);
  if (name == "anon_inode:[timerfd]") return WaitReach::OwnThreads;
  if (name == "anon_inode:[eventfd]" || name == "anon_inode:[signalfd]") return WaitReach::OtherRanks;
  return WaitReach::OtherProcesses;
}

}  // namespace

WaitReach reach_of(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return WaitReach::OwnThreads;  // an error, at once
  switch (about.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK: return WaitReach::OwnThreads;  // ready at once
    case S_IFIFO: return has_other_end(descriptor, about) ? WaitReach::OtherRanks : WaitReach::OtherProcesses;
    case S_IFSOCK: return leads_here(descriptor) ? WaitReach::OtherRanks : WaitReach::OtherProcesses;
    case 0: return reach_of_anonymous(descriptor);
    default: return WaitReach::OtherProcesses;
  }
}

}  // namespace orrery::mpi
