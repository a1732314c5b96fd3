// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/datatype/basic.hpp"

/// Where the data of a datatype is: its type map, in normal form.
///
/// A node is `count` repetitions, `stride` bytes apart, of a list of places; at a place there is a run of basic
/// elements without gaps, or another node. A vector of a million blocks is one node, a struct one with as many places
/// as it has members, an array of structs that same node with a count. Adjacent runs are one run, loops that continue
/// each other one loop, and a long list at constant distances a loop, so that copying means few and long moves.
///
/// Lists keep 16 bytes per place, what lies there is kept once if it is everywhere the same.
namespace orrery::mpi {

struct Node;
using Layout = std::shared_ptr<const Node>;  ///< null: no data

/// A place in a repetition.
struct Place {
  std::int64_t displacement;  ///< of what lies there, in memory
  std::int64_t start;         ///< bytes of data before it in the repetition: its position in packed form
};

/// What lies at a place.
struct Part {
  const Basic* basic = nullptr;  ///< elements of a run; null: a node
  Layout child;

  friend bool operator==(const Part&, const Part&) = default;
};

struct Node {
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t size = 0;      ///< bytes of data, all repetitions
  std::int64_t elements = 0;  ///< basic elements, all repetitions
  std::int64_t run_size = 0;  ///< bytes of each run if all places are runs of one length, else 0
  std::vector<Place> places;  ///< and a last one that only says where the data of a repetition ends
  std::vector<Part> parts;    ///< one for all places, or one for each

  [[nodiscard]] std::size_t length() const { return places.size() - 1; }
  [[nodiscard]] const Part& part(std::size_t i) const { return parts.size() == 1 ? parts[0] : parts[i]; }
  [[nodiscard]] std::int64_t size_at(std::size_t i) const { return places[i + 1].start - places[i].start; }
  [[nodiscard]] std::int64_t elements_at(std::size_t i) const {
    const Part& there = part(i);
    return there.basic != nullptr ? size_at(i) / there.basic->size : there.child->elements;
  }
  [[nodiscard]] std::int64_t size_of_repetition() const { return places.back().start; }
  /// One run and nothing else.
  [[nodiscard]] bool is_run() const { return count == 1 && length() == 1 && parts[0].basic != nullptr; }
};

[[nodiscard]] inline std::int64_t size_of(const Layout& layout) { return layout ? layout->size : 0; }
[[nodiscard]] inline std::int64_t elements_of(const Layout& layout) { return layout ? layout->elements : 0; }

/// One element of `basic` at displacement 0.
[[nodiscard]] Layout element(const Basic& basic);
/// `count` copies, `stride` bytes apart.
[[nodiscard]] Layout repeat(const Layout& layout, std::int64_t count, std::int64_t stride);
/// The places of a layout, seen as bytes: types forgotten, runs of different types joined.
[[nodiscard]] Layout without_types(const Layout& layout);

/// Puts layouts side by side, in the order in which their data is packed.
class LayoutBuilder {
 public:
  /// `count` copies of `layout`, `stride` apart, the first at `displacement`.
  void add(std::int64_t displacement, const Layout& layout, std::int64_t count, std::int64_t stride);
  [[nodiscard]] Layout finish();

 private:
  void add(std::int64_t displacement, const Layout& layout);
  void add_run(std::int64_t displacement, std::int64_t bytes, const Basic* basic);
  void add_part(std::int64_t displacement, std::int64_t bytes, Part part);

  std::vector<Place> places_;
  std::vector<Part> parts_;  ///< one while all are the same
  std::int64_t size_ = 0;
};

}  // namespace orrery::mpi
