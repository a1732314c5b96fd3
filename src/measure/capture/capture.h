/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Capture: a library that is preloaded into the ranks of a real MPI program and writes down what they do, in the format
 * of src/trace. It is compiled by the user's mpicc, so that it speaks that MPI's binary interface.
 *
 * Every MPI routine that matters has a wrapper in calls.c, generated from the table of the MPI API (src/abi/api) and
 * calls.toml. It is exported as MPI_x and as PMPI_x: Fortran bindings of Open MPI call the latter, those of MPICH the
 * former, so both languages come by here, whatever the Fortran compiler. A wrapper asks `orrery_begin` whether the
 * call is one of the program's (and not one that the MPI library makes inside of another), runs the real routine, and
 * writes the operations that the call was.
 *
 * The words of operations are those of src/op/vocabulary.inc. */

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#include "trace/writer.h"

#define ORRERY_PUBLIC __attribute__((visibility("default")))

/* op::Kind, op::Mode, op::CollectiveKind, op::Flag. */
enum orrery_kind {
#define KIND(name, ...) ORRERY_OP_##name,
#include "op/vocabulary.inc"
};
enum orrery_mode {
#define MODE(name, ...) ORRERY_MODE_##name,
#include "op/vocabulary.inc"
};
enum orrery_collective_kind {
#define COLLECTIVE(name, ...) ORRERY_COLL_##name,
#include "op/vocabulary.inc"
};
enum orrery_flag {
#define FLAG(name, bit, ...) ORRERY_FLAG_##name = bit,
#include "op/vocabulary.inc"
};
enum { ORRERY_ANY_SOURCE = -1, ORRERY_ANY_TAG = -2, ORRERY_ROOT_HERE = -4, ORRERY_NO_PART = -3 };

/* One call of the program that is being written down. */
typedef struct orrery_call {
  uint16_t routine;
  int written;      /* an operation has been, which carries the computation and the times of the call */
  double compute_s; /* before it */
  int64_t begin_ns, end_ns;
  const void* from;  /* where the program goes on after it */
  uint32_t site;     /* its number; 0: call sites are not wanted */
  MPI_Status status; /* for calls whose program wants none, where we do */
} orrery_call;

/* calls.c asks whether the call is to be written down. It is then followed by orrery_over, when the real routine has
 * returned, the operations, and orrery_end. */
int orrery_begin(orrery_call* call, uint16_t routine, const void* from);
/* Before a collective call: whether it goes by without a word, on all ranks of the communicator (every.c). */
int orrery_passes(MPI_Comm comm);
void orrery_over(orrery_call* call);
void orrery_end(orrery_call* call);
/* Calls of several threads write one after the other. */
void orrery_lock(void);
void orrery_unlock(void);
/* Address of the real routine; ends the process if there is none. */
void* orrery_real(const char* name);

/* Operations: an empty one of this call; writing it; writing it with its answer. */
orrery_trace_record orrery_record(enum orrery_kind kind);
void orrery_write(orrery_call* call, orrery_trace_record* record);
void orrery_write_answered(orrery_call* call, orrery_trace_record* record, const orrery_trace_answer* answer);
orrery_trace_answer orrery_answer(int yes);
/* A call that is no operation: its computation and its time. */
void orrery_nothing(orrery_call* call);
/* The same for a routine that makes ranks which are not captured: the trace names it, and is not replayed. */
void orrery_not_captured(orrery_call* call, const char* name);

/* The time (now.c): of CLOCK_MONOTONIC. */
void orrery_now_start(void); /* in MPI_Init */
int64_t orrery_now_ns(void);

/* Meters (meter.c). */
void orrery_meter_start(void);
double orrery_meter_call(int64_t begin_ns); /* processor seconds since the last call */
void orrery_meter_resume(int64_t begin_ns); /* the program goes on, after a call that began then */

/* Communicators (comms.c). */
typedef struct orrery_comm {
  uint64_t handle;
  uint32_t number;       /* in this rank's trace */
  int32_t next;          /* number of the next collective call */
  uint64_t made;         /* collective calls that orrery_passes was asked of */
  int64_t observed_ns;   /* end of the last one of these that was written down; 0: there is none yet */
  int size, remote_size; /* 0: it has one group */
  int rank;
  int32_t* world; /* world ranks of whom messages go to; NULL: rank i is world rank i */
  struct orrery_comm* chain;
} orrery_comm;
void orrery_comms_start(void);
orrery_comm* orrery_comm_of(MPI_Comm comm);
int32_t orrery_world_rank(const orrery_comm* comm, int rank);
/* What each rank tells all others where a communicator is split, in bytes: two int. */
enum { ORRERY_COLOR_AND_KEY = 8 };
void orrery_comm_made(orrery_call* call, MPI_Comm parent, MPI_Comm made, int64_t told, MPI_Request* request);
void orrery_comm_freed(orrery_call* call, uint64_t handle);
uint64_t orrery_comm_key(MPI_Comm comm);
/* A communicator that a window or a file has for itself, of the same ranks; no handle of the program's means it. */
orrery_comm* orrery_comm_hidden(const orrery_comm* of);
void orrery_comm_forgotten(orrery_call* call, orrery_comm* hidden);
/* What MPI does inside of other calls: a collective of so many bytes; an agreement on a number. */
void orrery_collective(orrery_call* call, orrery_comm* comm, enum orrery_collective_kind kind, int64_t bytes);
void orrery_agreement(orrery_call* call, orrery_comm* comm);

/* Call sites (sites.c). */
void orrery_sites_start(void);
/* Number of the place that a call goes back to; 0: sites are not wanted. Under the lock. */
uint32_t orrery_site(const void* from);

/* Requests (requests.c). */
typedef struct orrery_request {
  uint64_t handle;
  uint32_t number; /* 0: not active */
  uint8_t wild, persistent, cancelled, picked;
  const orrery_comm* comm;    /* of a receive */
  orrery_trace_record record; /* what starts it, if it is persistent */
  int partitions, ready;      /* of a partitioned one; how many were ready */
  int64_t partition_bytes;
  struct orrery_request* chain;
} orrery_request;
orrery_request* orrery_request_of(MPI_Request request);
/* What a call is given: those of its requests that are known and active, and where in its list they are. */
typedef struct orrery_list {
  orrery_request** entries; /* by position in the program's list; NULL: nothing that was written down */
  uint32_t* numbers;        /* of the active ones */
  int* positions;           /* of the active ones in the program's list */
  int active, count, capacity;
  int wants_status; /* one of them was open to any sender, or cancelled */
  MPI_Status* statuses;
  int statuses_capacity;
} orrery_list;
orrery_list* orrery_pick(int count, const MPI_Request* requests);
void orrery_unpick(orrery_list* list);
uint32_t orrery_request_number(void);
void orrery_request_number_back(uint32_t number);
orrery_request* orrery_request_add(MPI_Request request, uint32_t number);
void orrery_request_over(orrery_request* entry);
void orrery_request_forget(orrery_request* entry);

/* How an operation is launched. */
void orrery_blocking(orrery_call* call, orrery_trace_record* record, MPI_Comm comm, const MPI_Status* status);
void orrery_started(orrery_call* call, orrery_trace_record* record, MPI_Comm comm, MPI_Request request);
void orrery_prepared(orrery_call* call, orrery_trace_record* record, MPI_Comm comm, MPI_Request request);
void orrery_start(orrery_call* call, int count, const MPI_Request* requests);

/* Partitioned messages (partitioned.c). Partitions first, first + 1, ..., or those of the list. */
void orrery_partitioned(orrery_call* call, enum orrery_kind kind, int partitions, int64_t count, MPI_Datatype datatype,
                        int peer, int tag, MPI_Comm comm, MPI_Request request);
void orrery_ready(orrery_call* call, int first, int count, const int* list, MPI_Request request);
void orrery_arrived(orrery_call* call, MPI_Request request, int partition, int flag);

/* Messages (messages.c). Give 0 where nothing is sent or received. */
int64_t orrery_bytes(int64_t count, MPI_Datatype datatype);
int orrery_send(orrery_trace_record* r, enum orrery_mode mode, int64_t count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm);
int orrery_recv(orrery_trace_record* r, int64_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm);
void orrery_sendrecv(orrery_call* call, int64_t send_count, MPI_Datatype send_type, int dest, int send_tag,
                     int64_t recv_count, MPI_Datatype recv_type, int source, int recv_tag, MPI_Comm comm,
                     const MPI_Status* status);
void orrery_isendrecv(orrery_call* call, int64_t send_count, MPI_Datatype send_type, int dest, int send_tag,
                      int64_t recv_count, MPI_Datatype recv_type, int source, int recv_tag, MPI_Comm comm,
                      MPI_Request request);
void orrery_probed(orrery_call* call, enum orrery_kind kind, int source, int tag, MPI_Comm comm, int found,
                   const MPI_Status* status, const MPI_Message* message);
uint64_t orrery_message_key(MPI_Message message);
void orrery_matched(orrery_call* call, int64_t count, MPI_Datatype datatype, uint64_t message, MPI_Request* request);
orrery_trace_answer orrery_match(const orrery_comm* comm, const MPI_Status* status);

/* Completion (completion.c). */
MPI_Status* orrery_one_status(orrery_call* call, orrery_list* list, MPI_Status* given);
MPI_Status* orrery_all_statuses(orrery_list* list, MPI_Status* given);
void orrery_waited_all(orrery_call* call, orrery_list* list, const MPI_Status* statuses);
void orrery_waited_any(orrery_call* call, orrery_list* list, int index, const MPI_Status* status);
void orrery_waited_some(orrery_call* call, orrery_list* list, int count, const int* indices,
                        const MPI_Status* statuses);
void orrery_tested_all(orrery_call* call, orrery_list* list, int flag, const MPI_Status* statuses);
void orrery_tested_any(orrery_call* call, orrery_list* list, int flag, int index, const MPI_Status* status);
void orrery_tested_some(orrery_call* call, orrery_list* list, int count, const int* indices,
                        const MPI_Status* statuses);
void orrery_peeked(orrery_call* call, orrery_list* list, int flag);
void orrery_cancelled(orrery_call* call, orrery_list* list);
void orrery_freed(orrery_call* call, orrery_list* list);

/* Collectives (collectives.c): they fill in a record. */
typedef struct orrery_counts {
  const void* at;
  size_t width; /* of one: int, or MPI_Count */
} orrery_counts;
#define ORRERY_COUNTS(array) ((orrery_counts){(array), sizeof *(array)})
#define ORRERY_NO_COUNTS ((orrery_counts){NULL, 0})
int orrery_plain(orrery_trace_record* r, enum orrery_collective_kind kind, int root, int64_t count,
                 MPI_Datatype datatype, MPI_Comm comm);
int orrery_reduction(orrery_trace_record* r, enum orrery_collective_kind kind, int root, int64_t count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int orrery_reduce_scatter(orrery_trace_record* r, orrery_counts counts, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm);
int orrery_gather(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, int64_t recv_count,
                  MPI_Datatype recv_type, int root, MPI_Comm comm);
int orrery_scatter(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, int64_t recv_count,
                   MPI_Datatype recv_type, int root, MPI_Comm comm);
int orrery_gatherv(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, orrery_counts counts,
                   MPI_Datatype recv_type, int root, MPI_Comm comm);
int orrery_scatterv(orrery_trace_record* r, orrery_counts counts, MPI_Datatype send_type, int64_t recv_count,
                    MPI_Datatype recv_type, int root, MPI_Comm comm);
int orrery_allgather(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                     int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm);
int orrery_allgatherv(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                      orrery_counts counts, MPI_Datatype recv_type, MPI_Comm comm);
int orrery_alltoall(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                    int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm);
int orrery_alltoallv(orrery_trace_record* r, const void* in_place, orrery_counts send_counts, MPI_Datatype send_type,
                     orrery_counts recv_counts, MPI_Datatype recv_type, MPI_Comm comm);
int orrery_alltoallw(orrery_trace_record* r, const void* in_place, orrery_counts send_counts,
                     const MPI_Datatype* send_types, orrery_counts recv_counts, const MPI_Datatype* recv_types,
                     MPI_Comm comm);
/* Numbers that a record's lists point to until the next call. */
int64_t* orrery_scratch(size_t count);

/* Neighbourhoods (neighbours.c). A count of one element, or a list of counts; a datatype, or a list of them. */
int orrery_neighbours(orrery_trace_record* r, enum orrery_collective_kind kind, orrery_counts send_counts,
                      int64_t send_count, const MPI_Datatype* send_types, MPI_Datatype send_type,
                      orrery_counts recv_counts, int64_t recv_count, const MPI_Datatype* recv_types,
                      MPI_Datatype recv_type, MPI_Comm comm);

/* Windows (windows.c, epochs.c). */
void orrery_window_made(orrery_call* call, MPI_Comm comm, MPI_Win win);
uint64_t orrery_window_key(MPI_Win win);
void orrery_window_freed(orrery_call* call, uint64_t handle);
/* `request`: of the access alone, or NULL. */
void orrery_access(orrery_call* call, enum orrery_kind kind, int64_t bytes, int target, MPI_Win win,
                   MPI_Request* request);
void orrery_fence(orrery_call* call, MPI_Win win);
void orrery_flush(orrery_call* call, int rank, MPI_Win win);
void orrery_flush_all(orrery_call* call, MPI_Win win);
void orrery_locked(orrery_call* call, int type, int rank, int assertion, MPI_Win win);
void orrery_unlocked(orrery_call* call, int rank, MPI_Win win);
void orrery_locked_all(orrery_call* call, int assertion, MPI_Win win);
void orrery_unlocked_all(orrery_call* call, MPI_Win win);
void orrery_posted(orrery_call* call, MPI_Group group, MPI_Win win);
void orrery_window_started(orrery_call* call, MPI_Group group, MPI_Win win);
void orrery_window_completed(orrery_call* call, MPI_Win win);
void orrery_window_waited(orrery_call* call, MPI_Win win);
void orrery_window_tested(orrery_call* call, MPI_Win win, int flag);

/* Files (files.c). Positions are in etypes of the view. */
uint64_t orrery_file_key(MPI_File fh);
void orrery_file_opened(orrery_call* call, MPI_Comm comm, int amode, MPI_File fh);
void orrery_file_closed(orrery_call* call, uint64_t handle);
void orrery_file_deleted(orrery_call* call);
void orrery_file_changed(orrery_call* call, MPI_File fh, int in_system);
void orrery_file_looked_at(orrery_call* call, MPI_File fh);
void orrery_file_viewed(orrery_call* call, MPI_File fh, MPI_Datatype etype);
void orrery_file_atomic(orrery_call* call, MPI_File fh, int atomic);
int64_t orrery_file_position(MPI_File fh);
int64_t orrery_file_shared(orrery_call* call, MPI_File fh, int64_t count, MPI_Datatype datatype);
int64_t orrery_file_ordered(orrery_call* call, MPI_File fh, int64_t count, MPI_Datatype datatype);
void orrery_file_sought_shared(orrery_call* call, MPI_File fh, int64_t offset, int whence);
int64_t orrery_moved(const MPI_Status* status, int64_t count, MPI_Datatype datatype);
void orrery_file_blocking(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes);
void orrery_file_started(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes,
                         MPI_Request request);
void orrery_file_begun(orrery_call* call, MPI_File fh, enum orrery_kind kind, int64_t at, int64_t bytes);
void orrery_file_ended(orrery_call* call, MPI_File fh);

/* What the stream has kept back (rest.c): its copy begins, follows the stream, is not needed any more. */
void orrery_rest_start(const char* folder, uint32_t world_rank);
void orrery_rest_keep(const orrery_trace_stream* stream);
void orrery_rest_over(void);

/* The life of the library (life.c). */
void orrery_initialised(uint16_t routine, int provided, int64_t took_ns);
void orrery_finalising(orrery_call* call);
void orrery_finalised(uint16_t routine, int64_t took_ns);
void orrery_aborting(int code);
extern orrery_trace_writer* orrery_writer;
int64_t orrery_clock_offset(void); /* collective; what must be added to our clock to have that of world rank 0, ns */
