// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>
#include <unordered_map>

#include "base/error.hpp"
#include "trace/goal/schedule.hpp"

/// GOAL as text, line by line:
///
///     num_ranks 2
///     rank 0 {
///     l1: calc 100 cpu 0
///     l2: send 8b to 1 tag 5 cpu 0 nic 0
///     l2 requires l1
///     l3: recv 8b from 1
///     l3 irequires l2
///     }
///
/// Labels and what follows the peer may be left out; `//` and `/* */` are comments; source and tag of a receive may be
/// -1.
namespace orrery::trace::goal {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::vector<std::byte> parse() {
    skip_empty();
    expect("num_ranks");
    const auto ranks = static_cast<std::uint32_t>(number(1u << 30));
    // A rank takes a line of its own: a few bytes cannot ask for all memory.
    if (ranks == 0 || ranks > text_.size() / 4 + 1)
      refuse(concat("num_ranks ", ranks, " in a file of ", text_.size(), " bytes"));
    ranks_ = ranks;
    BinaryWriter writer(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      skip_empty();
      expect("rank");
      const std::uint64_t found = number(ranks - 1);
      if (found != rank) refuse(concat("rank ", found, ", expected rank ", rank, ": ranks come in their order"));
      expect("{");
      writer.add(read_rank());
    }
    skip_empty();
    if (at_ != text_.size()) refuse("something behind the last rank");
    return writer.take();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(concat(path_, ", line ", line_, ": ", what));
  }

  Draft read_rank() {
    Draft draft;
    labels_.clear();
    goes_back_ = false;
    for (;;) {
      skip_empty();
      if (accept("}")) {
        if (goes_back_) refuse_circle(draft);
        return draft;
      }
      const std::string_view first = word("an operation, a label, or }");
      if (accept(":")) {
        add_operation(draft, word("send, recv or calc"));
        labels_[first] = static_cast<std::uint32_t>(draft.nodes.size() - 1);
      } else if (first == "send" || first == "recv" || first == "calc") {
        add_operation(draft, first);
      } else {
        const std::string_view how = word("requires or irequires");
        if (how != "requires" && how != "irequires")
          refuse(concat("\"", how, "\", expected : or requires or irequires"));
        const Draft::Edge edge{labelled(word("a label")), labelled(first)};
        goes_back_ = goes_back_ || edge.from >= edge.to;
        (how == "requires" ? draft.after_end : draft.after_begin).push_back(edge);
      }
      end_line();
    }
  }

  /// Refuses operations that wait for each other in a circle. Without one that requires what is defined behind it there
  /// is none.
  void refuse_circle(const Draft& draft) const {
    std::vector<std::vector<std::uint32_t>> required(draft.nodes.size()), dependent(draft.nodes.size());
    for (const auto* edges : {&draft.after_end, &draft.after_begin}) {
      for (const Draft::Edge& edge : *edges) {
        required[edge.to].push_back(edge.from);
        dependent[edge.from].push_back(edge.to);
      }
    }
    std::vector<std::size_t> left(draft.nodes.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t node = 0; node < draft.nodes.size(); ++node) {
      if ((left[node] = required[node].size()) == 0) ready.push_back(node);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const std::uint32_t next : dependent[ready[i]])
        if (--left[next] == 0) ready.push_back(next);
    }
    if (ready.size() == draft.nodes.size()) return;
    // Each operation that never begins requires another one: going from one to the next comes to the circle. What each
    // requires is looked through once.
    std::vector<std::optional<std::uint32_t>> known(draft.nodes.size());
    const auto waits_for = [&](std::uint32_t node) {
      if (!known[node])
        known[node] = *std::ranges::find_if(required[node], [&](std::uint32_t before) { return left[before] > 0; });
      return *known[node];
    };
    auto node =
        static_cast<std::uint32_t>(std::ranges::find_if(left, [](std::size_t n) { return n > 0; }) - left.begin());
    for (std::size_t i = 0; i < draft.nodes.size(); ++i) node = waits_for(node);
    refuse(describe_circle(node, waits_for));
  }

  template <class WaitsFor>
  std::string describe_circle(std::uint32_t first, WaitsFor&& waits_for) const {
    constexpr int most_named = 6;
    std::unordered_map<std::uint32_t, std::string_view> names;
    for (const auto& [label, number] : labels_) names[number] = label;
    std::string said;
    int named = 0;
    std::uint32_t node = first;
    do {
      const std::uint32_t next = waits_for(node);
      if (++named <= most_named) said += concat(said.empty() ? "" : ", ", names[node], " requires ", names[next]);
      node = next;
    } while (node != first);
    return concat("operations of this rank wait for each other in a circle: ", said, named > most_named ? ", ..." : "");
  }

  void add_operation(Draft& draft, std::string_view what) {
    Node node;
    if (what == "calc") {
      node.kind = Kind::Compute;
      node.size = number(INT64_MAX);
    } else if (what == "send" || what == "recv") {
      node.kind = what == "send" ? Kind::Send : Kind::Receive;
      node.size = number(Schedule::most_bytes);
      expect("b");
      expect(what == "send" ? "to" : "from");
      node.peer = what == "recv" && accept("-1") ? any : static_cast<std::uint32_t>(number(ranks_ - 1));
      if (accept("tag")) node.tag = accept("-1") ? any : static_cast<std::uint32_t>(number(UINT32_MAX));
    } else {
      refuse(concat("\"", what, "\", expected send, recv or calc"));
    }
    if (accept("cpu")) node.cpu = static_cast<std::uint8_t>(number(254));
    if (node.kind != Kind::Compute && accept("nic")) node.nic = static_cast<std::uint8_t>(number(254));
    draft.nodes.push_back(node);
  }

  std::uint32_t labelled(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) refuse(concat("label ", label, " is not defined before it is used"));
    return found->second;
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size());
    if (text_.substr(at_, 2) != "/*") return;
    const std::size_t end = text_.find("*/", at_);
    if (end == std::string_view::npos) refuse("a comment that does not end");
    for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    skip_spaces();
  }

  void skip_empty() {
    for (skip_spaces(); at_ < text_.size() && text_[at_] == '\n'; skip_spaces()) ++at_, ++line_;
  }

  void end_line() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] != '\n') refuse(concat("\"", rest(), "\", expected the end of the line"));
  }

  std::string_view rest() const {
    const std::size_t end = std::min(text_.find('\n', at_), at_ + 40);
    return text_.substr(at_, end - at_);
  }

  std::string_view word(std::string_view expected) {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == at_) refuse(concat("\"", rest(), "\", expected ", expected));
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  bool accept(std::string_view wanted) {
    skip_spaces();
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    const std::size_t end = at_ + wanted.size();
    if (is_word(wanted.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  void expect(std::string_view wanted) {
    if (!accept(wanted)) refuse(concat("\"", rest(), "\", expected ", wanted));
  }

  std::uint64_t number(std::uint64_t most) {
    skip_spaces();
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) refuse(concat("\"", rest(), "\", expected a number"));
    if (value > most) refuse(concat(value, ", expected at most ", most));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::uint32_t ranks_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  bool goes_back_ = false;  ///< an operation of this rank requires itself or one that is defined behind it
};

std::string shown(std::uint32_t number) { return number == any ? "-1" : std::to_string(number); }

}  // namespace

std::vector<std::byte> translate(std::string_view text, const std::string& path) { return Parser(text, path).parse(); }

void write_text(const Schedule& schedule, std::ostream& out) {
  out << "num_ranks " << schedule.ranks() << "\n";
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    out << "\nrank " << rank << " {\n";
    for (std::uint32_t i = 0; i < schedule.nodes(rank); ++i) {
      const Node node = schedule.node(rank, i);
      out << "l" << i + 1 << ": ";
      if (node.kind == Kind::Compute) {
        out << "calc " << node.size;
      } else {
        out << (node.kind == Kind::Send ? "send " : "recv ") << node.size << "b "
            << (node.kind == Kind::Send ? "to " : "from ") << shown(node.peer) << " tag " << shown(node.tag);
      }
      if (node.cpu != 0 || node.nic != 0) out << " cpu " << int{node.cpu};
      if (node.nic != 0) out << " nic " << int{node.nic};
      out << "\n";
    }
    for (std::uint32_t i = 0; i < schedule.nodes(rank); ++i) {
      const Node node = schedule.node(rank, i);
      for (std::uint32_t k = 0; k < node.after_end; ++k)
        out << "l" << schedule.dependent(rank, node.first_after_end + k) + 1 << " requires l" << i + 1 << "\n";
      for (std::uint32_t k = 0; k < node.after_begin; ++k)
        out << "l" << schedule.dependent(rank, node.first_after_begin + k) + 1 << " irequires l" << i + 1 << "\n";
    }
    out << "}\n";
  }
}

}  // namespace orrery::trace::goal
