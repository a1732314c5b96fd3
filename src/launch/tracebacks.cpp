// SPDX-License-Identifier: BSD-3-Clause
#include "launch/tracebacks.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "launch/ranks_text.hpp"

namespace orrery::launch {
namespace {

/// What the lines begin with by which Python opens its last words: an exception, several, one of a thread, an error of
/// syntax.
constexpr std::array<std::string_view, 4> openings = {
    "Traceback (most recent call last):", "  + Exception Group Traceback (most recent call last):",
    "Exception in thread ", "  File \""};

/// What stands behind the name of the interpreter when it cannot even begin.
constexpr std::array<std::string_view, 2> refusals = {": can't open file '", ": No module named "};

bool opens(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto begins = [&](std::string_view words) { return line.starts_with(words); };
  const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
  return std::ranges::any_of(openings, begins) || std::ranges::any_of(refusals, has);
}

/// Where the first line of a traceback begins; the length of the text when there is none.
std::size_t first_opening(std::string_view text) {
  for (std::size_t line = 0; line < text.size();) {
    if (opens(text.substr(line))) return line;
    const std::size_t newline = text.find('\n', line);
    if (newline == std::string_view::npos) break;
    line = newline + 1;
  }
  return text.size();
}

/// Whether the last line is not that of an exception, which begins at the margin.
bool is_cut_off(std::string_view text) {
  if (!text.ends_with('\n')) return true;
  text.remove_suffix(1);
  const std::string_view last = text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
  return last.starts_with(' ') || opens(last);
}

/// The text up to the end of the first line from `place` on that is one of an exception; all of it if there is none.
std::string up_to_exception(const std::string& text, std::size_t place) {
  for (std::size_t newline; (newline = text.find('\n', place)) != std::string::npos; place = newline + 1) {
    if (!is_cut_off(std::string_view(text).substr(0, newline + 1))) return text.substr(0, newline + 1);
  }
  return text;
}

/// The traceback that both texts begin with, if what follows it differs; nothing: they have none in common, or one that
/// led to another one, behind a blank line.
std::string_view shared_traceback(std::string_view text, std::string_view other) {
  if (!opens(text)) return {};
  const auto [here, there] = std::ranges::mismatch(text, other);
  std::string_view shared = text.substr(0, static_cast<std::size_t>(here - text.begin()));
  shared = shared.substr(0, shared.rfind('\n') + 1);  // npos + 1 is 0
  while (!shared.empty() && (is_cut_off(shared) || shared.ends_with("\n\n")))
    shared = shared.substr(0, shared.substr(0, shared.size() - 1).rfind('\n') + 1);
  const auto goes_on = [&](std::string_view whole) { return whole.substr(shared.size()).starts_with('\n'); };
  return goes_on(text) || goes_on(other) ? std::string_view{} : shared;
}

/// The last line that has something in it: of a traceback the exception.
std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string_view::npos) return {};
  const std::size_t begin = text.rfind('\n', end) + 1;  // npos + 1 is 0
  return text.substr(begin, end + 1 - begin);
}

}  // namespace

void Tracebacks::feed(std::int32_t rank, std::string_view text, Time now) {
  const auto of_rank = [&] { return std::ranges::find(held_, rank, &Held::rank); };
  auto held = of_rank();
  if (held == held_.end()) {
    const std::size_t opening = first_opening(text);
    if (opening > 0) deliver_(text.substr(0, opening));
    if (opening == text.size()) return;
    held_.push_back({rank, {}, now + held_for});
    held = held_.end() - 1;
    text.remove_prefix(opening);
  }
  held->text += text;
  if (held->text.size() <= longest) return;
  for (; held != held_.end(); held = of_rank()) deliver_with_equals(held->text);
}

std::optional<Tracebacks::Time> Tracebacks::due() const {
  if (held_.empty()) return {};
  return held_.front().due;
}

void Tracebacks::deliver_due(Time now) {
  while (!held_.empty() && held_.front().due <= now) deliver_with_equals(held_.front().text);
}

void Tracebacks::finish() {
  complete_cut_off();
  while (!held_.empty()) deliver_with_equals(held_.front().text);
}

void Tracebacks::complete_cut_off() {
  for (Held& part : held_) {
    if (!is_cut_off(part.text)) continue;
    const auto goes_on = [&](const Held& other) {
      return !is_cut_off(other.text) && other.text.starts_with(part.text);
    };
    const auto whole = std::ranges::find_if(held_, goes_on);
    if (whole != held_.end()) part.text = up_to_exception(whole->text, part.text.size());
  }
}

void Tracebacks::deliver_with_equals(std::string text) {
  for (const Held& held : held_) {
    if (!is_cut_off(held.text) && text.starts_with(held.text)) text = held.text;
  }
  for (const Held& held : held_) {
    if (held.text.starts_with(text)) continue;
    if (const std::string_view shared = shared_traceback(text, held.text); !shared.empty()) text = std::string(shared);
  }
  std::vector<std::int32_t> ranks;
  for (Held& held : held_) {
    if (!held.text.starts_with(text)) continue;
    ranks.push_back(held.rank);
    held.text.erase(0, text.size());
  }
  std::erase_if(held_, [](const Held& held) { return held.text.empty(); });
  std::ranges::sort(ranks);
  const std::string shown = known_.contains(text) ? concat("as before, ", last_line(text), "\n") : text;
  const std::string whose = ranks_text(ranks) + ": ";
  const bool says_so = shown.starts_with(whose);  // as lines of Orrery's own do
  deliver_(concat(says_so ? "" : whose, shown, shown.ends_with('\n') ? "" : "\n"));
  remember(text);
}

void Tracebacks::remember(const std::string& text) {
  if (known_bytes_ + text.size() > most_known) return;
  if (known_.insert(text).second) known_bytes_ += text.size();
}

}  // namespace orrery::launch
