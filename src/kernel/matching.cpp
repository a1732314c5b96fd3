// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/matching.hpp"

#include <algorithm>

namespace orrery::kernel {

Matching::Matching(Clock& clock, Pool<Message>& messages, Pool<Request>& requests, std::size_t ranks)
    : clock_(clock), messages_(messages), requests_(requests), ranks_(ranks) {}

RequestIndex Matching::deliver(MessageIndex index) {
  const Message& message = messages_[index];
  RankQueues& rank = at(message.dest);
  const RequestIndex named = first_posted(rank, message);
  const RequestIndex wildcard = first_wildcard(rank, message);
  const bool waits_for_envelope = is_earlier(wildcard, named);
  if (named != none && !waits_for_envelope) return named;
  enqueue(rank, index);
  if (waits_for_envelope) announce(index);
  return none;
}

MessageIndex Matching::post(RequestIndex index) {
  const Request& request = requests_[index];
  RankQueues& rank = at(request.rank);
  if (request.source == op::any_source) return post_wildcard(rank, index);
  const MessageIndex found = first_unexpected(rank, request);
  // A message whose envelope is still on its way belongs to an earlier receive of any source, if one accepts it.
  const bool free =
      found != none && (messages_[found].visible <= clock_.now || first_wildcard(rank, messages_[found]) == none);
  if (free) return found;
  append_posted(index);
  return none;
}

MessageIndex Matching::post_wildcard(RankQueues& rank, RequestIndex index) {
  const Request& request = requests_[index];
  for (MessageIndex m = rank.first_visible; m != none; m = messages_[m].next_visible) {
    if (!accepts(request, messages_[m])) continue;
    if (messages_[m].visible <= clock_.now) return m;
    announce(m);
  }
  append_posted(index);
  return none;
}

RequestIndex Matching::envelope_arrived(MessageIndex index) {
  const Message& message = messages_[index];
  RankQueues& rank = at(message.dest);
  const RequestIndex named = first_posted(rank, message);
  const RequestIndex wildcard = first_wildcard(rank, message);
  return is_earlier(wildcard, named) ? wildcard : named;
}

std::optional<Matching::Pair> Matching::next_behind(std::int32_t rank_index, Context context, std::int32_t source) {
  RankQueues& rank = at(rank_index);
  Pair pair;
  if (rank.unexpected.last(messages_, context, source) == none) return std::nullopt;
  const auto can_take = [&](const Request& request) {
    pair.message = first_unexpected(rank, request);
    if (pair.message == none) return false;
    const RequestIndex wildcard = first_wildcard(rank, messages_[pair.message]);
    return wildcard == none || requests_[wildcard].order > request.order;
  };
  pair.request = rank.posted.find(requests_, context, source, can_take);
  return pair.request == none ? std::nullopt : std::optional(pair);
}

void Matching::append_posted(RequestIndex index) {
  Request& request = requests_[index];
  RankQueues& rank = at(request.rank);
  request.posted = true;
  rank.posted.append(requests_, index);
  if (request.source == op::any_source) ++rank.wildcards;
}

void Matching::remove_posted(RequestIndex index) {
  Request& request = requests_[index];
  if (!request.posted) return;
  RankQueues& rank = at(request.rank);
  rank.posted.remove(requests_, index);
  if (request.source == op::any_source) --rank.wildcards;
  request.posted = false;
}

void Matching::remove_unexpected(MessageIndex index) {
  Message& message = messages_[index];
  if (!message.queued) return;
  RankQueues& rank = at(message.dest);
  rank.unexpected.remove(messages_, index);
  message.queued = false;
  unlink_visible(rank, index);
}

Unreceived Matching::unreceived() const {
  Unreceived found;
  for (const RankQueues& rank : ranks_) {
    for (MessageIndex m = rank.first_visible; m != none; m = messages_[m].next_visible) {
      const Message& message = messages_[m];
      if (found.messages++ == 0) found.source = message.source, found.dest = message.dest;
      found.bytes.count += message.bytes.count;
    }
  }
  return found;
}

MessageIndex Matching::nearest(std::int32_t rank, const Queued& wanted) const {
  const auto differences = [&](const Message& message) {
    const bool source = wanted.source != message.source && wanted.source != op::any_source;
    const bool tag = wanted.tag != message.tag && wanted.tag != op::any_tag;
    return int{source} + int{tag} + int{wanted.context != message.context};
  };
  MessageIndex found = none;
  int fewest = 4;
  for (MessageIndex m = at(rank).first_visible; m != none; m = messages_[m].next_visible) {
    if (const int count = differences(messages_[m]); count < fewest) found = m, fewest = count;
  }
  return found;
}

MessageIndex Matching::unexpected_of(RequestIndex send) const {
  const Request& request = requests_[send];
  const RankQueues& receiver = at(request.peer);
  const auto is_its = [&](const Message& message) { return message.send_request == send; };
  MessageIndex found = receiver.unexpected.find(messages_, request.context, request.rank, is_its);
  for (const MessageIndex taken : receiver.taken) {
    if (is_its(messages_[taken])) found = taken;
  }
  return found;
}

MessageIndex Matching::first_arrived(std::int32_t rank, const Queued& wanted) {
  if (wanted.source != op::any_source) {  // of one source, they arrive in the order in which they were sent
    const MessageIndex first = first_unexpected(rank, wanted);
    return first != none && messages_[first].visible <= clock_.now ? first : none;
  }
  for (MessageIndex m = at(rank).first_visible; m != none; m = messages_[m].next_visible) {
    if (messages_[m].visible > clock_.now) return none;
    if (accepts(wanted, messages_[m])) return m;
  }
  return none;
}

void Matching::announce(MessageIndex index) {
  Message& message = messages_[index];
  if (message.announced) return;
  message.announced = true;
  clock_.queue.push(Event::envelope(std::max(clock_.now, message.visible), index, message.order));
}

void Matching::announce_all(std::int32_t rank, const Queued& wanted) {
  for (MessageIndex m = at(rank).first_visible; m != none; m = messages_[m].next_visible) {
    if (accepts(wanted, messages_[m])) announce(m);
  }
}

void Matching::announce_context(std::int32_t rank, Context context) {
  for (MessageIndex m = at(rank).first_visible; m != none; m = messages_[m].next_visible) {
    if (messages_[m].context == context) announce(m);
  }
}

void Matching::take(std::int32_t rank, MessageIndex message) {
  remove_unexpected(message);
  at(rank).taken.push_back(message);
}

MessageIndex Matching::untake(std::int32_t rank, std::int32_t source, std::uint32_t sequence) {
  std::vector<MessageIndex>& taken = at(rank).taken;
  const auto found = std::find_if(taken.begin(), taken.end(), [&](MessageIndex index) {
    return messages_[index].source == source && messages_[index].sequence == sequence;
  });
  if (found == taken.end()) return none;
  const MessageIndex message = *found;
  taken.erase(found);
  return message;
}

RequestIndex Matching::first_posted(RankQueues& rank, const Message& message) {
  return rank.posted.first_for(requests_, message, message.source);
}

RequestIndex Matching::first_wildcard(RankQueues& rank, const Message& message) {
  return rank.wildcards == 0 ? none : rank.posted.first_for(requests_, message, op::any_source);
}

MessageIndex Matching::first_unexpected(RankQueues& rank, const Queued& wanted) {
  return rank.unexpected.first_for(messages_, wanted, wanted.source);
}

/// Whether a receive of any source, if there is one, was posted before the one of a known source, if there is one.
bool Matching::is_earlier(RequestIndex wildcard, RequestIndex named) const {
  return wildcard != none && (named == none || requests_[wildcard].order < requests_[named].order);
}

void Matching::enqueue(RankQueues& rank, MessageIndex index) {
  Message& message = messages_[index];
  // An envelope does not overtake an earlier one of the same sender, though a longer latency regime may apply to that.
  const MessageIndex earlier = rank.unexpected.last(messages_, message.context, message.source);
  if (earlier != none) message.visible = std::max(message.visible, messages_[earlier].visible);
  rank.unexpected.append(messages_, index);
  message.queued = true;
  link_visible(rank, index);
}

/// In the order of arrival, among those that a probe may see: none of a collective.
void Matching::link_visible(RankQueues& rank, MessageIndex index) {
  Message& message = messages_[index];
  if (is_collective(message.context)) return;
  MessageIndex before = rank.last_visible;
  while (before != none && messages_[before].visible > message.visible) before = messages_[before].previous_visible;
  message.previous_visible = before;
  message.next_visible = before == none ? rank.first_visible : messages_[before].next_visible;
  (before == none ? rank.first_visible : messages_[before].next_visible) = index;
  (message.next_visible == none ? rank.last_visible : messages_[message.next_visible].previous_visible) = index;
}

void Matching::unlink_visible(RankQueues& rank, MessageIndex index) {
  const Message& message = messages_[index];
  if (is_collective(message.context)) return;
  (message.previous_visible == none ? rank.first_visible : messages_[message.previous_visible].next_visible) =
      message.next_visible;
  (message.next_visible == none ? rank.last_visible : messages_[message.next_visible].previous_visible) =
      message.previous_visible;
}

}  // namespace orrery::kernel
