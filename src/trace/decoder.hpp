// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "op/op.hpp"
#include "trace/file.hpp"
#include "trace/scanner.hpp"

namespace orrery::trace {

/// What a trace knows of an operation besides the operation itself.
struct Beside {
  std::uint32_t site = 0, datatype = 0, ran = 0;  ///< numbers in the tables of sites, datatypes, algorithms
  std::uint32_t thread = 0;                       ///< that called, in the file of a single captured rank
  std::int64_t begin_ns = -1, end_ns = -1;        ///< of the call, since the start of the run; -1: not known
};

/// The stream of one rank, record after record. About 200 bytes for each rank besides its longest list; definitions are
/// read anew from the block each time they are used, which is as quick as copying them and keeps a million ranks small.
class Decoder {
 public:
  enum class What : std::uint8_t {
    Operation,  ///< `operation()`
    Answer,     ///< `answer()`
    End,        ///< the stream is over, or cut off: `cut_off()`
  };

  /// @param first_block where the stream is read from: blocks are decoded without those before them
  Decoder(const File& file, std::uint32_t rank, std::uint32_t first_block = 0)
      : file_(&file), rank_(rank), begun_(first_block), first_defined_(first_defined(file)) {}

  /// Moves on to the next record. Spans stay valid until the record after the next of the same kind.
  What next();
  /// Whether the next record is an answer.
  [[nodiscard]] bool answer_follows();

  [[nodiscard]] const op::Operation& operation() const { return operation_; }
  [[nodiscard]] const Beside& beside() const { return beside_; }
  [[nodiscard]] const op::Reply& answer() const { return answer_; }
  [[nodiscard]] bool cut_off() const { return cut_off_; }  ///< once at the end
  /// Block that the next record is read from.
  [[nodiscard]] std::uint32_t blocks_begun() const { return begun_; }

 private:
  static std::uint64_t first_defined(const File& file);
  struct Definition {
    std::uint32_t place;
    std::int32_t tag;  ///< last time
  };

  bool more();
  bool open_block();
  What end(bool damaged);
  void read_definition(Scanner& from);
  void read_parts(unsigned parts, Definition& definition);
  void read_answer();
  template <class T>
  static void read_list(Scanner& from, std::vector<T>& list);

  const File* file_;
  std::uint32_t rank_;
  std::uint32_t begun_;
  std::uint64_t first_defined_;
  bool cut_off_ = false, ended_ = false;
  bool saw_last_ = false;
  std::span<const std::byte> block_;
  Scanner scanner_;
  std::int64_t last_end_ns_ = 0;
  std::vector<Definition> definitions_;
  std::vector<op::RequestId> requests_;
  std::vector<std::int64_t> counts_;
  std::vector<std::uint32_t> completed_;
  op::Operation operation_;
  Beside beside_;
  op::Reply answer_;
};

}  // namespace orrery::trace
