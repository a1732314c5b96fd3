/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Writes trace files; C, allocates with malloc only, throws nothing, prints nothing.
 *
 * One writer is one file; a stream belongs to one rank and to one writer. A process that is captured writes a file of
 * its own with one stream; files of one run are put together afterwards, chunk by chunk. A writer and its streams are
 * used by one thread at a time.
 *
 * Functions give 0, or what errno said the first time that something went wrong; from then on they do nothing, so
 * that a full disk costs the trace and not the program. */

#include "trace/format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orrery_trace_writer orrery_trace_writer;
typedef struct orrery_trace_stream orrery_trace_stream;

/* Creates the file, for a run that starts with `ranks` ranks. NULL: errno says why. */
orrery_trace_writer* orrery_trace_create(const char* path, uint32_t ranks);

/* Where the trace comes from: `program`, `command`, `platform`, `date`, `mpi`, `source`, what you like. */
int orrery_trace_property(orrery_trace_writer* writer, const char* key, const char* value);

/* Texts of the numbers first, first + 1, ... in a table. */
int orrery_trace_names(orrery_trace_writer* writer, enum orrery_trace_table table, uint32_t first,
                       const char* const* texts, uint32_t count);

/* World ranks of the members of a communicator, by rank. Its number is the same on all members, and is not used again.
 * first_group: of an inter-communicator, how many of them are its first group; 0: it is none. */
int orrery_trace_communicator(orrery_trace_writer* writer, uint32_t comm, uint32_t first_group, const int32_t* members,
                              uint32_t count);

/* Calls of a world rank that are no operations. What is written for it more than once adds up. */
int orrery_trace_local(orrery_trace_writer* writer, uint32_t rank, const orrery_trace_local_calls* calls,
                       uint32_t count);

/* The stream of a world rank. NULL: no memory. */
orrery_trace_stream* orrery_trace_open_stream(orrery_trace_writer* writer, uint32_t rank);
int orrery_trace_operation(orrery_trace_stream* stream, const orrery_trace_record* record);
/* After the operation, or after others if it is a thread's. */
int orrery_trace_answered(orrery_trace_stream* stream, const orrery_trace_answer* answer);
/* Writes what the stream has kept back so far, so that it can be read. A program that may be killed calls it now and
 * then. */
int orrery_trace_flush(orrery_trace_stream* stream);
/* What the stream has kept back so far, until the next call; for who keeps a copy where it outlives the process. */
typedef struct orrery_trace_kept_back {
  const unsigned char* data; /* payload of the block that is being made */
  size_t size;
  uint32_t records, sequence;
} orrery_trace_kept_back;
orrery_trace_kept_back orrery_trace_kept(const orrery_trace_stream* stream);
/* `complete`: the rank did nothing more; otherwise it is known to have been cut off. Frees the stream. */
int orrery_trace_close_stream(orrery_trace_stream* stream, int complete);

/* Writes the index and closes the file. Frees the writer and open streams; what those have kept back is lost. */
int orrery_trace_close(orrery_trace_writer* writer);
/* Closes the file without writing to it, as after an error. Frees the writer and its streams. */
void orrery_trace_abandon(orrery_trace_writer* writer);

#ifdef __cplusplus
}
#endif
