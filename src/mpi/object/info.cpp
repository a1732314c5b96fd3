// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/info.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/process/process.hpp"

namespace orrery::mpi {

namespace {

Info& checked_info(Info* info) {
  if (info == nullptr) throw Error{err_info, "the info object is MPI_INFO_NULL"};
  return *info;
}

/// Keys lose the blanks around them, as in all implementations: Fortran pads with them.
std::string checked_key(const char* key) {
  std::string text = key == nullptr ? "" : key;
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  if (text.empty()) throw Error{err_info_key, "the key is empty"};
  if (text.size() >= static_cast<std::size_t>(max_info_key)) {
    throw Error{err_info_key, concat("the key has ", text.size(), " characters, at most ", max_info_key - 1)};
  }
  return text;
}

/// Copies at most `room` characters and a zero.
void copy_text(const std::string& text, std::size_t room, char* to) {
  const auto length = std::min(text.size(), room);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

void set(Info& info, const std::string& key, std::string value) {
  const auto entry = std::ranges::find(info.entries, key, &std::pair<std::string, std::string>::first);
  if (entry != info.entries.end()) {
    entry->second = std::move(value);
  } else {
    info.entries.emplace_back(key, std::move(value));
  }
}

/// The command line of this process: the program, and its arguments separated by blanks.
std::pair<std::string, std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command;
  std::string arguments;
  std::getline(file, command, '\0');
  for (std::string argument; std::getline(file, argument, '\0');) {
    arguments += (arguments.empty() ? "" : " ") + argument;
  }
  return {command, arguments};
}

}  // namespace

const std::string* Info::find(const std::string& key) const {
  const auto entry = std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
  return entry == entries.end() ? nullptr : &entry->second;
}

void info_create(Info*& info) { info = new Info; }

void info_set(Info* info, const char* key, const char* value) {
  if (value == nullptr) throw Error{err_info_value, "the value is a null pointer"};
  if (std::strlen(value) >= static_cast<std::size_t>(max_info_val)) {
    throw Error{err_info_value,
                concat("the value has ", std::strlen(value), " characters, at most ", max_info_val - 1)};
  }
  set(checked_info(info), checked_key(key), value);
}

void info_delete(Info* info, const char* key) {
  const auto name = checked_key(key);
  if (std::erase_if(checked_info(info).entries, [&](const auto& entry) { return entry.first == name; }) == 0) {
    throw Error{err_info_nokey, concat("there is no key ", name)};
  }
}

void info_get(Info* info, const char* key, int length, char* value, bool& flag) {
  if (length < 0) throw Error{err_arg, concat("the length of the value is ", length)};
  const auto* found = checked_info(info).find(checked_key(key));
  flag = found != nullptr;
  if (flag) copy_text(*found, static_cast<std::size_t>(length), value);
}

void info_get_string(Info* info, const char* key, int& length, char* value, bool& flag) {
  if (length < 0) throw Error{err_arg, concat("the length of the buffer is ", length)};
  const auto* found = checked_info(info).find(checked_key(key));
  flag = found != nullptr;
  if (!flag) return;
  if (length > 0) copy_text(*found, static_cast<std::size_t>(length) - 1, value);
  length = static_cast<int>(found->size()) + 1;
}

void info_get_valuelen(Info* info, const char* key, int& length, bool& flag) {
  const auto* found = checked_info(info).find(checked_key(key));
  flag = found != nullptr;
  if (flag) length = static_cast<int>(found->size());
}

void info_get_nkeys(Info* info, int& count) { count = static_cast<int>(checked_info(info).entries.size()); }

void info_get_nthkey(Info* info, int n, char* key) {
  const auto& entries = checked_info(info).entries;
  if (n < 0 || static_cast<std::size_t>(n) >= entries.size()) {
    throw Error{err_arg, concat("key ", n, " of an info object with ", entries.size())};
  }
  copy_text(entries[static_cast<std::size_t>(n)].first, static_cast<std::size_t>(max_info_key) - 1, key);
}

void info_dup(Info* info, Info*& copy) { copy = new Info(checked_info(info)); }

void info_free(Info*& info) {
  delete &checked_info(info);
  info = nullptr;
}

void keep_known(Info*& kept, const Info* given, std::span<const std::string_view> known) {
  if (given == nullptr) return;
  for (const auto& [key, value] : given->entries) {
    if (std::ranges::find(known, key) == known.end()) continue;
    if (kept == nullptr) info_create(kept);
    set(*kept, key, value);
  }
}

void info_create_env(Info*& info) {
  info = new Info;
  const auto [command, arguments] = command_line();
  set(*info, "command", command);
  set(*info, "argv", arguments);
  if (const auto ranks = ranks_of_run()) set(*info, "maxprocs", concat(*ranks));
  std::error_code failed;
  set(*info, "wdir", std::filesystem::current_path(failed).string());
  utsname system{};
  if (uname(&system) == 0) set(*info, "arch", system.machine);
}

}  // namespace orrery::mpi
