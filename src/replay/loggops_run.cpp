// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops_run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "trace/goal/schedule.hpp"

namespace orrery::replay {
namespace {

/// Four significant digits with the unit that suits, as orrery.units.show_time.
std::string show_time(double seconds) {
  struct Unit {
    double factor;
    const char* name;
  };
  static constexpr std::array units{Unit{1, " s"}, Unit{1e-3, " ms"}, Unit{1e-6, " us"}};
  if (seconds == 0) return "0 s";
  const auto* const unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& each) { return seconds >= each.factor; });
  std::array<char, 32> digits{};
  const double value = unit == units.end() ? seconds * 1e9 : seconds / unit->factor;
  const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 4).ptr;
  return std::string(digits.begin(), end) + (unit == units.end() ? " ns" : unit->name);
}

/// 1,234,567
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) digits.insert(place -= 3, 1, ',');
  return digits;
}

void put_line(std::string& out, std::string what, const std::string& value) {
  constexpr std::size_t width = 15;
  what.resize(std::max(what.size(), width), ' ');
  out += what + ' ' + value + '\n';
}

/// As JSON spells texts (RFC 8259, section 7).
std::string quoted(const std::string& text) {
  static constexpr char hexadecimal[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      out += "\\u00";
      out += hexadecimal[code >> 4];
      out += hexadecimal[code & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

/// The fewest digits that mean the same number.
std::string shortest(double number) {
  std::array<char, 32> digits{};
  return {digits.begin(), std::to_chars(digits.begin(), digits.end(), number).ptr};
}

std::string list_of(const std::vector<std::uint64_t>& numbers) {
  std::string out = "[";
  for (const std::uint64_t number : numbers) {
    if (out.size() > 1) out += ", ";
    out += std::to_string(number);
  }
  return out += ']';
}

}  // namespace

std::string LogGOPSRun::text() const {
  const auto last = std::max_element(result.end_ns.begin(), result.end_ns.end());
  const auto rate =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(result.events) / std::max(wall_s, 1e-9)));
  std::string out;
  put_line(out, "simulated time",
           show_time(static_cast<double>(*last) * 1e-9) + ": " + grouped(*last) + " ns, at rank " +
               std::to_string(last - result.end_ns.begin()));
  put_line(out, "ranks", grouped(result.end_ns.size()));
  put_line(out, "events", grouped(result.events) + ", " + grouped(rate) + " per second");
  put_line(out, "wall time", show_time(wall_s));
  put_line(out, "model", "LogGOPS " + (parameters.empty() ? "with the defaults of LogGOPSim" : parameters));
  if (!complete()) {
    put_line(
        out, "caution",
        grouped(result.unfinished) + " operations were not done, " + grouped(result.unmatched) + " found no match");
  }
  return out;
}

std::string LogGOPSRun::to_json() const {
  return "{\"schedule\": " + quoted(schedule) + ", \"parameters\": " + quoted(parameters) +
         ", \"end_ns\": " + list_of(result.end_ns) + ", \"events\": " + std::to_string(result.events) +
         ", \"unfinished\": " + std::to_string(result.unfinished) +
         ", \"unmatched\": " + std::to_string(result.unmatched) + ", \"wall_s\": " + shortest(wall_s) + "}\n";
}

LogGOPSRun run_loggops_file(const std::string& schedule, const std::string& parameters, const std::atomic<bool>* stop) {
  const auto begin = std::chrono::steady_clock::now();
  LogGOPSRun run{.schedule = schedule, .parameters = parameters, .result = {}};
  const LogGOPS model = LogGOPS::parse(parameters);
  run.result = run_loggops(trace::goal::Schedule::open(schedule), model, nullptr, stop);
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

}  // namespace orrery::replay
