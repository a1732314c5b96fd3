/* SPDX-License-Identifier: BSD-3-Clause
 * Communicators. Ranks number theirs each for itself, in the order in which they come to be, and write their members
 * down; that is enough to tell, when the traces of all ranks are put together, which are the same. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { buckets = 256 };
static orrery_comm* table[buckets];
static uint32_t next_number;

static uint64_t key_of(MPI_Comm comm) {
  uint64_t key = 0;
  memcpy(&key, &comm, sizeof comm);
  return key;
}
uint64_t orrery_comm_key(MPI_Comm comm) { return key_of(comm); }

static orrery_comm** bucket_of(uint64_t key) { return &table[(key ^ key >> 8 ^ key >> 16) % buckets]; }

int32_t orrery_world_rank(const orrery_comm* comm, int rank) { return comm->world == NULL ? rank : comm->world[rank]; }

/* World ranks of a group; those of other worlds are -1. NULL: no memory. */
static int32_t* world_ranks(MPI_Group group, int size) {
  MPI_Group all;
  int32_t* world = malloc(2 * sizeof *world * (size_t)(size > 0 ? size : 1));
  if (world == NULL) return NULL;
  int* own = (int*)world + size;
  for (int i = 0; i < size; ++i) own[i] = i;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_translate_ranks(group, size, own, all, (int*)world);
  PMPI_Group_free(&all);
  for (int i = 0; i < size; ++i)
    if (world[i] == MPI_UNDEFINED) world[i] = -1;
  return world;
}

/* Both sides must list the two groups in the same order: that of the smaller leader first. */
static void define_inter(orrery_comm* entry, const int32_t* local) {
  const int own_first = local[0] < entry->world[0];
  const size_t sizes[2] = {(size_t)entry->size, (size_t)entry->remote_size};
  int32_t* members = malloc((sizes[0] + sizes[1]) * sizeof *members);
  if (members == NULL) return;
  memcpy(members + (own_first ? 0 : sizes[1]), local, sizes[0] * sizeof *members);
  memcpy(members + (own_first ? sizes[0] : 0), entry->world, sizes[1] * sizeof *members);
  orrery_trace_communicator(orrery_writer, entry->number, (uint32_t)sizes[own_first ? 0 : 1], members,
                            (uint32_t)(sizes[0] + sizes[1]));
  free(members);
}

static void define(orrery_comm* entry, MPI_Comm comm) {
  MPI_Group group;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &entry->size);
  PMPI_Comm_rank(comm, &entry->rank);
  PMPI_Comm_group(comm, &group);
  int32_t* local = world_ranks(group, entry->size);
  PMPI_Group_free(&group);
  if (local == NULL) return;
  if (!inter) {
    entry->world = local;
    orrery_trace_communicator(orrery_writer, entry->number, 0, local, (uint32_t)entry->size);
    return;
  }
  PMPI_Comm_remote_size(comm, &entry->remote_size);
  PMPI_Comm_remote_group(comm, &group);
  entry->world = world_ranks(group, entry->remote_size);
  PMPI_Group_free(&group);
  if (entry->world != NULL) define_inter(entry, local);
  free(local);
}

static orrery_comm* add(MPI_Comm comm) {
  orrery_comm* entry = calloc(1, sizeof *entry);
  if (entry == NULL) abort();
  entry->handle = key_of(comm);
  entry->number = next_number++;
  orrery_comm** bucket = bucket_of(entry->handle);
  entry->chain = *bucket;
  *bucket = entry;
  return entry;
}

void orrery_comms_start(void) {
  orrery_comm* world = add(MPI_COMM_WORLD);
  PMPI_Comm_size(MPI_COMM_WORLD, &world->size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  define(add(MPI_COMM_SELF), MPI_COMM_SELF);
}

orrery_comm* orrery_comm_of(MPI_Comm comm) {
  const uint64_t key = key_of(comm);
  for (orrery_comm* entry = *bucket_of(key); entry != NULL; entry = entry->chain)
    if (entry->handle == key) return entry;
  orrery_comm* entry = add(comm);
  define(entry, comm);
  return entry;
}

orrery_comm* orrery_comm_hidden(const orrery_comm* of) {
  int32_t* members = malloc(sizeof *members * (size_t)(of->size > 0 ? of->size : 1));
  orrery_comm* entry = malloc(sizeof *entry);
  if (members == NULL || entry == NULL) abort();
  for (int i = 0; i < of->size; ++i) members[i] = orrery_world_rank(of, i);
  *entry = *of;
  entry->number = next_number++;
  entry->next = 0;
  entry->world = members;
  orrery_trace_communicator(orrery_writer, entry->number, 0, members, (uint32_t)entry->size);
  return entry;
}

static void write_freed(orrery_call* call, const orrery_comm* comm) {
  orrery_trace_record r = orrery_record(ORRERY_OP_CommFree);
  r.comm = comm->number;
  orrery_write(call, &r);
}

void orrery_comm_forgotten(orrery_call* call, orrery_comm* hidden) {
  write_freed(call, hidden);
  free(hidden->world);
  free(hidden);
}

void orrery_collective(orrery_call* call, orrery_comm* comm, enum orrery_collective_kind kind, int64_t bytes) {
  orrery_trace_record r = orrery_record(ORRERY_OP_Collective);
  r.collective = (uint8_t)kind;
  r.flags = ORRERY_FLAG_Blocking;
  if (kind == ORRERY_COLL_Allreduce) r.flags |= ORRERY_FLAG_Commutative;
  r.comm = comm->number;
  r.tag = comm->next++;
  r.bytes = bytes;
  r.element = bytes > 0 ? bytes : 1;
  orrery_write(call, &r);
}

void orrery_agreement(orrery_call* call, orrery_comm* comm) { orrery_collective(call, comm, ORRERY_COLL_Allreduce, 4); }

void orrery_comm_made(orrery_call* call, MPI_Comm parent, MPI_Comm made, int64_t told, MPI_Request* request) {
  orrery_comm* of = orrery_comm_of(parent != MPI_COMM_NULL ? parent : made);
  orrery_trace_record r = orrery_record(ORRERY_OP_Collective);
  r.collective = ORRERY_COLL_NewComm;
  r.comm = of->number;
  r.tag = of->next++;
  r.bytes = told;
  r.element = 1;
  if (request != NULL) {
    orrery_started(call, &r, MPI_COMM_NULL, *request);
  } else {
    orrery_blocking(call, &r, MPI_COMM_NULL, NULL);
  }
  if (made != MPI_COMM_NULL && request == NULL) orrery_comm_of(made); /* otherwise it is not there yet */
}

/* Requests may still refer to the entry, and MPI may still have the communicator: only the handle is forgotten. */
void orrery_comm_freed(orrery_call* call, uint64_t handle) {
  for (orrery_comm** at = bucket_of(handle); *at != NULL; at = &(*at)->chain) {
    if ((*at)->handle != handle) continue;
    const orrery_comm* freed = *at;
    *at = freed->chain;
    write_freed(call, freed);
    return;
  }
  orrery_nothing(call);
}
