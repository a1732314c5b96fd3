// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "mpi/datatype/object.hpp"
#include "mpi/error/errors.hpp"

/// How many elements a number of bytes is, and the reverse (MPI-4.1, sections 3.2.5 and 5.1.11).
namespace orrery::mpi {
namespace {

/// Basic elements in the first `bytes` of the packed form of `node`; nothing if the last one is cut.
std::optional<std::int64_t> elements_in(const Node& node, std::int64_t bytes) {
  const std::int64_t step = node.size_of_repetition();
  std::int64_t elements = bytes / step * (node.elements / node.count);
  std::int64_t rest = bytes % step;
  for (std::size_t i = 0; rest > 0; ++i) {
    const std::int64_t here = std::min(rest, node.size_at(i));
    const Part& part = node.part(i);
    if (part.basic == nullptr) {
      const auto within = elements_in(*part.child, here);
      if (!within) return std::nullopt;
      elements += *within;
    } else {
      if (here % part.basic->size != 0) return std::nullopt;
      elements += here / part.basic->size;
    }
    rest -= here;
  }
  return elements;
}

/// Bytes of the first `elements` basic elements of `node`.
std::int64_t bytes_of(const Node& node, std::int64_t elements) {
  const std::int64_t step = node.elements / node.count;
  std::int64_t bytes = elements / step * node.size_of_repetition();
  std::int64_t rest = elements % step;
  for (std::size_t i = 0; rest > 0; ++i) {
    const std::int64_t here = std::min(rest, node.elements_at(i));
    const Part& part = node.part(i);
    bytes += part.basic != nullptr ? here * part.basic->size : bytes_of(*part.child, here);
    rest -= here;
  }
  return bytes;
}

}  // namespace

void get_count(const Status& status, const Datatype& type, std::int64_t& count) {
  const std::int64_t size = size_of(type);
  if (size == 0) {
    count = status.bytes == 0 ? 0 : undefined;
  } else {
    count = status.bytes % size == 0 ? status.bytes / size : undefined;
  }
}

void get_elements(const Status& status, const Datatype& type, std::int64_t& count) {
  const Layout& layout = type.shape.layout;
  if (!layout) {
    count = status.bytes == 0 ? 0 : undefined;
    return;
  }
  const auto partial = elements_in(*layout, status.bytes % layout->size);
  count = partial ? status.bytes / layout->size * layout->elements + *partial : undefined;
}

void status_set_elements(Status& status, const Datatype& type, std::int64_t count) {
  if (count < 0) throw Error{err_count, concat("number of elements is negative: ", count)};
  const Layout& layout = type.shape.layout;
  if (!layout && count > 0) throw Error{err_type, "the datatype has no elements"};
  if (!layout) {
    status.bytes = 0;
    return;
  }
  status.bytes = count / layout->elements * layout->size + bytes_of(*layout, count % layout->elements);
}

}  // namespace orrery::mpi
