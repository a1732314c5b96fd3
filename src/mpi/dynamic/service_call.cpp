// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/dynamic/service_call.hpp"

#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

ServiceAnswer ask_service(channel::ServiceKind kind, const std::vector<std::string>& words, int error_class,
                          op::CommId comm) {
  Rank& rank = this_rank();
  const std::string joined = channel::join(words);
  op::Operation request{.kind = op::Kind::Service};
  request.tag = static_cast<std::int32_t>(kind);
  request.comm = comm;
  request.bytes = {static_cast<std::int64_t>(channel::put_text(rank.memory(), joined))};
  request.element = static_cast<std::int64_t>(joined.size());
  const channel::ReplySlot& reply = rank.ask(request);
  ServiceAnswer answer{.number = reply.tag, .text = {}};
  const bool done = reply.flag != 0;
  const auto place = static_cast<channel::Offset>(reply.bytes);
  if (place != 0) answer.text = channel::take_text(rank.memory(), place, reply.sequence);
  if (!done) throw Error{error_class, answer.text};
  return answer;
}

}  // namespace orrery::mpi
