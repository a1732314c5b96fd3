// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/process/alone.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "base/error.hpp"

namespace orrery::mpi {
namespace {

using Serve = void (*)(int descriptor);

/// Beside this library, or beside the folder that it has for its binary interface.
Serve load_server() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&load_server), &own) == 0) return nullptr;
  const auto folder = std::filesystem::path(own.dli_fname).parent_path();
  for (const auto& place : {folder, folder / ".."}) {
    void* library = dlopen((place / "liborrery_alone.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return reinterpret_cast<Serve>(dlsym(library, "orrery_serve_alone"));
  }
  return nullptr;
}

/// As `orrery run` prepares it, but that nothing is simulated.
channel::Memory* prepare_memory() {
  auto* memory = new channel::Memory(channel::Memory::create(1));
  channel::Header& header = memory->header();
  header.compute_scale = 1;
  header.buffered_limit = std::numeric_limits<std::int64_t>::max();  // messages to itself: all are copied
  header.spin = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0;
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  const std::array<std::string, 1> hosts{name.data()};
  const std::array<std::uint32_t, 1> of_rank{0};
  memory->set_hosts(hosts, of_rank);
  return memory;
}

struct Served {
  Serve serve;
  int descriptor;
};

/// Signals are for the program's own threads.
bool start_thread(void* (*body)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, body, argument) == 0;
  if (started) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

channel::Memory* begin_alone() {
  static Served served{};
  served.serve = load_server();
  if (served.serve == nullptr) {
    throw InputError(
        "this program was not started by orrery, and the library that lets it run as one rank is not beside the MPI "
        "library (liborrery_alone.so): start it with  orrery run -n N PROGRAM");
  }
  channel::Memory* memory = prepare_memory();
  served.descriptor = memory->descriptor();
  const auto body = [](void*) -> void* {
    served.serve(served.descriptor);
    return nullptr;
  };
  if (!start_thread(body, nullptr))
    throw InputError("a thread cannot be created: raise the limit of processes (ulimit -u)");
  return memory;
}

}  // namespace orrery::mpi
