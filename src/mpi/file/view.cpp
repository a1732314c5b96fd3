// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/view.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/datatype/walk.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

/// Joins parts that touch before it hands them on.
class Joined {
 public:
  explicit Joined(const View::Visit& visit) : visit_(visit) {}
  void add(std::int64_t offset, std::int64_t bytes) {
    if (offset != offset_ + bytes_) {
      flush();
      offset_ = offset;
    }
    bytes_ += bytes;
  }
  void flush() {
    if (bytes_ > 0) visit_(offset_, bytes_);
    bytes_ = 0;
  }

 private:
  const View::Visit& visit_;
  std::int64_t offset_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

View::View() = default;

View::View(std::int64_t displacement, std::int64_t etype_bytes, const Shape& filetype)
    : displacement_(displacement),
      etype_bytes_(std::max<std::int64_t>(etype_bytes, 1)),
      filetype_(without_types(filetype.layout)),
      extent_(filetype.extent()),
      size_(filetype.size()),
      reach_(filetype.true_ub) {
  const bool one_run = filetype_ && filetype_->is_run();
  dense_ = one_run && size_ == extent_;
  if (dense_) displacement_ += filetype_->places[0].displacement;
}

void View::check_reach(std::int64_t position) const {
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(position / size_, extent_, &offset) ||
      __builtin_add_overflow(offset, displacement_, &offset) || __builtin_add_overflow(offset, reach_, &offset)) {
    throw Error{err_arg, concat("position ", position, " of the view lies beyond what a file can have")};
  }
}

void View::parts(std::int64_t position, std::int64_t bytes, const Visit& visit) const {
  if (bytes == 0 || size_ == 0) return;
  if (dense_) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(displacement_, position + bytes, &end)) {
      throw Error{err_arg, concat("position ", position, " of the view lies beyond what a file can have")};
    }
    return visit(displacement_ + position, bytes);
  }
  check_reach(position + bytes - 1);
  Joined joined(visit);
  auto take = [&](std::int64_t offset, std::int64_t run, const Basic*) { joined.add(offset, run); };
  const std::int64_t end = position + bytes;
  for (std::int64_t copy = position / size_; copy * size_ < end; ++copy) {
    const std::int64_t from = std::max<std::int64_t>(position - copy * size_, 0);
    const std::int64_t to = std::min(end - copy * size_, size_);
    visit_range(*filetype_, displacement_ + copy * extent_, from, to, take);
  }
  joined.flush();
}

std::int64_t View::offset_of(std::int64_t position) const {
  std::int64_t found = displacement_;
  parts(position, 1, [&](std::int64_t offset, std::int64_t) { found = offset; });
  return found;
}

std::int64_t View::etypes_before(std::int64_t offset) const {
  const std::int64_t seen = offset - displacement_;
  if (seen <= 0 || size_ == 0) return 0;
  std::int64_t bytes = seen;
  if (!dense_) {
    const std::int64_t copies = extent_ > 0 ? seen / extent_ : 0;
    const std::int64_t rest = seen - copies * extent_;
    bytes = copies * size_;
    auto count = [&](std::int64_t at, std::int64_t run, const Basic*) {
      bytes += std::clamp<std::int64_t>(rest - at, 0, run);
    };
    visit_range(*filetype_, 0, 0, size_, count);
  }
  return (bytes + etype_bytes_ - 1) / etype_bytes_;
}

void check_layout_for_files(const Shape& shape, const char* what, bool writable) {
  if (!shape.layout) return;
  std::int64_t previous = 0;
  std::int64_t end = 0;
  auto check = [&](std::int64_t at, std::int64_t run, const Basic*) {
    if (at < 0) throw Error{err_io, concat("the ", what, " has a negative displacement: ", at)};
    if (at < previous) throw Error{err_io, concat("the displacements of the ", what, " decrease")};
    if (writable && at < end)
      throw Error{err_io, concat("the ", what, " overlaps itself, and the file can be written")};
    previous = at;
    end = at + run;
  };
  visit_range(*shape.layout, 0, 0, shape.layout->size, check);
}

}  // namespace orrery::mpi
