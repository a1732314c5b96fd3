// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/clock/replaces.hpp"
#include "mpi/process/before_init.hpp"

/// Functions of the C library whose answers differ from one process to the next, as they are there, but that it is
/// noted that the program has called them (before_init.hpp). Clocks are in clock/clock_reads.cpp.
using namespace orrery::mpi;

namespace {

void note_if_random(const char* path) {
  if (is_null(path) || std::strncmp(path, "/dev/", 5) != 0) return;
  if (std::strcmp(path + 5, "urandom") == 0 || std::strcmp(path + 5, "random") == 0) note(Personal::RandomNumbers);
}

bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

/// The body of a replacement that notes the answer and calls the function that it replaces.
#define ORRERY_NOTES(answer, name, ...)                             \
  static const auto next = next_function<decltype(&(name))>(#name); \
  note(Personal::answer);                                           \
  return next(__VA_ARGS__)

// --- the process ----------------------------------------------------------------------------------------------------

ORRERY_REPLACES pid_t getpid() noexcept {
  note(Personal::ProcessNumber);
  return static_cast<pid_t>(syscall(SYS_getpid));
}

ORRERY_REPLACES pid_t gettid() noexcept {
  note(Personal::ProcessNumber);
  return static_cast<pid_t>(syscall(SYS_gettid));
}

// --- random numbers -------------------------------------------------------------------------------------------------

extern "C" {
std::uint32_t arc4random() noexcept;
std::uint32_t arc4random_uniform(std::uint32_t) noexcept;
void arc4random_buf(void*, std::size_t) noexcept;
/// std::random_device::operator(), which may ask the processor instead of the system
unsigned int _ZNSt13random_device9_M_getvalEv(void*);
}

ORRERY_REPLACES ssize_t getrandom(void* buffer, std::size_t bytes, unsigned int flags) {
  ORRERY_NOTES(RandomNumbers, getrandom, buffer, bytes, flags);
}
ORRERY_REPLACES int getentropy(void* buffer, std::size_t bytes) {
  ORRERY_NOTES(RandomNumbers, getentropy, buffer, bytes);
}
ORRERY_REPLACES std::uint32_t arc4random() noexcept { ORRERY_NOTES(RandomNumbers, arc4random); }
ORRERY_REPLACES std::uint32_t arc4random_uniform(std::uint32_t below) noexcept {
  ORRERY_NOTES(RandomNumbers, arc4random_uniform, below);
}
ORRERY_REPLACES void arc4random_buf(void* buffer, std::size_t bytes) noexcept {
  ORRERY_NOTES(RandomNumbers, arc4random_buf, buffer, bytes);
}
ORRERY_REPLACES unsigned int _ZNSt13random_device9_M_getvalEv(void* device) {
  ORRERY_NOTES(RandomNumbers, _ZNSt13random_device9_M_getvalEv, device);
}

/// The body of a replacement of `open` or `openat`: `flags` may be followed by a mode.
#define ORRERY_OPENS(name, ...)                                     \
  static const auto next = next_function<decltype(&(name))>(#name); \
  note_if_random(path);                                             \
  va_list more;                                                     \
  va_start(more, flags);                                            \
  const mode_t mode = has_mode(flags) ? va_arg(more, mode_t) : 0;   \
  va_end(more);                                                     \
  return next(__VA_ARGS__, mode)

ORRERY_REPLACES int open(const char* path, int flags, ...) { ORRERY_OPENS(open, path, flags); }
ORRERY_REPLACES int openat(int folder, const char* path, int flags, ...) { ORRERY_OPENS(openat, folder, path, flags); }
ORRERY_REPLACES FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  static const auto next = next_function<decltype(&fopen)>("fopen");
  note_if_random(path);
  return next(path, mode);
}

// --- names of temporary files ---------------------------------------------------------------------------------------

ORRERY_REPLACES int mkstemp(char* name) { ORRERY_NOTES(TemporaryName, mkstemp, name); }
ORRERY_REPLACES int mkostemp(char* name, int flags) { ORRERY_NOTES(TemporaryName, mkostemp, name, flags); }
ORRERY_REPLACES int mkstemps(char* name, int suffix) { ORRERY_NOTES(TemporaryName, mkstemps, name, suffix); }
ORRERY_REPLACES int mkostemps(char* name, int suffix, int flags) {
  ORRERY_NOTES(TemporaryName, mkostemps, name, suffix, flags);
}
ORRERY_REPLACES char* mkdtemp(char* name) noexcept { ORRERY_NOTES(TemporaryName, mkdtemp, name); }

// --- names for large files, which all files are where addresses have 64 bits -----------------------------------------

#define ORRERY_ALIAS(name) extern "C" __attribute__((visibility("default"), alias(#name)))

ORRERY_ALIAS(open) int open64(const char* path, int flags, ...);
ORRERY_ALIAS(openat) int openat64(int folder, const char* path, int flags, ...);
ORRERY_ALIAS(fopen) FILE* fopen64(const char* __restrict path, const char* __restrict mode);
ORRERY_ALIAS(mkstemp) int mkstemp64(char* name);
ORRERY_ALIAS(mkostemp) int mkostemp64(char* name, int flags);
ORRERY_ALIAS(mkstemps) int mkstemps64(char* name, int suffix);
ORRERY_ALIAS(mkostemps) int mkostemps64(char* name, int suffix, int flags);
