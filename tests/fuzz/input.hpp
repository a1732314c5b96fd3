// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace orrery::fuzz {

/// Bytes as a file: readers map files, and are tested as they are. It is in memory only, and gone at the end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    for (std::size_t done = 0; descriptor_ >= 0 && done < size;) {
      const ssize_t written = write(descriptor_, data + done, size - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
  }
  ~Input() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace orrery::fuzz
