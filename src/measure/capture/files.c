/* SPDX-License-Identifier: BSD-3-Clause
 * Files: what `orrery run` would have written down for the same calls (docs/design/storage.md), so that a replay
 * simulates them. Where an access lies in its file decides which servers it meets. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

typedef struct open_file {
  uint64_t handle;
  orrery_comm* comm;   /* of its own */
  int64_t etype_bytes; /* unit of positions */
  int64_t shared;      /* where the shared pointer is thought to be, in etypes: only MPI knows */
  int sequential, atomic;
  uint32_t split; /* request of a split collective access; 0: none is under way */
  struct open_file* chain;
} open_file;
static open_file* files;

uint64_t orrery_file_key(MPI_File fh) {
  uint64_t key = 0;
  memcpy(&key, &fh, sizeof fh);
  return key;
}

static open_file* file_of(MPI_File fh) {
  const uint64_t key = orrery_file_key(fh);
  for (open_file* f = files; f != NULL; f = f->chain)
    if (f->handle == key) return f;
  return NULL;
}

static void metadata(orrery_call* call, uint32_t comm) {
  orrery_trace_record r = orrery_record(ORRERY_OP_FileMetadata);
  r.comm = comm;
  r.peer = ORRERY_ANY_SOURCE;
  orrery_write(call, &r);
}

void orrery_file_opened(orrery_call* call, MPI_Comm comm, int amode, MPI_File fh) {
  orrery_comm* parent = orrery_comm_of(comm);
  open_file* f = calloc(1, sizeof *f);
  if (f == NULL) abort();
  f->handle = orrery_file_key(fh);
  f->comm = orrery_comm_hidden(parent);
  f->etype_bytes = 1;
  f->sequential = (amode & MPI_MODE_SEQUENTIAL) != 0;
  f->chain = files;
  files = f;
  orrery_agreement(call, parent);
  metadata(call, f->comm->number);
  orrery_agreement(call, f->comm);
}

void orrery_file_closed(orrery_call* call, uint64_t handle) {
  for (open_file** at = &files; *at != NULL; at = &(*at)->chain) {
    open_file* f = *at;
    if (f->handle != handle) continue;
    orrery_agreement(call, f->comm);
    metadata(call, f->comm->number);
    orrery_comm_forgotten(call, f->comm);
    *at = f->chain;
    free(f);
    return;
  }
  orrery_nothing(call);
}

void orrery_file_deleted(orrery_call* call) { metadata(call, 0); }

/* All agree on a change, which may be one of the file system too. */
void orrery_file_changed(orrery_call* call, MPI_File fh, int in_system) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
    return;
  }
  orrery_agreement(call, f->comm);
  if (in_system) metadata(call, f->comm->number);
}

void orrery_file_looked_at(orrery_call* call, MPI_File fh) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
  } else {
    metadata(call, f->comm->number);
  }
}

void orrery_file_atomic(orrery_call* call, MPI_File fh, int atomic) {
  open_file* f = file_of(fh);
  orrery_file_changed(call, fh, 0);
  if (f != NULL) f->atomic = atomic != 0;
}

/* Of the own pointer, which the call is about to move. */
int64_t orrery_file_position(MPI_File fh) {
  MPI_Offset position = 0;
  const open_file* f = file_of(fh);
  if (f == NULL || f->sequential || PMPI_File_get_position(fh, &position) != MPI_SUCCESS) return 0;
  return position;
}

int64_t orrery_moved(const MPI_Status* status, int64_t count, MPI_Datatype datatype) {
  int bytes = 0;
  const int64_t wanted = orrery_bytes(count, datatype);
  if (wanted > INT32_MAX || PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS) return wanted;
  return bytes < 0 || bytes > wanted ? wanted : bytes;
}

static int64_t byte_at(const open_file* f, MPI_File fh, int64_t etypes) {
  MPI_Offset byte = 0;
  if (f->sequential || PMPI_File_get_byte_offset(fh, etypes, &byte) != MPI_SUCCESS) return etypes * f->etype_bytes;
  return byte;
}

static orrery_trace_record about_access(open_file* f, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes) {
  const int64_t etypes = (bytes + f->etype_bytes - 1) / f->etype_bytes;
  orrery_trace_record r = orrery_record(kind);
  int64_t* place = orrery_scratch(2);
  place[0] = byte_at(f, fh, at);
  place[1] = etypes > 0 ? byte_at(f, fh, at + etypes - 1) + f->etype_bytes - place[0] : 0;
  if (place[0] < 0) place[0] = 0;
  if (place[1] < bytes) place[1] = bytes;
  r.comm = f->comm->number;
  r.peer = ORRERY_ANY_SOURCE;
  r.bytes = bytes;
  r.counts = place;
  r.counts_length = 2;
  return r;
}

/* In atomic mode a rank has the file for itself while it writes down the access. */
static void about_lock(orrery_call* call, const open_file* f, enum orrery_kind kind) {
  orrery_trace_record r = orrery_record(kind);
  const orrery_trace_answer answer = orrery_answer(0);
  if (!f->atomic) return;
  r.comm = f->comm->number;
  r.peer = ORRERY_ANY_SOURCE;
  if (kind == ORRERY_OP_FileLock) {
    orrery_write_answered(call, &r, &answer);
  } else {
    orrery_write(call, &r);
  }
}

void orrery_file_blocking(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
    return;
  }
  about_lock(call, f, ORRERY_OP_FileLock);
  orrery_trace_record r = about_access(f, fh, kind, at, bytes);
  orrery_blocking(call, &r, MPI_COMM_NULL, MPI_STATUS_IGNORE);
  about_lock(call, f, ORRERY_OP_FileUnlock);
}

void orrery_file_started(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes,
                         MPI_Request request) {
  open_file* f = file_of(fh);
  if (f == NULL || request == MPI_REQUEST_NULL) {
    orrery_file_blocking(call, fh, kind, at, bytes);
    return;
  }
  about_lock(call, f, ORRERY_OP_FileLock);
  orrery_trace_record r = about_access(f, fh, kind, at, bytes);
  orrery_started(call, &r, MPI_COMM_NULL, request);
  about_lock(call, f, ORRERY_OP_FileUnlock);
}

void orrery_file_begun(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
    return;
  }
  about_lock(call, f, ORRERY_OP_FileLock);
  orrery_trace_record r = about_access(f, fh, kind, at, bytes);
  r.request = f->split = orrery_request_number();
  orrery_write(call, &r);
  about_lock(call, f, ORRERY_OP_FileUnlock);
}

void orrery_file_ended(orrery_call* call, MPI_File fh) {
  open_file* f = file_of(fh);
  if (f == NULL || f->split == 0) {
    orrery_nothing(call);
    return;
  }
  orrery_trace_record r = orrery_record(ORRERY_OP_WaitAll);
  r.requests = &f->split;
  r.requests_length = 1;
  orrery_write(call, &r);
  orrery_request_number_back(f->split);
  f->split = 0;
}

static void move_shared(orrery_call* call, const open_file* f, int64_t etypes, int absolute) {
  orrery_trace_record r = orrery_record(ORRERY_OP_FilePosition);
  const orrery_trace_answer answer = orrery_answer(0);
  r.comm = f->comm->number;
  r.peer = ORRERY_ANY_SOURCE;
  r.bytes = etypes;
  if (absolute) r.flags |= ORRERY_FLAG_Absolute;
  orrery_write_answered(call, &r, &answer);
}

/* Before and after all agree that it is. */
static void move_shared_together(orrery_call* call, open_file* f, int64_t etypes) {
  f->shared = etypes;
  orrery_agreement(call, f->comm);
  if (f->comm->rank == 0) move_shared(call, f, etypes, 1);
  orrery_agreement(call, f->comm);
}

/* A view puts both pointers to its beginning: all agree on it before and after. */
void orrery_file_viewed(orrery_call* call, MPI_File fh, MPI_Datatype etype) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
    return;
  }
  f->etype_bytes = orrery_bytes(1, etype);
  if (f->etype_bytes <= 0) f->etype_bytes = 1;
  move_shared_together(call, f, 0);
}

/* The place of an access of each rank, if all access as much as this one. */
static int64_t own_share(open_file* f, int64_t etypes) {
  const int64_t at = f->shared + f->comm->rank * etypes;
  f->shared += f->comm->size * etypes;
  return at;
}

int64_t orrery_file_shared(orrery_call* call, MPI_File fh, int64_t count, MPI_Datatype datatype) {
  open_file* f = file_of(fh);
  if (f == NULL) return 0;
  const int64_t etypes = orrery_bytes(count, datatype) / f->etype_bytes;
  move_shared(call, f, etypes, 0);
  return own_share(f, etypes);
}

/* Ranks say how much they need, and the first takes the place for all. */
int64_t orrery_file_ordered(orrery_call* call, MPI_File fh, int64_t count, MPI_Datatype datatype) {
  open_file* f = file_of(fh);
  if (f == NULL) return 0;
  const int64_t etypes = orrery_bytes(count, datatype) / f->etype_bytes;
  orrery_collective(call, f->comm, ORRERY_COLL_Allgather, 16);
  if (f->comm->rank == 0) move_shared(call, f, f->comm->size * etypes, 0);
  orrery_collective(call, f->comm, ORRERY_COLL_Bcast, 8);
  return own_share(f, etypes);
}

void orrery_file_sought_shared(orrery_call* call, MPI_File fh, int64_t offset, int whence) {
  open_file* f = file_of(fh);
  if (f == NULL) {
    orrery_nothing(call);
    return;
  }
  move_shared_together(call, f, whence == MPI_SEEK_SET ? offset : f->shared);
}
