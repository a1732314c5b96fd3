// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/mapped.hpp"

/// GOAL (Hoefler, Siebert, Lumsdaine 2009, doi:10.1109/ICPP.2009.70): for each rank a graph of computations, sends and
/// receives, with what each of them requires. The format of LogGOPSim and ATLAHS, as text and as binary.
namespace orrery::trace::goal {

enum class Kind : std::uint8_t { Send = 1, Receive = 2, Compute = 3 };

inline constexpr std::uint32_t any = ~std::uint32_t{0};  ///< source or tag of a receive

/// One operation of a rank.
struct Node {
  std::uint32_t required = 0;  ///< how many others have to be over, or begun, before it
  Kind kind = Kind::Compute;
  std::uint8_t cpu = 0, nic = 0;
  std::uint32_t peer = 0, tag = 0;
  std::uint64_t size = 0;                                ///< bytes; of a computation nanoseconds
  std::uint32_t after_end = 0;                           ///< how many wait for its end,
  std::uint32_t first_after_end = 0;                     ///< and the first of them in the rank's list
  std::uint32_t after_begin = 0, first_after_begin = 0;  ///< the same for its begin
};

/// The graphs of all ranks, in the binary format, wherever they came from: a file, or a text that was translated. Nodes
/// are read where they lie; nothing is kept for each of them.
///
/// The binary format: u64 4223, u32 ranks, two bytes: largest numbers of processors and of network interfaces; for each
/// rank u64 begin and u64 end of its graph, counted from byte 8; then the graphs: u32 nodes, u32 nodes that require
/// nothing, u32 each of these, the nodes (39 bytes, packed), and the list that their `first_after_...` count in, u32
/// each.
class Schedule {
 public:
  /// Whether the bytes are the beginning of the binary format.
  [[nodiscard]] static bool is_binary(std::string_view bytes);
  /// Either form. @throws InputError naming the file, and the line, and what is wrong
  [[nodiscard]] static Schedule open(const std::string& path);
  /// The binary form. @throws InputError naming `name` and what is wrong
  [[nodiscard]] static Schedule of(std::vector<std::byte> bytes, const std::string& name);

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(graphs_.size()); }
  [[nodiscard]] std::uint32_t cpus() const { return cpus_; }
  [[nodiscard]] std::uint32_t nics() const { return nics_; }
  [[nodiscard]] std::uint64_t nodes() const { return first_node_.back(); }  ///< of all ranks
  [[nodiscard]] std::uint32_t nodes(std::uint32_t rank) const { return graphs_[rank].nodes; }
  /// The number of the rank's first node, among all nodes, rank after rank.
  [[nodiscard]] std::uint64_t first_node(std::uint32_t rank) const { return first_node_[rank]; }
  /// The `number`th of the nodes that require nothing.
  [[nodiscard]] std::uint32_t root(std::uint32_t rank, std::uint32_t number) const {
    return read32(graphs_[rank].start + 8 + 4 * std::size_t{number});
  }
  [[nodiscard]] std::uint32_t roots(std::uint32_t rank) const { return graphs_[rank].roots; }
  [[nodiscard]] Node node(std::uint32_t rank, std::uint32_t number) const { return decode(place(rank, number)); }
  /// Asks for its memory: it will be read soon.
  void prefetch(std::uint32_t rank, std::uint32_t number) const {
    const std::byte* const at = place(rank, number);
    __builtin_prefetch(at);
    __builtin_prefetch(at + node_bytes - 1);
  }
  [[nodiscard]] Kind kind(std::uint32_t rank, std::uint32_t number) const {
    return static_cast<Kind>(place(rank, number)[4]);
  }
  [[nodiscard]] std::uint32_t required(std::uint32_t rank, std::uint32_t number) const {
    return read32(place(rank, number));
  }
  /// An entry of the rank's list.
  [[nodiscard]] std::uint32_t dependent(std::uint32_t rank, std::uint32_t entry) const {
    const Graph& graph = graphs_[rank];
    return read32(graph.start + graph.list + 4 * std::size_t{entry});
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  static constexpr std::size_t node_bytes = 39;
  static constexpr std::uint64_t magic = 4223;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 53;  ///< of a message: up to there doubles are exact

 private:
  struct Graph {
    const std::byte* start = nullptr;
    std::uint32_t nodes = 0, roots = 0;
    std::uint64_t list = 0;  ///< where its list begins, from `start`
  };

  void index(const std::string& path);
  void check(const std::string& path, std::uint32_t rank, std::uint64_t list_entries) const;
  template <class Refuse>
  void check_requirements(const std::vector<std::uint32_t>& named, std::uint32_t rank, const Refuse& refuse) const;
  [[nodiscard]] const std::byte* place(std::uint32_t rank, std::uint32_t number) const {
    const Graph& graph = graphs_[rank];
    return graph.start + 8 + 4 * std::size_t{graph.roots} + node_bytes * number;
  }
  static Node decode(const std::byte* at);
  static std::uint32_t read32(const std::byte* at) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  std::shared_ptr<const Mapped> mapped_;
  std::shared_ptr<const std::vector<std::byte>> translated_;
  std::span<const std::byte> bytes_;
  std::vector<Graph> graphs_;
  std::vector<std::uint64_t> first_node_;
  std::uint32_t cpus_ = 1, nics_ = 1;
};

inline Node Schedule::decode(const std::byte* at) {
  Node node;
  node.required = read32(at);
  node.kind = static_cast<Kind>(at[4]);
  node.peer = read32(at + 5);
  std::memcpy(&node.size, at + 9, sizeof node.size);
  node.tag = read32(at + 17);
  node.cpu = static_cast<std::uint8_t>(at[21]);
  node.nic = static_cast<std::uint8_t>(at[22]);
  node.after_end = read32(at + 23);
  node.first_after_end = read32(at + 27);
  node.after_begin = read32(at + 31);
  node.first_after_begin = read32(at + 35);
  return node;
}

/// From text to the binary form. @throws InputError naming `path`, the line, and what was expected
[[nodiscard]] std::vector<std::byte> translate(std::string_view text, const std::string& path);

/// Writes the text form.
void write_text(const Schedule& schedule, std::ostream& out);

/// The operations of one rank, as they are put together for the binary form.
struct Draft {
  struct Edge {
    std::uint32_t from, to;
  };
  std::vector<Node> nodes;        ///< without what they require
  std::vector<Edge> after_end;    ///< `to` begins after the end of `from`
  std::vector<Edge> after_begin;  ///< `to` begins after the begin of `from`
};

/// Puts the graphs of the ranks, one after the other, into the binary form.
class BinaryWriter {
 public:
  explicit BinaryWriter(std::uint32_t ranks);
  void add(const Draft& draft);
  /// Once all are there.
  [[nodiscard]] std::vector<std::byte> take();

 private:
  void put(std::uint64_t value, int bytes);

  std::uint32_t ranks_;
  std::uint32_t added_ = 0;
  std::uint8_t cpu_ = 0, nic_ = 0;
  std::vector<std::byte> out_;
};

}  // namespace orrery::trace::goal
