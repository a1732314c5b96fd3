/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH64 after its specification (doc/xxhash_spec.md of github.com/Cyan4973/xxHash): about 10 GB/s, so that checking a
 * trace costs nothing beside reading it. */
#include <string.h>

#include "trace/format.h"

#define P1 0x9E3779B185EBCA87ull
#define P2 0xC2B2AE3D27D4EB4Full
#define P3 0x165667B19E3779F9ull
#define P4 0x85EBCA77C2B2AE63ull
#define P5 0x27D4EB2F165667C5ull

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t load(const unsigned char* p, int bytes) {
  uint64_t value = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(&value, p, (size_t)bytes); /* one load; of the loop below compilers make one only at -O3 */
#else
  for (int i = 0; i < bytes; ++i) value |= (uint64_t)p[i] << (8 * i);
#endif
  return value;
}

static uint64_t round_of(uint64_t lane, uint64_t input) { return rotate(lane + input * P2, 31) * P1; }
static uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round_of(0, lane)) * P1 + P4; }

uint64_t orrery_trace_checksum(const void* data, size_t length, uint64_t seed) {
  const unsigned char* p = length > 0 ? (const unsigned char*)data : (const unsigned char*)"";
  const unsigned char* const end = p + length;
  uint64_t hash = seed + P5;
  if (length >= 32) {
    uint64_t lanes[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
    for (; end - p >= 32; p += 32) {
      for (int i = 0; i < 4; ++i) lanes[i] = round_of(lanes[i], load(p + 8 * i, 8));
    }
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < 4; ++i) hash = merge(hash, lanes[i]);
  }
  hash += length;
  for (; end - p >= 8; p += 8) hash = rotate(hash ^ round_of(0, load(p, 8)), 27) * P1 + P4;
  if (end - p >= 4) {
    hash = rotate(hash ^ load(p, 4) * P1, 23) * P2 + P3;
    p += 4;
  }
  for (; p < end; ++p) hash = rotate(hash ^ *p * P5, 11) * P1;
  hash = (hash ^ hash >> 33) * P2;
  hash = (hash ^ hash >> 29) * P3;
  return hash ^ hash >> 32;
}
