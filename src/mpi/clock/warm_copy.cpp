// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/warm_copy.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

#include "mpi/channel/channel.hpp"
#include "mpi/clock/clock.hpp"

namespace orrery::mpi {
namespace {

using channel::page_bytes;

/// What a computation may write, at most: 256 MB. Longer lists would cost more than they are worth.
constexpr std::size_t most_pages = 65'536;
constexpr std::size_t most_ranges = 1'024;
/// What a process may write without that others see it, at most: the list of its pages is looked through.
constexpr std::size_t most_bytes = std::size_t{4} << 30;
constexpr std::size_t stack_bytes = std::size_t{64} * 1024;
/// The first run of the second copy fills the caches. A processor that was idle works at a lower clock, and at its full
/// one when it has done the work for some milliseconds (docs/lab/computation.md): short work is run more often.
constexpr int least_runs = 4;
constexpr std::int64_t to_full_clock_ns = 3'000'000;
/// What a copy may take: so many times the usual time, and what it takes to start.
constexpr std::int64_t times_longest = 8;
constexpr std::int64_t to_start_ns = 100'000'000;

struct Range {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] void* first() const { return reinterpret_cast<void*>(begin); }
  [[nodiscard]] std::size_t bytes() const { return end - begin; }
};

struct Ranges {
  std::size_t size = 0;
  std::array<Range, most_ranges> all;

  bool add(Range range) {
    if (size == all.size()) return false;
    all[size++] = range;
    return true;
  }
  [[nodiscard]] const Range* begin() const { return all.data(); }
  [[nodiscard]] const Range* end() const { return all.data() + size; }
};

std::uintptr_t address_of(const void* what) { return reinterpret_cast<std::uintptr_t>(what); }

[[noreturn]] void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

/// Reads a file of /proc by lines, without memory of the heap: this process is about to be copied.
class Lines {
 public:
  explicit Lines(const char* path)
      : descriptor_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC))) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    if (descriptor_ >= 0) syscall(SYS_close, descriptor_);
  }

  [[nodiscard]] bool next(std::string_view& line) {
    for (;;) {
      const std::string_view rest(text_.data() + begin_, end_ - begin_);
      if (const auto length = rest.find('\n'); length != std::string_view::npos) {
        line = rest.substr(0, length);
        begin_ += length + 1;
        return true;
      }
      std::memmove(text_.data(), rest.data(), rest.size());
      begin_ = 0;
      end_ = rest.size();
      if (descriptor_ < 0 || end_ == text_.size()) return false;
      const long got = syscall(SYS_read, descriptor_, text_.data() + end_, text_.size() - end_);
      if (got <= 0) return false;
      end_ += static_cast<std::size_t>(got);
    }
  }

 private:
  int descriptor_;
  std::size_t begin_ = 0, end_ = 0;
  std::array<char, 16'384> text_;
};

/// A line of /proc/self/maps: "begin-end rw-p ...". @return the four letters; empty: it is no such line
std::string_view read_mapping(std::string_view line, Range& range) {
  const char* const last = line.data() + line.size();
  const auto begin = std::from_chars(line.data(), last, range.begin, 16);
  if (begin.ec != std::errc{} || begin.ptr == last || *begin.ptr != '-') return {};
  const auto end = std::from_chars(begin.ptr + 1, last, range.end, 16);
  if (end.ec != std::errc{} || last - end.ptr < 5) return {};
  return {end.ptr + 1, 4};
}

/// Waits for the end of a process, and ends it if that takes too long.
void await(int descriptor, std::int64_t longest_ns) {
  const std::int64_t until_ns = host_clock::monotonic_ns() + longest_ns;
  pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
  for (;;) {
    const std::int64_t left_ns = std::max<std::int64_t>(0, until_ns - host_clock::monotonic_ns());
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    const long ready = syscall(SYS_ppoll, &watched, 1, &left, nullptr, 0);
    if (ready > 0) return;
    if (ready == 0) break;
    if (errno != EINTR) break;
  }
  syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, nullptr, 0);
}

/// Pages of this process alone that have memory of their own, and none of a file (proc_pid_pagemap(5)).
bool is_own(std::uint64_t entry) {
  constexpr std::uint64_t present = std::uint64_t{1} << 63, of_file = std::uint64_t{1} << 61,
                          alone = std::uint64_t{1} << 56;
  return (entry & (present | of_file | alone)) == (present | alone);
}

/// Calls `visit` with the first address of each page of `ranges` and its entry in `page_map`, in ascending order.
template <class Visit>
void look_through(const Ranges& ranges, int page_map, Visit visit) {
  constexpr std::size_t at_once = 512;
  std::array<std::uint64_t, at_once> entries;
  for (const Range& range : ranges) {
    for (std::uintptr_t first = range.begin; first < range.end; first += at_once * page_bytes) {
      const std::size_t wanted = std::min(at_once, (range.end - first) / page_bytes) * sizeof entries[0];
      const long got = syscall(SYS_pread64, page_map, entries.data(), wanted, first / page_bytes * sizeof entries[0]);
      for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) / sizeof entries[0]; ++i)
        visit(first + i * page_bytes, entries[i]);
    }
  }
}

int open_page_map() {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
}

/// MADV_POPULATE_WRITE of Linux 5.14, which headers of older systems do not name. Where the kernel does not know it,
/// pages come back one by one, and the samples in which they do say so.
constexpr int populate_write = 23;

/// Makes the pages that the process had for itself before it was copied writable again, all at once. Otherwise each
/// costs a fault when it is written next, and the computation of the program that writes it would take longer.
void get_pages_back(const Ranges& ranges) {
  const int page_map = open_page_map();
  if (page_map < 0) return;
  Range run;
  const auto get_back = [&run] {
    if (run.end > run.begin) madvise(run.first(), run.bytes(), populate_write);
  };
  look_through(ranges, page_map, [&](std::uintptr_t page, std::uint64_t entry) {
    if (!is_own(entry)) return;
    if (page != run.end) {
      get_back();
      run.begin = page;
    }
    run.end = page + page_bytes;
  });
  get_back();
  syscall(SYS_close, page_map);
}

/// Whatever stops a computation in a copy ends the copy, without a word of the system about a crash.
[[noreturn]] void end_copy(int /*signal*/) { end_process(1); }

void end_at_faults() {
  struct sigaction action {};
  action.sa_handler = end_copy;
  for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigaction(signal, &action, nullptr);
}

/// From now on this process may compute, get memory, give it back, and tell the time; reading `page_map` comes besides.
/// @return whether the system has agreed
bool confine(int page_map) {
  constexpr std::array harmless = {SYS_exit_group,     SYS_clock_gettime, SYS_gettimeofday, SYS_brk,
                                   SYS_munmap,         SYS_mremap,        SYS_madvise,      SYS_mprotect,
                                   SYS_rt_sigprocmask, SYS_rt_sigreturn};
  constexpr auto load = [](std::size_t place) -> sock_filter {
    return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(place)};
  };
  constexpr auto give = [](std::uint32_t what) -> sock_filter { return {BPF_RET | BPF_K, 0, 0, what}; };
  constexpr auto skip_unless = [](std::uint16_t test, std::uint32_t value, std::uint8_t instructions) -> sock_filter {
    return {static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), 0, instructions, value};
  };
  constexpr auto argument = [](std::size_t number) {
    return offsetof(seccomp_data, args) + 8 * number;
  };  // its low half
  std::array<sock_filter, 2 * harmless.size() + 12> filter;
  std::size_t length = 0;
  filter[length++] = load(offsetof(seccomp_data, nr));
  for (const long call : harmless) {
    filter[length++] = skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 1);
    filter[length++] = give(SECCOMP_RET_ALLOW);
  }
  filter[length++] = skip_unless(BPF_JEQ, SYS_mmap, 3);
  filter[length++] = load(argument(3));
  filter[length++] = skip_unless(BPF_JSET, MAP_ANONYMOUS, 1);
  filter[length++] = give(SECCOMP_RET_ALLOW);
  filter[length++] = load(offsetof(seccomp_data, nr));
  filter[length++] = skip_unless(BPF_JEQ, SYS_pread64, 3);
  filter[length++] = load(argument(0));
  filter[length++] = skip_unless(BPF_JEQ, static_cast<std::uint32_t>(page_map), 1);
  filter[length++] = give(SECCOMP_RET_ALLOW);
  filter[length++] = give(SECCOMP_RET_TRAP);
  const sock_fprog program{static_cast<std::uint16_t>(length), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

/// What the process and its copies share.
struct WarmCopy::Shared {
  Ranges own;                 ///< that the process may write, and others do not see
  Ranges with_others;         ///< that it may write, and others see
  bool lists_pages = false;   ///< the copy is the first one
  int page_map = -1;          ///< /proc/self/pagemap of the first copy
  std::size_t pages = 0;      ///< that it has written; more than there is room for: too many
  std::byte* kept = nullptr;  ///< what was in them, in the second copy
  int run = 0;
  std::int64_t first_began_ns = 0;  ///< the first run
  std::int64_t began_ns = 0, began_processor_ns = 0;
  std::int64_t shortest_ns = 0;
  bool complete = false;  ///< what the copy was made for
  ucontext_t begin;
  ucontext_t put_back;
  alignas(64) std::array<std::byte, stack_bytes> stack;
  std::array<std::byte*, most_pages> page;

  bool find_ranges();
  bool only_read_what_others_see() const;
  void list_pages();
  bool keep_pages();
  void put_pages_back() const;
  void start_clock();
  void stop_clock();
};

bool WarmCopy::copying_ = false;

namespace {

WarmCopy::Shared* of_this_copy = nullptr;

}  // namespace

bool WarmCopy::Shared::find_ranges() {
  own.size = with_others.size = 0;
  Lines lines("/proc/self/maps");
  std::string_view line;
  bool fits = true;
  std::size_t bytes = 0;
  while (lines.next(line)) {
    Range range;
    const std::string_view may = read_mapping(line, range);
    if (may.size() != 4 || may[1] != 'w' || range.begin == address_of(this)) continue;
    const bool is_own = may[3] == 'p';
    if (is_own) bytes += range.bytes();
    fits = (is_own ? own : with_others).add(range) && fits;
  }
  return fits && own.size > 0 && bytes <= most_bytes;
}

bool WarmCopy::Shared::only_read_what_others_see() const {
  return std::ranges::all_of(with_others,
                             [](const Range& range) { return mprotect(range.first(), range.bytes(), PROT_READ) == 0; });
}

/// In the first copy, whose other pages it has in common with the process.
void WarmCopy::Shared::list_pages() {
  look_through(own, page_map, [this](std::uintptr_t address, std::uint64_t entry) {
    if (!is_own(entry)) return;
    if (pages < page.size()) page[pages] = reinterpret_cast<std::byte*>(address);
    ++pages;
  });
  complete = pages <= page.size();
}

/// In the second copy; its pages become its own here, not while it is measured.
bool WarmCopy::Shared::keep_pages() {
  const std::size_t bytes = std::max<std::size_t>(pages, 1) * page_bytes;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return false;
  kept = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < pages; ++i) {
    std::memcpy(kept + i * page_bytes, page[i], page_bytes);
    auto& byte = *reinterpret_cast<volatile unsigned char*>(page[i]);
    byte = byte;
  }
  return true;
}

void WarmCopy::Shared::put_pages_back() const {
  for (std::size_t i = 0; i < pages; ++i) std::memcpy(page[i], kept + i * page_bytes, page_bytes);
}

void WarmCopy::Shared::start_clock() {
  began_processor_ns = host_clock::thread_cpu_ns();
  began_ns = host_clock::monotonic_ns();
}

/// The monotonic clock costs less, and the processor's leaves out what others used.
void WarmCopy::Shared::stop_clock() {
  const std::int64_t passed_ns = host_clock::monotonic_ns() - began_ns;
  const std::int64_t took_ns = std::min(passed_ns, host_clock::thread_cpu_ns() - began_processor_ns);
  if (run > 0) shortest_ns = run == 1 ? took_ns : std::min(shortest_ns, took_ns);
}

WarmCopy::~WarmCopy() {
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

std::int64_t WarmCopy::measure(std::int64_t usual_ns) {
  if (shared_ == nullptr) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    shared_ = new (memory) Shared;
  }
  if (!shared_->find_ranges()) return 0;
  Made made = Made::Ended;
  for (const bool lists_pages : {true, false}) {
    made = make_copy(lists_pages, least_runs * times_longest * usual_ns + to_start_ns);
    if (made == Made::Here) return is_copy;
    if (made == Made::Failed) break;
  }
  get_pages_back(shared_->own);
  return made == Made::Ended ? shared_->shortest_ns : 0;
}

/// The child has no signal for its end, so that no wait of the program finds it.
WarmCopy::Made WarmCopy::make_copy(bool lists_pages, std::int64_t longest_ns) {
  shared_->lists_pages = lists_pages;
  shared_->complete = false;
  if (lists_pages) shared_->pages = 0;
  int descriptor = -1;
  const long child = syscall(SYS_clone, CLONE_PIDFD, nullptr, &descriptor, nullptr, nullptr);
  if (child == 0) {
    be_copy();
    return Made::Here;
  }
  if (child < 0) return Made::Failed;
  await(descriptor, longest_ns);
  syscall(SYS_wait4, child, nullptr, __WALL, nullptr);
  syscall(SYS_close, descriptor);
  return shared_->complete ? Made::Ended : Made::Failed;
}

/// Nothing changes between keeping the pages and the beginning that is returned to but what is in registers.
void WarmCopy::be_copy() {
  copying_ = true;
  of_this_copy = shared_;
  Shared& shared = *shared_;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  end_at_faults();
  if (!shared.only_read_what_others_see()) end_process(1);
  if (shared.lists_pages) {
    shared.page_map = open_page_map();
    if (shared.page_map < 0 || !confine(shared.page_map)) end_process(1);
    return;
  }
  shared.run = 0;
  if (!confine(-1) || !shared.keep_pages()) end_process(1);
  shared.first_began_ns = host_clock::monotonic_ns();
  getcontext(&shared.begin);
  of_this_copy->start_clock();
}

void WarmCopy::end_of_run() {
  Shared& shared = *of_this_copy;
  if (shared.lists_pages) {
    shared.list_pages();
    end_process(0);
  }
  shared.stop_clock();
  const bool has_full_clock = host_clock::monotonic_ns() - shared.first_began_ns >= to_full_clock_ns;
  if (++shared.run >= least_runs && has_full_clock) {
    shared.complete = true;
    end_process(0);
  }
  // The stack of the program is put back, too: not while it is stood on.
  getcontext(&shared.put_back);
  shared.put_back.uc_stack = {.ss_sp = shared.stack.data(), .ss_flags = 0, .ss_size = shared.stack.size()};
  shared.put_back.uc_link = nullptr;
  makecontext(
      &shared.put_back,
      +[] {
        of_this_copy->put_pages_back();
        setcontext(&of_this_copy->begin);
        end_process(1);
      },
      0);
  setcontext(&shared.put_back);
  end_process(1);
}

}  // namespace orrery::mpi
