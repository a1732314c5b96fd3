// SPDX-License-Identifier: BSD-3-Clause
#include "trace/merge.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/error.hpp"
#include "trace/bytes.h"
#include "trace/copy.hpp"
#include "trace/decoder.hpp"
#include "trace/record.hpp"
#include "trace/thread_calls.hpp"
#include "trace/writer.h"

namespace orrery::trace {
namespace {

double number_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// What a rank's times must be multiplied with.
double clock_factor(const File& file) {
  const double drift = number_of(file.property("clock_drift_ns"));
  const double span = number_of(file.property("clock_span_ns"));
  return span > 0 && std::abs(drift) < span ? 1 + drift / span : 1;
}

/// Communicators of all ranks, each once.
class Communicators {
 public:
  using Numbers = std::unordered_map<std::uint32_t, std::uint32_t>;

  /// Numbers in the run by those of this rank's file; what is new is written.
  Numbers add(const File& file, orrery_trace_writer* writer) {
    std::vector<std::uint32_t> in_order;
    for (const auto& [number, known] : file.communicators()) in_order.push_back(number);
    std::sort(in_order.begin(), in_order.end());
    Numbers numbers{{0, 0}};
    std::map<Key, std::size_t> seen;
    for (const std::uint32_t own : in_order) {
      const File::Communicator& known = *file.communicator(own);
      const Key key = key_of(known);
      std::vector<std::uint32_t>& alike = numbers_[key];
      const std::size_t which = seen[key]++;
      if (which == alike.size()) {
        alike.push_back(++last_);
        write(writer, alike.back(), known);
      }
      numbers[own] = alike[which];
    }
    return numbers;
  }

 private:
  using Key = std::vector<std::int64_t>;

  static Key key_of(const File::Communicator& known) {
    Key key{known.first_group};
    for (const File::Run& run : known.runs) key.insert(key.end(), {run.length, run.first, run.apart});
    return key;
  }

  static void write(orrery_trace_writer* writer, std::uint32_t number, const File::Communicator& known) {
    const std::vector<std::int32_t> members = members_of(known);
    orrery_trace_communicator(writer, number, known.first_group, members.data(), known.size);
  }

  std::map<Key, std::vector<std::uint32_t>> numbers_;
  std::uint32_t last_ = 0;
};

/// Call sites of all ranks, each once.
class Sites {
 public:
  using Numbers = std::unordered_map<std::uint32_t, std::uint32_t>;

  explicit Sites(const std::map<std::string, std::string>& meanings) : meanings_(meanings) {}

  /// Numbers in the run by those of this rank's file; what is new is written.
  Numbers add(const File& file, orrery_trace_writer* writer) {
    Numbers numbers;
    for (const auto& [own, found] : file.names(ORRERY_TRACE_SITES)) {
      const auto meaning = meanings_.find(found);
      const std::string& text = meaning == meanings_.end() ? found : meaning->second;
      const auto [known, added] = numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size() + 1));
      numbers[own] = known->second;
      const char* const written = text.c_str();
      if (added) orrery_trace_names(writer, ORRERY_TRACE_SITES, known->second, &written, 1);
    }
    return numbers;
  }

 private:
  const std::map<std::string, std::string>& meanings_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Numbers in the run by those of a rank's file.
struct Renumbered {
  Communicators::Numbers comms;
  Sites::Numbers sites;
};

/// Whether several threads of the rank called MPI.
bool has_threads(const File& file, std::uint32_t rank) {
  if (file.property("threads").empty()) return false;
  Decoder decoder(file, rank);
  for (;;) {
    const Decoder::What what = decoder.next();
    if (what == Decoder::What::End) return false;
    if (what == Decoder::What::Operation && decoder.beside().thread > 1) return true;
  }
}

/// Writes operations as they come.
struct Direct {
  orrery_trace_stream* to;

  void operation(orrery_trace_record record) const {
    record.thread = 0;
    orrery_trace_operation(to, &record);
  }
  void answer(const orrery_trace_answer& answer) const { orrery_trace_answered(to, &answer); }
};

/// Copies one rank's stream. @return how many operations; the stream's end is known from the decoder
template <class Sink>
std::uint64_t copy(Decoder& from, Sink& to, const Renumbered& numbers, double factor) {
  std::uint64_t operations = 0;
  const auto corrected = [factor](std::int64_t ns) {
    return ns < 0 ? ns : std::llround(static_cast<double>(ns) * factor);
  };
  for (;;) {
    switch (from.next()) {
      case Decoder::What::End: return operations;
      case Decoder::What::Answer: to.answer(answer_of(from.answer())); break;
      case Decoder::What::Operation: {
        orrery_trace_record record = record_of(from.operation(), from.beside());
        const auto number = numbers.comms.find(record.comm);
        if (number != numbers.comms.end()) record.comm = number->second;
        const auto site = numbers.sites.find(record.site);
        record.site = site == numbers.sites.end() ? 0 : site->second;
        record.begin_ns = corrected(from.beside().begin_ns);
        record.end_ns = corrected(from.beside().end_ns);
        to.operation(record);
        ++operations;
      }
    }
  }
}

class Merge {
 public:
  Merge(const std::string& path, std::uint32_t ranks, const std::map<std::string, std::string>& sites)
      : found_(ranks), out_(path, ranks), writer_(out_.writer()), sites_(sites) {}

  void describe(const std::vector<std::pair<std::string, std::string>>& properties,
                std::span<const std::string_view> routine_names) {
    for (const auto& [key, value] : properties) orrery_trace_property(writer_, key.c_str(), value.c_str());
    const std::vector<std::string> owned(routine_names.begin(), routine_names.end());
    std::vector<const char*> texts;
    texts.reserve(owned.size());
    for (const std::string& name : owned) texts.push_back(name.c_str());
    orrery_trace_names(writer_, ORRERY_TRACE_ROUTINES, 0, texts.data(), static_cast<std::uint32_t>(texts.size()));
  }

  /// What the MPI library of the first rank says of itself.
  void describe_library(std::string_view library) {
    if (!library.empty()) orrery_trace_property(writer_, "library", std::string(library).c_str());
  }

  void add(const File& file) {
    const std::uint32_t rank = rank_of(file);
    if (rank >= found_.size() || found_[rank]) {
      merged_.damage.push_back(concat(file.path(), ": is none of the ranks that were started"));
      return;
    }
    found_[rank] = true;
    name_host(file, rank);
    for (const auto& [key, routine] : file.properties())
      if (key == "not_captured" && not_captured_.insert(routine).second)
        orrery_trace_property(writer_, "not_captured", routine.c_str());
    orrery_trace_stream* stream = orrery_trace_open_stream(writer_, rank);
    if (stream == nullptr) throw InputError("there is not enough memory to put the trace together");
    const Renumbered numbers{communicators_.add(file, writer_), sites_.add(file, writer_)};
    if (const auto local = file.local_calls(rank); !local.empty())
      orrery_trace_local(writer_, rank, local.data(), static_cast<std::uint32_t>(local.size()));
    Decoder decoder(file, rank);
    if (has_threads(file, rank)) {
      ThreadCalls calls;
      merged_.operations += copy(decoder, calls, numbers, clock_factor(file));
      calls.write(stream);
    } else {
      Direct direct{stream};
      merged_.operations += copy(decoder, direct, numbers, clock_factor(file));
    }
    orrery_trace_close_stream(stream, decoder.cut_off() ? 0 : 1);
    if (decoder.cut_off()) merged_.cut_off.push_back(rank);
  }

  void could_not_read(std::string why) { merged_.damage.push_back(std::move(why)); }

  Merged close() {
    out_.close();
    for (std::uint32_t rank = 0; rank < found_.size(); ++rank) {
      if (!found_[rank]) merged_.missing.push_back(rank);
    }
    std::sort(merged_.cut_off.begin(), merged_.cut_off.end());
    return std::move(merged_);
  }

 private:
  /// The one that has a stream in the file; beyond all ranks if none has.
  static std::uint32_t rank_of(const File& file) {
    const std::uint32_t named = static_cast<std::uint32_t>(number_of(file.property("rank")));
    return file.property("rank").empty() ? UINT32_MAX : named;
  }

  void name_host(const File& file, std::uint32_t rank) {
    const std::string host(file.property("host"));
    const char* const text = host.c_str();
    orrery_trace_names(writer_, ORRERY_TRACE_HOSTS, rank, &text, 1);
    if (const std::string_view code = file.property("aborted"); !code.empty())
      orrery_trace_property(writer_, "aborted", concat("rank ", rank, ", code ", code).c_str());
  }

  std::vector<bool> found_;
  NewFile out_;
  orrery_trace_writer* writer_;
  Communicators communicators_;
  Sites sites_;
  std::set<std::string> not_captured_;
  Merged merged_;
};

/// Start of the file in which a rank keeps what is in no block yet; rest_head in src/measure/capture/life.c.
struct Rest {
  std::uint32_t rank = 0, sequence = 0, records = 0;
  std::span<const std::byte> payload;
};

constexpr std::size_t rest_head_bytes = 32;

std::optional<Rest> read_rest(std::span<const std::byte> bytes) {
  if (bytes.size() < rest_head_bytes || std::memcmp(bytes.data(), "ORRREST\n", 8) != 0) return {};
  Scanner scanner(bytes.subspan(8));
  Rest rest;
  rest.rank = scanner.fixed<std::uint32_t>();
  rest.sequence = scanner.fixed<std::uint32_t>();
  rest.records = scanner.fixed<std::uint32_t>();
  scanner.fixed<std::uint32_t>();
  const auto size = scanner.fixed<std::uint64_t>();
  if (size == 0 || size > bytes.size() - rest_head_bytes) return {};
  rest.payload = bytes.subspan(rest_head_bytes, size);
  return rest;
}

/// The chunk that the block would have become, behind what makes its place a multiple of 8.
std::string chunk_of(const Rest& rest, std::uint64_t file_size) {
  orrery_trace_bytes out{};
  const auto size = static_cast<std::uint32_t>(rest.payload.size());
  const std::size_t before = (8 - file_size % 8) % 8;
  orrery_trace_put_fixed(&out, 0, static_cast<int>(before));
  orrery_trace_put_fixed(&out, ORRERY_TRACE_CHUNK_MAGIC, 4);
  orrery_trace_put_fixed(&out, ORRERY_TRACE_BLOCK, 4);  // kind, codec, flags
  orrery_trace_put_fixed(&out, rest.rank, 4);
  orrery_trace_put_fixed(&out, rest.sequence, 4);
  orrery_trace_put_fixed(&out, size, 4);
  orrery_trace_put_fixed(&out, size, 4);
  orrery_trace_put_fixed(&out, rest.records, 4);
  orrery_trace_put_fixed(&out, 0, 4);
  const std::uint64_t of_head = orrery_trace_checksum(out.data + before, 32, 0);
  orrery_trace_put_fixed(&out, orrery_trace_checksum(rest.payload.data(), size, of_head), 8);
  orrery_trace_put(&out, rest.payload.data(), size);
  orrery_trace_put_fixed(&out, 0, static_cast<int>((8 - size % 8) % 8));
  std::string chunk(reinterpret_cast<const char*>(out.data), out.size);
  free(out.data);
  return chunk;
}

}  // namespace

bool recover(const std::string& path, const std::string& rest_path) {
  const File file(path);
  if (file.damage().empty()) return false;
  const Mapped mapped(rest_path);
  const std::optional<Rest> rest = read_rest(mapped.bytes());
  if (!rest || rest->sequence < file.blocks(rest->rank)) return false;
  const std::string chunk = chunk_of(*rest, file.size());
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(chunk.data(), static_cast<std::streamsize>(chunk.size()));
  out.flush();
  if (!out) throw InputError(concat(path, ": ", std::strerror(errno), ": cannot append what was left"));
  return true;
}

Merged merge(const std::vector<std::string>& parts, const std::string& path,
             const std::vector<std::pair<std::string, std::string>>& properties,
             std::span<const std::string_view> routine_names, const std::map<std::string, std::string>& sites) {
  std::unique_ptr<Merge> merge;
  std::vector<std::string> unreadable;
  for (const std::string& part : parts) {
    try {
      const File file(part);
      if (merge == nullptr) {
        merge = std::make_unique<Merge>(path, file.ranks(), sites);
        merge->describe(properties, routine_names);
        merge->describe_library(file.property("library"));
      }
      merge->add(file);
    } catch (const InputError& error) {
      unreadable.emplace_back(error.what());
    }
  }
  if (merge == nullptr) throw InputError(unreadable.empty() ? "no rank wrote a trace" : unreadable.front());
  for (std::string& why : unreadable) merge->could_not_read(std::move(why));
  return merge->close();
}

}  // namespace orrery::trace
