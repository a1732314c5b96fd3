// SPDX-License-Identifier: BSD-3-Clause
#include "trace/mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace orrery::trace {

Mapped::Mapped(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat state {};
  if (descriptor < 0 || fstat(descriptor, &state) != 0) {
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    throw InputError(concat(path, ": ", std::strerror(error)));
  }
  if (!S_ISREG(state.st_mode)) {
    close(descriptor);
    throw InputError(concat(path, ": is no file; expected one that can be read at any place"));
  }
  const auto size = static_cast<std::size_t>(state.st_size);
  if (size > 0) {
    void* const place = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    close(descriptor);
    if (place == MAP_FAILED) throw InputError(concat(path, ": ", std::strerror(error)));
    bytes_ = {static_cast<const std::byte*>(place), size};
  } else {
    close(descriptor);
  }
}

Mapped::~Mapped() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace orrery::trace
