// SPDX-License-Identifier: BSD-3-Clause
#include "trace/decoder.hpp"

#include "trace/block.h"

namespace orrery::trace {
namespace {

static_assert(static_cast<int>(op::Kind::Collective) == ORRERY_TRACE_KIND_COLLECTIVE);

}  // namespace

std::uint64_t Decoder::first_defined(const File& file) {
  constexpr std::uint64_t in_version_1 = 2;
  return file.version() == 1 ? in_version_1 : std::uint64_t{ORRERY_TRACE_FIRST_DEFINED};
}

bool Decoder::open_block() {
  const auto block = file_->block(rank_, begun_);
  if (!block) return false;
  ++begun_;
  saw_last_ = block->last;
  block_ = block->payload;
  scanner_ = Scanner(block_);
  last_end_ns_ = 0;
  definitions_.clear();
  return true;
}

/// Whether there is another record, in this block or the next that has one.
bool Decoder::more() {
  while (scanner_.at_end()) {
    if (ended_ || saw_last_ || !open_block()) return false;
  }
  return true;
}

Decoder::What Decoder::end(bool damaged) {
  ended_ = true;
  cut_off_ = damaged || !saw_last_;
  scanner_ = {};
  return What::End;
}

bool Decoder::answer_follows() {
  if (!more()) return false;
  Scanner peek = scanner_;
  return peek.number() >> 4 == ORRERY_TRACE_ANSWER;
}

Decoder::What Decoder::next() {
  if (ended_ || !more()) return end(false);
  std::uint64_t head = scanner_.number();
  op::Measurement measured;
  if (first_defined_ > ORRERY_TRACE_MEASURED && head >> 4 == ORRERY_TRACE_MEASURED) {
    measured.faults = static_cast<std::uint32_t>(scanner_.number_up_to(UINT32_MAX));
    measured.instructions = scanner_.number();
    measured.warm = static_cast<std::uint16_t>(scanner_.number_up_to(op::Measurement::most_warm));
    head = scanner_.number();
  }
  const auto parts = static_cast<unsigned>(head & 15);
  const std::uint64_t what = head >> 4;
  if (what == ORRERY_TRACE_ANSWER) {
    read_answer();
    return scanner_.failed() ? end(true) : What::Answer;
  }
  if (what == ORRERY_TRACE_DEFINE) {
    const auto place = static_cast<std::uint32_t>(block_.size() - scanner_.left());
    read_definition(scanner_);
    const std::int32_t step = operation_.kind == op::Kind::Collective ? 1 : 0;
    definitions_.push_back({place, -step});  // so that 0 is expected
    read_parts(parts, definitions_.back());
  } else {
    const std::uint64_t number = what - first_defined_;
    if (number >= definitions_.size()) return end(true);
    Definition& definition = definitions_[number];
    Scanner from(block_.subspan(definition.place));
    read_definition(from);
    read_parts(parts, definition);
  }
  measured.site = beside_.site;
  operation_.measured = measured;
  return scanner_.failed() ? end(true) : What::Operation;
}

/// @param list so many as are said, if they can be there: each takes a byte at least
template <class T>
void Decoder::read_list(Scanner& from, std::vector<T>& list) {
  const std::uint64_t length = from.number_up_to(from.left());
  list.clear();
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    value += static_cast<std::uint64_t>(from.signed_number());
    list.push_back(static_cast<T>(value));
  }
}

void Decoder::read_definition(Scanner& from) {
  op::Operation& o = operation_;
  o = {};
  const std::uint8_t kind = from.byte();
  const auto fields = static_cast<unsigned>(from.number_up_to(ORRERY_TRACE_ALL_FIELDS));
  if (kind >= op::operation_kinds) from.fail();
  o.kind = static_cast<op::Kind>(kind);
  beside_ = {};
  if (fields & ORRERY_TRACE_MODE) {
    const std::uint8_t mode = from.byte();
    if (mode >= op::modes) from.fail();
    o.mode = static_cast<op::Mode>(mode);
  }
  if (fields & ORRERY_TRACE_COLLECTIVE) {
    const std::uint8_t collective = from.byte();
    if (collective >= op::collective_kinds) from.fail();
    o.collective = static_cast<op::CollectiveKind>(collective);
  }
  if (fields & ORRERY_TRACE_FLAGS) o.flags = from.byte();
  if (fields & ORRERY_TRACE_ROUTINE) o.routine = static_cast<op::RoutineId>(from.number_up_to(UINT16_MAX));
  if (fields & ORRERY_TRACE_ALGORITHM) o.algorithm = static_cast<std::uint16_t>(from.number_up_to(UINT16_MAX));
  if (fields & ORRERY_TRACE_PEER) o.peer = static_cast<std::int32_t>(from.signed_number());
  if (fields & ORRERY_TRACE_IN_COMM) o.comm = static_cast<op::CommId>(from.number_up_to(UINT32_MAX));
  if (fields & ORRERY_TRACE_REQUEST) o.request = static_cast<op::RequestId>(from.number_up_to(UINT32_MAX));
  if (fields & ORRERY_TRACE_BYTES) o.bytes.count = from.signed_number();
  if (fields & ORRERY_TRACE_ELEMENT) o.element = from.signed_number();
  if (fields & ORRERY_TRACE_REQUESTS) {
    read_list(from, requests_);
    o.requests = requests_;
  }
  if (fields & ORRERY_TRACE_COUNTS) {
    read_list(from, counts_);
    o.counts = counts_;
  }
  if (fields & ORRERY_TRACE_SITE) beside_.site = static_cast<std::uint32_t>(from.number_up_to(UINT32_MAX));
  if (fields & ORRERY_TRACE_DATATYPE) beside_.datatype = static_cast<std::uint32_t>(from.number_up_to(UINT32_MAX));
  if (fields & ORRERY_TRACE_RAN) beside_.ran = static_cast<std::uint32_t>(from.number_up_to(UINT32_MAX));
  if (fields & ORRERY_TRACE_EXTENT) o.extent = from.signed_number();
  if (fields & ORRERY_TRACE_BY_THREAD) beside_.thread = static_cast<std::uint32_t>(from.number_up_to(UINT32_MAX));
  if (from.failed()) scanner_.fail();
}

void Decoder::read_parts(unsigned parts, Definition& definition) {
  op::Operation& o = operation_;
  if (parts & ORRERY_TRACE_COMPUTE_NS) {
    o.compute_s = static_cast<double>(scanner_.number_up_to(INT64_MAX)) * 1e-9;
  } else if (parts & ORRERY_TRACE_COMPUTE_DOUBLE) {
    o.compute_s = scanner_.real();
    if (!(o.compute_s >= 0 && o.compute_s < 1e18)) scanner_.fail();
  }
  const std::int64_t step = o.kind == op::Kind::Collective ? 1 : 0;
  std::int64_t tag = definition.tag + step;
  if (parts & ORRERY_TRACE_TAG) tag += scanner_.signed_number() % (std::int64_t{1} << 33);
  o.tag = definition.tag = static_cast<std::int32_t>(tag);
  if (parts & ORRERY_TRACE_STAMP) {
    const auto begin = static_cast<std::uint64_t>(last_end_ns_) + static_cast<std::uint64_t>(scanner_.signed_number());
    beside_.begin_ns = static_cast<std::int64_t>(begin);
    beside_.end_ns = last_end_ns_ = static_cast<std::int64_t>(begin + scanner_.number());
  }
}

void Decoder::read_answer() {
  answer_ = {};
  const std::uint8_t parts = scanner_.byte();
  if (parts > ORRERY_TRACE_ALL_ANSWERS) scanner_.fail();
  answer_.flag = (parts & ORRERY_TRACE_YES) != 0;
  if (parts & ORRERY_TRACE_MESSAGE) {
    answer_.source = static_cast<std::int32_t>(scanner_.signed_number());
    answer_.tag = static_cast<std::int32_t>(scanner_.signed_number());
    answer_.sequence = static_cast<std::uint32_t>(scanner_.number_up_to(UINT32_MAX));
    answer_.bytes.count = scanner_.signed_number();
  }
  if (parts & ORRERY_TRACE_COMPLETED) {
    read_list(scanner_, completed_);
    answer_.completed = completed_;
  }
  if (parts & ORRERY_TRACE_THREAD) answer_.thread = static_cast<std::uint32_t>(scanner_.number_up_to(UINT32_MAX));
}

}  // namespace orrery::trace
