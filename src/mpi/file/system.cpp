// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/file/file.hpp"

namespace orrery::mpi {
namespace {

constexpr mode_t permissions = 0666;  // less what the user's mask takes away
/// Linux moves at most 2,147,479,552 bytes at once.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

int class_of(int error_number) {
  switch (error_number) {
    case ENOENT: return err_no_such_file;
    case EEXIST: return err_file_exists;
    case EACCES:
    case EPERM: return err_access;
    case EROFS: return err_read_only;
    case ENOSPC: return err_no_space;
    case EDQUOT: return err_quota;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return err_bad_file;
    case ETXTBSY:
    case EBUSY: return err_file_in_use;
    case ENOMEM: return err_no_mem;
    default: return err_io;
  }
}

int access_flags(int amode) {
  if ((amode & mode_rdwr) != 0) return O_RDWR;
  return (amode & mode_wronly) != 0 ? O_WRONLY : O_RDONLY;
}

}  // namespace

std::string real_name(const char* name) {
  if (name == nullptr) throw Error{err_bad_file, "the name of the file is a null pointer"};
  std::string_view rest = name;
  for (const std::string_view prefix : {"ufs:", "nfs:", "xfs:", "gpfs:", "lustre:", "panfs:", "pvfs2:", "testfs:"}) {
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      break;
    }
  }
  if (rest.empty()) throw Error{err_bad_file, "the name of the file is empty"};
  if (rest.size() >= PATH_MAX) throw Error{err_bad_file, concat("the name of the file has ", rest.size(), " bytes")};
  return std::string(rest);
}

Error system_error(const char* action, const std::string& name, int error_number) {
  return {class_of(error_number), concat("cannot ", action, " ", name, ": ", std::strerror(error_number))};
}

int open_file(const std::string& name, int amode, bool create) {
  int flags = access_flags(amode) | O_CLOEXEC;
  if (create && (amode & mode_create) != 0) flags |= O_CREAT;
  if (create && (amode & mode_excl) != 0) flags |= O_EXCL;
  const int descriptor = open(name.c_str(), flags, permissions);
  if (descriptor < 0) throw system_error("open", name, errno);
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    throw system_error("open", name, EISDIR);
  }
  return descriptor;
}

void delete_file(const std::string& name) {
  if (unlink(name.c_str()) != 0) throw system_error("delete", name, errno);
}

std::int64_t size_of_file(int descriptor, const std::string& name) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw system_error("look at", name, errno);
  return status.st_size;
}

void resize_file(int descriptor, const std::string& name, std::int64_t size) {
  if (ftruncate(descriptor, size) != 0) throw system_error("resize", name, errno);
}

void reserve_space(int descriptor, const std::string& name, std::int64_t size) {
  if (size == 0) return;
  if (const int error = posix_fallocate(descriptor, 0, size); error != 0) {
    throw system_error("reserve space for", name, error);
  }
}

void write_fully(int descriptor, const std::string& name, std::span<const std::byte> data, std::int64_t offset) {
  while (!data.empty()) {
    const ssize_t written = pwrite(descriptor, data.data(), std::min(data.size(), most_at_once), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("write to", name, errno);
    if (written == 0) throw system_error("write to", name, ENOSPC);
    data = data.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
}

std::int64_t read_fully(int descriptor, const std::string& name, std::span<std::byte> data, std::int64_t offset) {
  std::int64_t total = 0;
  while (!data.empty()) {
    const ssize_t got = pread(descriptor, data.data(), std::min(data.size(), most_at_once), offset + total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read from", name, errno);
    if (got == 0) break;
    data = data.subspan(static_cast<std::size_t>(got));
    total += got;
  }
  return total;
}

}  // namespace orrery::mpi
