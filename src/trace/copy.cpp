// SPDX-License-Identifier: BSD-3-Clause
#include "trace/copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace orrery::trace {

NewFile::NewFile(const std::string& path, std::uint32_t ranks)
    : path_(path), writer_(orrery_trace_create(path.c_str(), ranks)) {
  if (writer_ == nullptr) throw InputError(concat(path, ": ", std::strerror(errno), ": cannot write the trace"));
}

NewFile::~NewFile() {
  if (writer_ != nullptr) orrery_trace_abandon(writer_);
}

void NewFile::close() {
  const int error = orrery_trace_close(std::exchange(writer_, nullptr));
  if (error != 0) throw InputError(concat(path_, ": ", std::strerror(error), ": the trace is not complete"));
}

std::vector<std::int32_t> members_of(const File::Communicator& communicator) {
  std::vector<std::int32_t> members;
  members.reserve(communicator.size);
  for (const File::Run& run : communicator.runs) {
    // Of a damaged file they may be any numbers: without a sign, those that are too large wrap.
    const auto apart = static_cast<std::uint64_t>(run.apart);
    for (std::uint32_t i = 0; i < run.length; ++i)
      members.push_back(static_cast<std::int32_t>(static_cast<std::uint64_t>(run.first) + apart * i));
  }
  return members;
}

/// A chunk for each run of numbers without a gap.
static void copy_names(const File& from, orrery_trace_writer* to, orrery_trace_table table) {
  const std::map<std::uint32_t, std::string>& names = from.names(table);
  for (auto name = names.begin(); name != names.end();) {
    const std::uint32_t first = name->first;
    std::vector<const char*> texts;
    for (; name != names.end() && name->first == first + texts.size(); ++name) texts.push_back(name->second.c_str());
    orrery_trace_names(to, table, first, texts.data(), static_cast<std::uint32_t>(texts.size()));
  }
}

void copy_descriptions(const File& from, orrery_trace_writer* to) {
  for (const auto& [key, value] : from.properties()) orrery_trace_property(to, key.c_str(), value.c_str());
  for (int table = ORRERY_TRACE_ROUTINES; table <= ORRERY_TRACE_PHASES; ++table)
    copy_names(from, to, static_cast<orrery_trace_table>(table));
  std::vector<op::CommId> in_order;
  for (const auto& [number, known] : from.communicators()) in_order.push_back(number);
  std::sort(in_order.begin(), in_order.end());
  for (const op::CommId number : in_order) {
    const File::Communicator& known = *from.communicator(number);
    const std::vector<std::int32_t> members = members_of(known);
    orrery_trace_communicator(to, number, known.first_group, members.data(),
                              static_cast<std::uint32_t>(members.size()));
  }
}

}  // namespace orrery::trace
