// SPDX-License-Identifier: BSD-3-Clause
#include "trace/file.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/error.hpp"
#include "trace/scanner.hpp"

namespace orrery::trace {
namespace {

/// A file may say that its run had this many ranks, and one more for so many of its bytes, fewer than a stream with one
/// operation takes: a rank costs about a kilobyte when it is replayed, and few bytes must not ask for all memory.
constexpr std::uint64_t ranks_without_bytes = 32768, bytes_of_rank = 24;
/// So it is with members of communicators, which take four bytes each.
constexpr std::uint64_t members_without_bytes = std::uint64_t{1} << 22, members_per_byte = 4;
/// How often the bytes of a file are read to find out which of its damaged parts are whole, at most.
constexpr std::uint64_t most_readings = 4, readings_without_bytes = std::uint64_t{1} << 26;

orrery_trace_chunk head_of(Scanner scanner) {
  orrery_trace_chunk head{};
  head.magic = scanner.fixed<std::uint32_t>();
  head.kind = scanner.byte();
  head.codec = scanner.byte();
  head.flags = scanner.fixed<std::uint16_t>();
  head.rank = scanner.fixed<std::uint32_t>();
  head.sequence = scanner.fixed<std::uint32_t>();
  head.bytes = scanner.fixed<std::uint32_t>();
  head.unpacked = scanner.fixed<std::uint32_t>();
  head.records = scanner.fixed<std::uint32_t>();
  head.reserved = scanner.fixed<std::uint32_t>();
  head.checksum = scanner.fixed<std::uint64_t>();
  return head;
}

/// Bytes of the UTF-8 sequence at this place; 0: there is none.
std::size_t sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || length > text.size() - at) return 0;
  std::uint32_t code = lead & 0x7fu >> length;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? 0 : length;
}

/// A text of a file that may be damaged, as Python can take it: what is no UTF-8 becomes '?'.
std::string readable(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    if (length == 0) {
      made += '?';
    } else {
      made += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return made;
}

/// What the index says of one chunk.
struct Entry {
  std::uint64_t offset;
  std::uint32_t rank, sequence, records, kind;
};

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

File::File(const std::string& path) : path_(path), mapped_(path) {
  read_head();
  members_left_ = members_per_byte * size() + members_without_bytes;
  std::vector<Place> blocks;
  if (!read_index(blocks)) look_through(blocks);
  sort(std::move(blocks));
  if (const auto cut = cut_off(); !cut.empty()) {
    report_damage(concat("the streams of ", cut.size(), " of ", streams_, " ranks are cut off, the first that of rank ",
                         cut.front()));
  }
}

void File::read_head() {
  const std::span<const std::byte> bytes = mapped_.bytes();
  if (bytes.size() < 8 || std::memcmp(bytes.data(), ORRERY_TRACE_MAGIC, 8) != 0) {
    throw InputError(concat(path_, ": is no trace of Orrery; expected a file that `orrery run -o FILE.trace` wrote"));
  }
  Scanner scanner(bytes.subspan(8));
  version_ = scanner.fixed<std::uint32_t>();
  ranks_ = scanner.fixed<std::uint32_t>();
  if (scanner.failed() || bytes.size() < ORRERY_TRACE_HEAD_BYTES)
    throw InputError(concat(path_, ": ends before its head does; nothing of the trace is left"));
  if (version_ < ORRERY_TRACE_OLDEST_VERSION || version_ > ORRERY_TRACE_VERSION) {
    throw InputError(concat(path_, ": is a trace of version ", version_, ", expected ",
                            int{ORRERY_TRACE_OLDEST_VERSION}, " to ", int{ORRERY_TRACE_VERSION},
                            "; a newer Orrery wrote it"));
  }
  if (ranks_ > size() / bytes_of_rank + ranks_without_bytes)
    throw InputError(concat(path_, ": has ", size(), " bytes, too few for the streams of ", ranks_, " ranks"));
  streams_ = ranks_;
}

std::optional<File::Chunk> File::chunk_at(std::uint64_t offset, std::uint64_t end) const {
  const std::span<const std::byte> bytes = mapped_.bytes().first(std::min(end, size()));
  if (offset % 8 != 0 || offset > bytes.size() || bytes.size() - offset < ORRERY_TRACE_CHUNK_HEAD_BYTES) return {};
  Chunk chunk;
  chunk.head = head_of(Scanner(bytes.subspan(offset, ORRERY_TRACE_CHUNK_HEAD_BYTES)));
  const std::uint64_t place = offset + ORRERY_TRACE_CHUNK_HEAD_BYTES;
  if (chunk.head.magic != ORRERY_TRACE_CHUNK_MAGIC || chunk.head.bytes > bytes.size() - place) return {};
  chunk.payload = bytes.subspan(place, chunk.head.bytes);
  return chunk;
}

bool File::intact(const Chunk& chunk) {
  const auto* head = chunk.payload.data() - ORRERY_TRACE_CHUNK_HEAD_BYTES;
  const std::uint64_t of_head = orrery_trace_checksum(head, 32, 0);
  return orrery_trace_checksum(chunk.payload.data(), chunk.payload.size(), of_head) == chunk.head.checksum;
}

/// The places of all chunks, if the file ends with them.
bool File::read_index(std::vector<Place>& blocks) {
  const std::span<const std::byte> bytes = mapped_.bytes();
  if (bytes.size() < ORRERY_TRACE_HEAD_BYTES + ORRERY_TRACE_FOOT_BYTES) return false;
  const auto foot = bytes.last(ORRERY_TRACE_FOOT_BYTES);
  if (std::memcmp(foot.data() + 8, ORRERY_TRACE_FOOT_MAGIC, 8) != 0) return false;
  const auto index = chunk_at(Scanner(foot).fixed<std::uint64_t>());
  if (!index || index->head.kind != ORRERY_TRACE_INDEX || !intact(*index)) return false;
  std::vector<Entry> entries;
  entries.reserve(index->payload.size() / ORRERY_TRACE_INDEX_ENTRY_BYTES);
  for (Scanner scanner(index->payload); scanner.left() >= ORRERY_TRACE_INDEX_ENTRY_BYTES;) {
    Entry entry{};
    entry.offset = scanner.fixed<std::uint64_t>();
    entry.rank = scanner.fixed<std::uint32_t>();
    entry.sequence = scanner.fixed<std::uint32_t>();
    entry.records = scanner.fixed<std::uint32_t>();
    entry.kind = scanner.fixed<std::uint32_t>();
    entries.push_back(entry);
  }
  // A chunk that is named twice, or lies inside of another one, would be read again and again: a file costs what its
  // size allows only where each byte belongs to one chunk.
  std::vector<std::uint64_t> offsets;
  offsets.reserve(entries.size() + 1);
  for (const Entry& entry : entries) offsets.push_back(entry.offset);
  offsets.push_back(size());
  std::sort(offsets.begin(), offsets.end());
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end()) return false;
  for (const Entry& entry : entries) {
    if (entry.offset >= size()) return false;
    const std::uint64_t end = *std::upper_bound(offsets.begin(), offsets.end(), entry.offset);
    if (entry.kind == ORRERY_TRACE_BLOCK) {
      blocks.push_back({entry.offset, end, entry.rank, entry.sequence});
      records_ += entry.records;
      continue;
    }
    const auto chunk = chunk_at(entry.offset, end);
    if (chunk && intact(*chunk)) {
      take(*chunk);
    } else {
      report_damage(concat("the chunk at byte ", entry.offset, " is damaged"));
    }
  }
  return true;
}

/// Chunk after chunk. Behind a damaged one the next is looked for.
void File::look_through(std::vector<Place>& blocks) {
  report_damage("the index is missing or damaged: the file was cut off, or is still being written");
  std::uint64_t offset = ORRERY_TRACE_HEAD_BYTES;
  std::uint64_t readings_left = most_readings * size() + readings_without_bytes;  // bytes of what turned out damaged
  bool lost = false;
  while (size() - offset >= ORRERY_TRACE_CHUNK_HEAD_BYTES) {
    const auto chunk = chunk_at(offset);
    if (chunk && chunk->payload.size() > readings_left)
      return report_damage(concat("what is behind byte ", offset, " was not looked at: too much of it is damaged"));
    if (!chunk || !intact(*chunk)) {
      if (!lost) report_damage(concat("what is at byte ", offset, " is damaged or not complete"));
      if (chunk) readings_left -= chunk->payload.size();
      lost = true;
      offset += 8;
      continue;
    }
    lost = false;
    if (chunk->head.kind == ORRERY_TRACE_BLOCK) {
      blocks.push_back({offset, size(), chunk->head.rank, chunk->head.sequence});
      records_ += chunk->head.records;
    } else {
      take(*chunk);
    }
    offset += ORRERY_TRACE_CHUNK_HEAD_BYTES + padded(chunk->head.bytes);
    if (offset > size()) break;
  }
}

void File::take(const Chunk& chunk) {
  switch (chunk.head.kind) {
    case ORRERY_TRACE_PROPERTIES:
      for (Scanner scanner(chunk.payload); !scanner.at_end();) {
        std::string key = readable(scanner.text());
        std::string value = readable(scanner.text());
        if (!scanner.failed()) properties_.emplace_back(std::move(key), std::move(value));
      }
      return;
    case ORRERY_TRACE_NAMES: return take_names(chunk.payload);
    case ORRERY_TRACE_COMM: return take_communicator(chunk.payload);
    case ORRERY_TRACE_LOCAL: return take_local_calls(chunk.payload);
    default: return;  // of a later version: what is not known is not needed
  }
}

void File::take_names(std::span<const std::byte> payload) {
  Scanner scanner(payload);
  auto& table = names_[static_cast<int>(scanner.number_up_to(255))];
  auto number = static_cast<std::uint32_t>(scanner.number_up_to(UINT32_MAX));
  while (!scanner.at_end()) {
    std::string text = readable(scanner.text());
    if (scanner.failed()) return;
    if (!text.empty()) table[number] = std::move(text);  // those that are not there read as empty
    ++number;
  }
}

void File::take_communicator(std::span<const std::byte> payload) {
  Scanner scanner(payload);
  const auto comm = static_cast<op::CommId>(scanner.number_up_to(UINT32_MAX));
  Communicator made;
  made.first_group = static_cast<std::uint32_t>(scanner.number_up_to(UINT32_MAX));
  made.size = static_cast<std::uint32_t>(scanner.number_up_to(members_left_));
  std::uint64_t members = 0;
  while (!scanner.at_end()) {
    Run run{};
    run.length = static_cast<std::uint32_t>(scanner.number_up_to(made.size - members));
    run.first = static_cast<std::int32_t>(scanner.signed_number());
    run.apart = scanner.signed_number();
    members += run.length;
    made.runs.push_back(run);
  }
  if (scanner.failed() || members != made.size || made.first_group > made.size)
    return report_damage(concat("the members of communicator ", comm, " are not well formed"));
  members_left_ -= made.size;
  communicators_[comm] = std::move(made);
}

void File::take_local_calls(std::span<const std::byte> payload) {
  Scanner scanner(payload);
  std::vector<orrery_trace_local_calls> taken;
  const auto rank = static_cast<std::uint32_t>(scanner.number_up_to(UINT32_MAX));
  while (!scanner.at_end()) {
    orrery_trace_local_calls calls{};
    calls.phase = static_cast<std::uint32_t>(scanner.number_up_to(INT32_MAX));
    calls.routine = static_cast<std::uint32_t>(scanner.number_up_to(UINT16_MAX));
    calls.calls = scanner.number();
    calls.time_ns = scanner.number();
    taken.push_back(calls);
  }
  if (scanner.failed()) return report_damage(concat("the local calls of rank ", rank, " are not well formed"));
  std::vector<orrery_trace_local_calls>& of_rank = local_calls_[rank];
  of_rank.insert(of_rank.end(), taken.begin(), taken.end());
}

std::span<const orrery_trace_local_calls> File::local_calls(std::uint32_t rank) const {
  const auto found = local_calls_.find(rank);
  if (found == local_calls_.end()) return {};
  return found->second;
}

void File::sort(std::vector<Place> blocks) {
  const std::uint64_t most = size() / bytes_of_rank + ranks_without_bytes;
  const auto beyond = [&](const Place& place) { return place.rank >= most; };
  if (std::erase_if(blocks, beyond) > 0) report_damage("there are blocks of ranks that cannot be");
  for (const Place& place : blocks) streams_ = std::max(streams_, place.rank + 1);
  const auto order = [](const Place& place) { return std::tuple(place.rank, place.sequence, place.offset); };
  if (!std::is_sorted(blocks.begin(), blocks.end(), [&](auto& a, auto& b) { return order(a) < order(b); }))
    std::sort(blocks.begin(), blocks.end(), [&](auto& a, auto& b) { return order(a) < order(b); });
  first_.assign(streams_ + 1u, 0);
  std::uint32_t next = 0;
  const Place* before = nullptr;
  for (const Place& place : blocks) {
    if (before == nullptr || before->rank != place.rank) next = 0;
    before = &place;
    // What comes after a missing block cannot be used: the stream ends there.
    if (place.sequence != next) continue;
    ++next;
    places_.push_back({place.offset, place.end});
    ++first_[place.rank + 1u];
  }
  for (std::size_t rank = 0; rank < streams_; ++rank) first_[rank + 1] += first_[rank];
}

void File::report_damage(std::string what) {
  constexpr std::size_t most = 16;  // the rest would say the same
  if (damage_.size() < most && std::find(damage_.begin(), damage_.end(), what) == damage_.end())
    damage_.push_back(std::move(what));
}

std::vector<std::uint32_t> File::cut_off() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t rank = 0; rank < streams_; ++rank) {
    const std::uint32_t count = blocks(rank);
    const auto last = count == 0 ? std::nullopt : chunk_of(places_[first_[rank] + count - 1]);
    if (!last || (last->head.flags & ORRERY_TRACE_LAST) == 0) found.push_back(rank);
  }
  return found;
}

std::string_view File::property(std::string_view key) const {
  const auto found =
      std::find_if(properties_.begin(), properties_.end(), [&](auto& pair) { return pair.first == key; });
  return found == properties_.end() ? std::string_view{} : found->second;
}

const std::map<std::uint32_t, std::string>& File::names(orrery_trace_table table) const {
  static const std::map<std::uint32_t, std::string> empty;
  const auto found = names_.find(table);
  return found == names_.end() ? empty : found->second;
}

std::string_view File::name(orrery_trace_table table, std::uint32_t number) const {
  const auto& all = names(table);
  const auto found = all.find(number);
  return found == all.end() ? std::string_view{} : found->second;
}

const File::Communicator* File::communicator(op::CommId comm) const {
  const auto found = communicators_.find(comm);
  return found == communicators_.end() ? nullptr : &found->second;
}

std::uint32_t File::blocks(std::uint32_t rank) const {
  return rank >= streams_ ? 0 : static_cast<std::uint32_t>(first_[rank + 1u] - first_[rank]);
}

std::optional<File::Block> File::block(std::uint32_t rank, std::uint32_t number) const {
  if (number >= blocks(rank)) return {};
  const auto chunk = chunk_of(places_[first_[rank] + number]);
  if (!chunk || chunk->head.kind != ORRERY_TRACE_BLOCK || chunk->head.rank != rank || !intact(*chunk)) return {};
  if (chunk->head.codec != ORRERY_TRACE_PLAIN || chunk->head.unpacked != chunk->head.bytes) return {};
  return Block{chunk->payload, chunk->head.records, (chunk->head.flags & ORRERY_TRACE_LAST) != 0};
}

std::vector<File::DamagedBlock> File::damaged_blocks() const {
  std::vector<DamagedBlock> found;
  for (std::uint32_t rank = 0; rank < streams_; ++rank) {
    std::uint32_t number = 0;
    while (block(rank, number)) ++number;
    if (number < blocks(rank)) found.push_back({rank, places_[first_[rank] + number].offset});
  }
  return found;
}

}  // namespace orrery::trace
