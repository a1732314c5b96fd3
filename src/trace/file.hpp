// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "op/op.hpp"
#include "trace/format.h"
#include "trace/mapped.hpp"

namespace orrery::trace {

/// A trace file, opened for reading: what is in it, and where. Blocks are checked when they are asked for.
///
/// Memory: 16 bytes for each block and 8 for each rank besides the file itself, which the system loads as it is read.
/// A file that was cut off, or is still being written, has no index; it is then looked through once.
class File {
 public:
  /// @throws InputError when it cannot be read, or is no trace, or of a later version
  explicit File(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return mapped_.bytes().size(); }
  [[nodiscard]] std::uint32_t version() const { return version_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }      ///< at the start of the run
  [[nodiscard]] std::uint32_t streams() const { return streams_; }  ///< those that were started later included
  [[nodiscard]] std::uint64_t records() const { return records_; }  ///< operations and answers of all ranks

  /// What is wrong with the file, one sentence each; empty: it is whole. Blocks that are read later may add to it.
  [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }
  void report_damage(std::string what);
  /// Ranks whose streams were cut off; found from the heads of their last blocks.
  [[nodiscard]] std::vector<std::uint32_t> cut_off() const;

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& properties() const { return properties_; }
  [[nodiscard]] std::string_view property(std::string_view key) const;  ///< empty if there is none
  /// Text of a number in a table; empty if there is none.
  [[nodiscard]] std::string_view name(orrery_trace_table table, std::uint32_t number) const;
  [[nodiscard]] const std::map<std::uint32_t, std::string>& names(orrery_trace_table table) const;

  /// Members of a communicator, as runs of ranks that are equally far apart.
  struct Run {
    std::uint32_t length;
    std::int32_t first;
    std::int64_t apart;
  };
  struct Communicator {
    std::uint32_t size = 0;
    std::uint32_t first_group = 0;
    std::vector<Run> runs = {};
  };
  /// Null if the file does not define it.
  [[nodiscard]] const Communicator* communicator(op::CommId comm) const;
  [[nodiscard]] const std::unordered_map<op::CommId, Communicator>& communicators() const { return communicators_; }

  /// Calls of a rank that are no operations of its stream, such as MPI_Comm_rank.
  [[nodiscard]] std::span<const orrery_trace_local_calls> local_calls(std::uint32_t rank) const;

  /// How many blocks the stream of a rank has.
  [[nodiscard]] std::uint32_t blocks(std::uint32_t rank) const;
  struct Block {
    std::span<const std::byte> payload;
    std::uint32_t records = 0;
    bool last = false;  ///< the stream ends here, and was not cut off
  };
  /// Nothing if the block is damaged.
  [[nodiscard]] std::optional<Block> block(std::uint32_t rank, std::uint32_t number) const;
  /// A block at which the stream of a rank ends, as it is damaged.
  struct DamagedBlock {
    std::uint32_t rank;
    std::uint64_t offset;  ///< in the file
  };
  /// The first one of each rank that has any. Cost: all blocks are read for it, up to those.
  [[nodiscard]] std::vector<DamagedBlock> damaged_blocks() const;

 private:
  struct Chunk {
    orrery_trace_chunk head;
    std::span<const std::byte> payload;
  };
  /// Where a block begins, and where the chunk behind it does, which it does not reach.
  struct Extent {
    std::uint64_t offset, end;
  };
  struct Place {
    std::uint64_t offset, end;
    std::uint32_t rank, sequence;
  };

  void read_head();
  bool read_index(std::vector<Place>& blocks);
  void look_through(std::vector<Place>& blocks);
  /// @param end  of the bytes that the chunk may have
  [[nodiscard]] std::optional<Chunk> chunk_at(std::uint64_t offset, std::uint64_t end = UINT64_MAX) const;
  [[nodiscard]] std::optional<Chunk> chunk_of(const Extent& extent) const {
    return chunk_at(extent.offset, extent.end);
  }
  [[nodiscard]] static bool intact(const Chunk& chunk);
  void take(const Chunk& chunk);
  void take_names(std::span<const std::byte> payload);
  void take_communicator(std::span<const std::byte> payload);
  void take_local_calls(std::span<const std::byte> payload);
  void sort(std::vector<Place> blocks);

  std::string path_;
  Mapped mapped_;
  std::uint32_t version_ = 0, ranks_ = 0, streams_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t members_left_ = 0;  ///< of communicators that the file may still define: bounds what they may take
  std::vector<std::string> damage_;
  std::vector<std::pair<std::string, std::string>> properties_;
  std::map<int, std::map<std::uint32_t, std::string>> names_;
  std::unordered_map<op::CommId, Communicator> communicators_;
  std::unordered_map<std::uint32_t, std::vector<orrery_trace_local_calls>> local_calls_;  ///< by rank
  std::vector<Extent> places_;        ///< of blocks, by rank and sequence
  std::vector<std::uint64_t> first_;  ///< by rank: its first in `places_`
};

}  // namespace orrery::trace
