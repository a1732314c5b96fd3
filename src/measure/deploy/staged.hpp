// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "deploy.hpp"

namespace orrery::deploy {

/// Bytes of one element if that is a type of MPI's own without gaps, whose elements may lie where the program has them;
/// 0: its data have to be packed.
[[nodiscard]] std::int64_t plain_size(MPI_Datatype type);

/// Bytes of a call, as `collective::Call::bytes`: the same on all its ranks.
[[nodiscard]] std::int64_t shared_bytes(const Arguments& arguments, bool at_root);

/// How many blocks of that size the larger buffer of any rank has.
[[nodiscard]] std::int64_t most_blocks(CollectiveKind kind, int size);

/// The buffers of a call as algorithms know them: `Input`, which is never written, and `Output`. Where the program has
/// its data otherwise (in place, with gaps), they are copied.
class Staged {
 public:
  Staged(const Arguments& arguments, int self, int size, std::int64_t bytes);

  [[nodiscard]] const char* input() const { return input_; }
  [[nodiscard]] char* output() const { return output_; }
  [[nodiscard]] std::int64_t output_bytes() const { return out_blocks_ * bytes_; }

  /// Brings to the program what it gets.
  void deliver();

 private:
  void stage_input();
  void stage_output();
  void copy_input(const char* from, MPI_Count count, MPI_Datatype type);

  Arguments arguments_;
  int self_;
  std::int64_t bytes_;
  std::int64_t in_blocks_, out_blocks_;
  bool at_root_;
  const char* input_ = nullptr;
  char* output_ = nullptr;
  bool unpacks_ = false;
  std::vector<char> given_, got_;
};

}  // namespace orrery::deploy
