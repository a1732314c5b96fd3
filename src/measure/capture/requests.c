/* SPDX-License-Identifier: BSD-3-Clause
 * Requests by their handles. MPI libraries give the same handle to several requests that were complete at once, so a
 * handle stands for a queue: which of them a wait means makes no difference then. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { buckets = 4096 };
static orrery_request *first[buckets], *last[buckets];
static orrery_request* unused;

static uint64_t key_of(MPI_Request request) {
  uint64_t key = 0;
  memcpy(&key, &request, sizeof request);
  return key;
}

static unsigned bucket_of(uint64_t key) { return (unsigned)((key * 0x9E3779B97F4A7C15u) >> 52); }

/* Numbers are used again, the one that was given back last first, so that a loop makes the same operations. */
static uint32_t *free_numbers, free_count, free_capacity, numbers;

uint32_t orrery_request_number(void) { return free_count > 0 ? free_numbers[--free_count] : ++numbers; }

void orrery_request_number_back(uint32_t number) {
  if (free_count == free_capacity) {
    const uint32_t capacity = 2 * free_capacity + 64;
    uint32_t* larger = realloc(free_numbers, capacity * sizeof *larger);
    if (larger == NULL) return; /* it is not used again */
    free_numbers = larger;
    free_capacity = capacity;
  }
  free_numbers[free_count++] = number;
}

orrery_request* orrery_request_of(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return NULL;
  const uint64_t key = key_of(request);
  for (orrery_request* entry = first[bucket_of(key)]; entry != NULL; entry = entry->chain)
    if (entry->handle == key && !entry->picked) return entry;
  return NULL;
}

orrery_request* orrery_request_add(MPI_Request request, uint32_t number) {
  orrery_request* entry = unused;
  if (entry != NULL) {
    unused = entry->chain;
  } else {
    entry = malloc(sizeof *entry);
    if (entry == NULL) abort();
  }
  memset(entry, 0, sizeof *entry);
  entry->handle = key_of(request);
  entry->number = number;
  const unsigned bucket = bucket_of(entry->handle);
  if (first[bucket] == NULL) {
    first[bucket] = entry;
  } else {
    last[bucket]->chain = entry;
  }
  last[bucket] = entry;
  return entry;
}

void orrery_request_forget(orrery_request* entry) {
  const unsigned bucket = bucket_of(entry->handle);
  orrery_request* before = NULL;
  for (orrery_request* at = first[bucket]; at != entry; at = at->chain) before = at;
  if (before == NULL) {
    first[bucket] = entry->chain;
  } else {
    before->chain = entry->chain;
  }
  if (last[bucket] == entry) last[bucket] = before;
  if (entry->persistent) free((void*)entry->record.counts);
  entry->chain = unused;
  unused = entry;
}

void orrery_request_over(orrery_request* entry) {
  orrery_request_number_back(entry->number);
  entry->number = 0;
  entry->picked = 0;
  if (!entry->persistent) orrery_request_forget(entry);
}

/* One for each thread, as calls of threads overlap. */
static __thread orrery_list list;

static void make_room(int count) {
  if (count <= list.capacity) return;
  list.capacity = 2 * count;
  list.entries = realloc(list.entries, (size_t)list.capacity * sizeof *list.entries);
  list.numbers = realloc(list.numbers, (size_t)list.capacity * sizeof *list.numbers);
  list.positions = realloc(list.positions, (size_t)list.capacity * sizeof *list.positions);
  if (list.entries == NULL || list.numbers == NULL || list.positions == NULL) abort();
}

orrery_list* orrery_pick(int count, const MPI_Request* requests) {
  make_room(count);
  orrery_lock();
  list.count = count;
  list.active = 0;
  list.wants_status = 0;
  for (int i = 0; i < count; ++i) {
    orrery_request* entry = orrery_request_of(requests[i]);
    list.entries[i] = entry;
    if (entry == NULL) continue;
    entry->picked = 1;
    if (entry->number == 0) continue;
    list.numbers[list.active] = entry->number;
    list.positions[list.active++] = i;
    list.wants_status |= entry->wild || entry->cancelled;
  }
  orrery_unlock();
  return &list;
}

void orrery_unpick(orrery_list* picked) {
  for (int i = 0; i < picked->count; ++i)
    if (picked->entries[i] != NULL) picked->entries[i]->picked = 0;
}
