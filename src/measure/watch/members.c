/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers of communicators that are the same on all of their ranks, without a message: out of the members, and of how
 * many communicators of these members there were before, which all of them know. Of each the first member writes down
 * who they are, to the file RANK.members. */
#include <stdio.h>
#include <stdlib.h>

#include "watch.h"

enum { most = 1000 };
static orrery_members* table;
static uint32_t capacity;
static uint32_t own_rank;
static char path[4096];
static struct {
  uint64_t mixed;
  uint64_t times;
} seen[most];
static int seen_count;

static void put(uint32_t comm, orrery_members entry) {
  if (comm >= capacity) {
    const uint32_t larger = 2 * comm + 16;
    orrery_members* grown = (orrery_members*)realloc(table, larger * sizeof *grown);
    if (grown == NULL) abort();
    for (uint32_t i = capacity; i < larger; ++i) grown[i] = (orrery_members){0, 0, 0};
    table = grown;
    capacity = larger;
  }
  table[comm] = entry;
}

const orrery_members* orrery_members_of(uint32_t comm) {
  static const orrery_members unknown;
  return comm < capacity ? &table[comm] : &unknown;
}

void orrery_members_start(const char* folder, uint32_t rank, uint32_t ranks) {
  own_rank = rank;
  snprintf(path, sizeof path, "%s/%u.members", folder, rank);
  put(0, (orrery_members){1, (int32_t)ranks, 0}); /* MPI_COMM_WORLD */
}

/* FNV-1a. */
static uint64_t mix(uint64_t mixed, uint64_t value) {
  for (int i = 0; i < 8; ++i) mixed = (mixed ^ (value >> 8 * i & 255)) * 0x100000001B3u;
  return mixed;
}

/* 0: there are too many. */
static uint64_t number_of(const int32_t* members, uint32_t count) {
  uint64_t mixed = 0xCBF29CE484222325u;
  for (uint32_t i = 0; i < count; ++i) mixed = mix(mixed, (uint64_t)members[i]);
  int at = 0;
  while (at < seen_count && seen[at].mixed != mixed) ++at;
  if (at == most) return 0;
  if (at == seen_count) {
    seen[seen_count++].mixed = mixed;
  }
  const uint64_t id = mix(mixed, seen[at].times++);
  return id < 2 ? 2 : id;
}

static void write_down(uint64_t id, const int32_t* members, uint32_t count) {
  FILE* file = fopen(path, "ae");
  if (file == NULL) return;
  fprintf(file, "%llu", (unsigned long long)id);
  for (uint32_t i = 0; i < count; ++i) fprintf(file, " %d", (int)members[i]);
  fprintf(file, "\n");
  fclose(file);
}

void orrery_members_add(uint32_t comm, int two_groups, const int32_t* members, uint32_t count) {
  const uint64_t id = number_of(members, count);
  put(comm, (orrery_members){id, (int32_t)count, two_groups});
  if (id != 0 && count > 1 && !two_groups && (uint32_t)members[0] == own_rank) write_down(id, members, count);
}
