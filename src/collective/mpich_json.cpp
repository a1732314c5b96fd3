// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "collective/mpich_rules.hpp"

namespace orrery::collective {
namespace {

constexpr std::string_view collective_key = "collective=";
constexpr std::string_view algorithm_key = "algorithm=";
constexpr std::string_view composition_key = "composition=";

/// The algorithm out of "MPIR_Bcast_intra_binomial": what comes after the kind of communicator.
std::string_view short_name(std::string_view function) {
  for (const std::string_view kind : {"_intra_", "_allcomm_", "_inter_"}) {
    const std::size_t at = function.find(kind);
    if (at != std::string_view::npos) return function.substr(at + kind.size());
  }
  return function;
}

/// A reader of objects in objects, which is all that tuning files consist of.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  MpichRules rules;

  void read() {
    object([this](std::string key) {
      if (!key.starts_with(collective_key)) refuse("expected \"collective=...\" and found \"", key, "\"");
      level(0, key.substr(collective_key.size()));
    });
    blanks();
    if (!text_.empty()) refuse("expected the end of the file");
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(const Args&... what) const {
    throw InputError(concat("line ", line_, ": ", what...));
  }

  /// What belongs to a condition: more conditions, or an algorithm with its settings.
  void level(int depth, const std::string& condition) {
    const int line = line_;
    const std::string_view before = text_;
    std::string answer = peek_answer();
    text_ = before;
    line_ = line;
    const bool inter = condition == "comm_type=inter";
    if (inter) {  // they are not ours to choose
      skip();
      return;
    }
    rules.add(depth, condition, answer, line);
    if (!answer.empty()) {
      skip();
      return;
    }
    object([this, depth](std::string key) { level(depth + 1, key); });
  }

  std::string peek_answer() {
    std::string answer;
    object([&](std::string key) {
      const bool composition = key.starts_with(composition_key);
      if (composition || key.starts_with(algorithm_key)) {
        answer = short_name(std::string_view(key).substr((composition ? composition_key : algorithm_key).size()));
        object([&](std::string setting) {
          answer += " " + setting;
          skip();
        });
      } else {
        skip();
      }
    });
    return answer;
  }

  void skip() {
    object([this](std::string) { skip(); });
  }

  /// Calls `member(key)` for each member, which reads the value.
  template <class Member>
  void object(Member member) {
    expect('{');
    if (accept('}')) return;
    do {
      std::string name = key();
      expect(':');
      member(std::move(name));
    } while (accept(','));
    expect('}');
  }

  /// Without blanks, which mean nothing.
  std::string key() {
    expect('"');
    const std::size_t end = std::min(text_.find_first_of("\"\n"), text_.size());
    std::string name(text_.substr(0, end));
    text_.remove_prefix(end);
    expect('"');
    std::erase(name, ' ');
    return name;
  }

  void blanks() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
      if (text_.front() == '\n') ++line_;
      text_.remove_prefix(1);
    }
  }
  bool accept(char wanted) {
    blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (accept(wanted)) return;
    const std::string found = text_.empty() ? "the end of the file" : concat("\"", text_.substr(0, 1), "\"");
    refuse("expected '", std::string_view(&wanted, 1), "' and found ", found);
  }

  std::string_view text_;
  int line_ = 1;
};

}  // namespace

MpichRules MpichRules::from_json(std::string_view json) {
  Reader reader(json);
  reader.read();
  return std::move(reader.rules);
}

}  // namespace orrery::collective
