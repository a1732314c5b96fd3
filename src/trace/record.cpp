// SPDX-License-Identifier: BSD-3-Clause
#include "trace/record.hpp"

namespace orrery::trace {

orrery_trace_record record_of(const op::Operation& o) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(o.kind);
  r.mode = static_cast<std::uint8_t>(o.mode);
  r.collective = static_cast<std::uint8_t>(o.collective);
  r.flags = o.flags;
  r.routine = o.routine;
  r.algorithm = o.algorithm;
  r.peer = o.peer;
  r.tag = o.tag;
  r.comm = o.comm;
  r.request = o.request;
  r.compute_s = o.compute_s;
  r.instructions = o.measured.instructions;
  r.faults = o.measured.faults;
  r.warm = o.measured.warm;
  r.site = o.measured.site;
  r.bytes = o.bytes.count;
  r.element = o.element;
  r.extent = o.extent;
  r.requests = o.requests.data();
  r.requests_length = static_cast<std::uint32_t>(o.requests.size());
  r.counts = o.counts.data();
  r.counts_length = static_cast<std::uint32_t>(o.counts.size());
  r.begin_ns = r.end_ns = -1;
  return r;
}

orrery_trace_record record_of(const op::Operation& operation, const Beside& beside) {
  orrery_trace_record r = record_of(operation);
  r.site = beside.site;
  r.thread = beside.thread;
  r.datatype = beside.datatype;
  r.ran = beside.ran;
  r.begin_ns = beside.begin_ns;
  r.end_ns = beside.end_ns;
  return r;
}

orrery_trace_answer answer_of(const op::Reply& reply) {
  return {.flag = static_cast<std::uint8_t>(reply.flag),
          .source = reply.source,
          .tag = reply.tag,
          .sequence = reply.sequence,
          .bytes = reply.bytes.count,
          .thread = reply.thread,
          .completed = reply.completed.data(),
          .completed_length = static_cast<std::uint32_t>(reply.completed.size())};
}

}  // namespace orrery::trace
