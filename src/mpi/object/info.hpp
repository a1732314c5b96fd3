// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/types.hpp"

/// Info objects (MPI-4.1, chapter 10): unique keys and their values, in the order in which the keys were first set.
namespace orrery::mpi {

struct Info {
  std::vector<std::pair<std::string, std::string>> entries;

  /// The value of a key, or null.
  [[nodiscard]] const std::string* find(const std::string& key) const;
};

/// Lengths of the standard ABI, each with the terminating zero.
inline constexpr int max_info_key = 256;
inline constexpr int max_info_val = 1024;

void info_create(Info*& info);
/// @throws Error when key or value is too long; the same for the routines below, which also throw without a key
void info_set(Info* info, const char* key, const char* value);
/// @throws Error (MPI_ERR_INFO_NOKEY) when there is no such key
void info_delete(Info* info, const char* key);
/// `value` has room for `length` characters and the terminating zero.
void info_get(Info* info, const char* key, int length, char* value, bool& flag);
/// `length`: in, room in `value` including the zero (0: only ask); out, the room that the whole value needs.
void info_get_string(Info* info, const char* key, int& length, char* value, bool& flag);
void info_get_valuelen(Info* info, const char* key, int& length, bool& flag);
void info_get_nkeys(Info* info, int& count);
void info_get_nthkey(Info* info, int n, char* key);
void info_dup(Info* info, Info*& copy);
void info_free(Info*& info);
/// Sets those hints of `given` whose keys are `known`, in `kept`: what is asked for it later are the hints that were
/// not ignored (MPI-4.1, section 7.4.4). Others in `kept` stay. Either may be null; `kept` is made when it has to be.
void keep_known(Info*& kept, const Info* given, std::span<const std::string_view> known);
/// What MPI_INFO_ENV holds, as a new object: how this process was started.
void info_create_env(Info*& info);

}  // namespace orrery::mpi
