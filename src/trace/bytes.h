/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A growing array of bytes with numbers of few bytes: 7 bits to a byte, the lowest first; signed ones alternate between
 * the signs (0, -1, 1, -2, ...). What cannot be allocated is dropped, and `failed` says so. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct orrery_trace_bytes {
  unsigned char* data;
  size_t size, capacity;
  int failed;
} orrery_trace_bytes;

/* Room for `more` bytes; null if there is none. */
static inline unsigned char* orrery_trace_room(orrery_trace_bytes* bytes, size_t more) {
  if (bytes->size + more > bytes->capacity) {
    const size_t capacity = 2 * bytes->capacity + more + 64;
    unsigned char* data = (unsigned char*)realloc(bytes->data, capacity);
    if (data == NULL) {
      bytes->failed = 1;
      return NULL;
    }
    bytes->data = data;
    bytes->capacity = capacity;
  }
  return bytes->data + bytes->size;
}

static inline void orrery_trace_put(orrery_trace_bytes* bytes, const void* data, size_t length) {
  unsigned char* at = orrery_trace_room(bytes, length);
  if (at == NULL || length == 0) return;
  memcpy(at, data, length);
  bytes->size += length;
}

static inline void orrery_trace_put_byte(orrery_trace_bytes* bytes, unsigned char value) {
  orrery_trace_put(bytes, &value, 1);
}

/* To where there is room for ten bytes; gives what is behind it. */
static inline unsigned char* orrery_trace_write_number(unsigned char* at, uint64_t value) {
  for (; value >= 128; value >>= 7) *at++ = (unsigned char)(value | 128);
  *at++ = (unsigned char)value;
  return at;
}

static inline unsigned char* orrery_trace_write_signed(unsigned char* at, int64_t value) {
  return orrery_trace_write_number(at, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static inline void orrery_trace_put_number(orrery_trace_bytes* bytes, uint64_t value) {
  unsigned char* at = orrery_trace_room(bytes, 10);
  if (at != NULL) bytes->size += (size_t)(orrery_trace_write_number(at, value) - at);
}

static inline void orrery_trace_put_signed(orrery_trace_bytes* bytes, int64_t value) {
  orrery_trace_put_number(bytes, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* Little-endian, of `length` bytes. */
static inline void orrery_trace_put_fixed(orrery_trace_bytes* bytes, uint64_t value, int length) {
  unsigned char* at = orrery_trace_room(bytes, (size_t)length);
  if (at == NULL) return;
  for (int i = 0; i < length; ++i) at[i] = (unsigned char)(value >> (8 * i));
  bytes->size += (size_t)length;
}

static inline void orrery_trace_put_text(orrery_trace_bytes* bytes, const char* text) {
  const size_t length = strlen(text);
  orrery_trace_put_number(bytes, length);
  orrery_trace_put(bytes, text, length);
}
