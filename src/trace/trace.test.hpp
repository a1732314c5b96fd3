// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "trace/decoder.hpp"
#include "trace/writer.h"

namespace orrery::trace::testing {

/// The name of a file that is removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() {
    char name[] = "/tmp/orrery-test-XXXXXX";
    const int descriptor = mkstemp(name);
    if (descriptor >= 0) ::close(descriptor);
    path = name;
  }
  explicit TemporaryFile(const std::string& content) : TemporaryFile() { write(content); }
  ~TemporaryFile() { std::remove(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& content) const { std::ofstream(path, std::ios::binary) << content; }

  std::string path;
};

/// An operation with lists of its own.
struct Owned {
  orrery_trace_record record{};
  std::vector<std::uint32_t> requests;
  std::vector<std::int64_t> counts;

  [[nodiscard]] orrery_trace_record view() const {
    orrery_trace_record r = record;
    r.requests = requests.data();
    r.requests_length = static_cast<std::uint32_t>(requests.size());
    r.counts = counts.data();
    r.counts_length = static_cast<std::uint32_t>(counts.size());
    return r;
  }
};

/// Operations of all kinds with all fields, extreme values among them; they repeat, as those of programs do.
inline std::vector<Owned> random_operations(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto any32 = [&] { return static_cast<std::int32_t>(below(3) == 0 ? random() : below(8)); };
  const auto any64 = [&] { return static_cast<std::int64_t>(below(3) == 0 ? random() : below(100'000)); };
  std::vector<Owned> made;
  while (made.size() < count) {
    if (made.size() > 4 && below(3) != 0) {
      made.push_back(made[below(made.size())]);
      made.back().record.tag = any32();
    } else {
      Owned& o = made.emplace_back();
      o.record.kind = static_cast<std::uint8_t>(below(40));
      o.record.mode = static_cast<std::uint8_t>(below(4));
      o.record.collective = static_cast<std::uint8_t>(below(22));
      o.record.flags = static_cast<std::uint8_t>(random());
      o.record.routine = static_cast<std::uint16_t>(random());
      o.record.algorithm = static_cast<std::uint16_t>(below(3));
      o.record.peer = any32();
      o.record.tag = any32();
      o.record.comm = static_cast<std::uint32_t>(any32());
      o.record.request = static_cast<std::uint32_t>(any32());
      o.record.bytes = any64();
      o.record.element = any64();
      o.record.extent = any64();
      for (std::uint64_t i = below(6); i > 0; --i) o.requests.push_back(static_cast<std::uint32_t>(random()));
      for (std::uint64_t i = below(6); i > 0; --i) o.counts.push_back(any64());
      o.record.site = static_cast<std::uint32_t>(below(4));
      o.record.thread = static_cast<std::uint32_t>(below(3));
      o.record.datatype = static_cast<std::uint32_t>(below(4));
      o.record.ran = static_cast<std::uint32_t>(below(4));
    }
    orrery_trace_record& r = made.back().record;
    const std::uint64_t how = below(3);
    r.compute_s = how == 0   ? 0
                  : how == 1 ? static_cast<double>(below(1'000'000)) * 1e-9
                             : 0.1 * static_cast<double>(random()) * 1e-15;
    r.begin_ns = static_cast<std::int64_t>(made.size()) * 1000;
    r.end_ns = below(2) == 0 ? -1 : r.begin_ns + static_cast<std::int64_t>(below(900));
  }
  return made;
}

}  // namespace orrery::trace::testing
