// SPDX-License-Identifier: BSD-3-Clause
/// Chunks of traces have checksums, which no mutation keeps. So mostly they are made right again, and what is behind
/// them gets tested; sometimes not, and what checks them does.
#include <cstdint>
#include <cstring>

#include "structured.hpp"
#include "trace/format.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

/// One chunk. @return how far it is to the next; 0: it is none
std::size_t seal(std::uint8_t* at, std::size_t left) {
  orrery_trace_chunk head;
  if (left < ORRERY_TRACE_CHUNK_HEAD_BYTES) return 0;
  std::memcpy(&head, at, sizeof head);
  const std::size_t room = left - ORRERY_TRACE_CHUNK_HEAD_BYTES;
  if (head.magic != ORRERY_TRACE_CHUNK_MAGIC || head.bytes > room) return 0;
  const std::uint64_t of_head = orrery_trace_checksum(at, 32, 0);
  const std::uint64_t checksum = orrery_trace_checksum(at + ORRERY_TRACE_CHUNK_HEAD_BYTES, head.bytes, of_head);
  std::memcpy(at + 32, &checksum, sizeof checksum);
  return ORRERY_TRACE_CHUNK_HEAD_BYTES + (head.bytes + std::size_t{7}) / 8 * 8;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  size = seed % 2 == 0 ? LLVMFuzzerMutate(data, size, most) : orrery::fuzz::restructure(data, size, most, seed);
  if (seed % 8 < 2) return size;
  for (std::size_t at = ORRERY_TRACE_HEAD_BYTES; at < size;) {
    const std::size_t length = seal(data + at, size - at);
    at += length == 0 ? 8 : length;
  }
  return size;
}
