// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/error/codes.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/types.hpp"

namespace orrery::mpi {

namespace {

ErrorCodes::Added& added(int code) {
  auto& table = locals().codes.added;
  const auto found = table.find(code);
  if (found == table.end()) throw Error{err_arg, concat("error code ", code, " was not added by the program")};
  return found->second;
}

bool is_predefined_code(int code) { return code >= success && code <= last_predefined_class; }

int add(int error_class) {
  auto& local = locals();
  const int code = ++local.codes.last_used;
  local.codes.added[code] = {error_class == success ? code : error_class, ""};
  local.predefined.lastusedcode = code;
  return code;
}

bool is_class(int code) { return is_predefined_code(code) || added(code).error_class == code; }

}  // namespace

void error_class(int code, int& error_class) {
  error_class = is_predefined_code(code) ? code : added(code).error_class;
}

std::string error_text(int code) {
  if (is_predefined_code(code)) return concat(error_class_name(code), ": ", error_class_text(code));
  return added(code).text;
}

void error_string(int code, char* text, int& length) {
  const auto whole = error_text(code);
  const auto shown = std::min(whole.size(), static_cast<std::size_t>(max_error_string) - 1);
  std::memcpy(text, whole.data(), shown);
  text[shown] = '\0';
  length = static_cast<int>(shown);
}

void add_error_class(int& error_class) { error_class = add(success); }

void add_error_code(int error_class, int& code) {
  if (!is_class(error_class)) throw Error{err_arg, concat(error_class, " is an error code but not a class")};
  code = add(error_class);
}

void add_error_string(int code, const char* text) {
  if (std::strlen(text) >= static_cast<std::size_t>(max_error_string)) {
    throw Error{err_arg, concat("the text has ", std::strlen(text), " characters, at most ", max_error_string - 1)};
  }
  added(code).text = text;
}

void remove_error_class(int error_class) {
  if (added(error_class).error_class != error_class) {
    throw Error{err_arg, concat(error_class, " is an error code but not a class")};
  }
  auto& table = locals().codes.added;
  const auto uses = [&](const auto& entry) {
    return entry.first != error_class && entry.second.error_class == error_class;
  };
  if (!added(error_class).text.empty()) throw Error{err_arg, concat("class ", error_class, " still has a text")};
  if (std::ranges::any_of(table, uses)) throw Error{err_arg, concat("class ", error_class, " still has error codes")};
  table.erase(error_class);
}

void remove_error_code(int code) {
  if (added(code).error_class == code) throw Error{err_arg, concat(code, " is an error class")};
  if (!added(code).text.empty()) throw Error{err_arg, concat("code ", code, " still has a text")};
  locals().codes.added.erase(code);
}

void remove_error_string(int code) { added(code).text.clear(); }

}  // namespace orrery::mpi
