// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "trace/file.hpp"
#include "trace/writer.h"

namespace orrery::trace {

/// A trace that is being written; without `close` it stays one that was cut off.
class NewFile {
 public:
  /// @throws InputError when it cannot be created
  NewFile(const std::string& path, std::uint32_t ranks);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] orrery_trace_writer* writer() const { return writer_; }
  /// @throws InputError when something could not be written
  void close();

 private:
  std::string path_;
  orrery_trace_writer* writer_;
};

/// Properties, names and communicators of one trace into another.
void copy_descriptions(const File& from, orrery_trace_writer* to);

/// World ranks of the members of a communicator, by rank.
[[nodiscard]] std::vector<std::int32_t> members_of(const File::Communicator& communicator);

}  // namespace orrery::trace
