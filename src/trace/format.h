/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What lies in a trace file (docs/trace-format.md), as C sees it: the writer is C, so that a library that is preloaded
 * into other people's programs can use it and brings no C++ runtime along.
 *
 * A file is a head of 24 bytes, then chunks, each of which says itself what it is, how long it is and what its checksum
 * is; then an index of the chunks and a foot that says where the index is. Without index and foot (while a file is
 * being written, or when it was cut off) the chunks are found one after the other. All numbers are little-endian. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_TRACE_MAGIC "\211ORRTR\r\n"     /* 8 bytes; damaged by every transfer that takes it for text */
#define ORRERY_TRACE_FOOT_MAGIC "\211ORREND\n" /* 8 bytes */
#define ORRERY_TRACE_CHUNK_MAGIC 0x4b4e4843u   /* "CHNK" */
enum {
  ORRERY_TRACE_VERSION = 2,           /* 1 had no ORRERY_TRACE_MEASURED (block.h) */
  ORRERY_TRACE_OLDEST_VERSION = 1,    /* that is read */
  ORRERY_TRACE_HEAD_BYTES = 24,       /* magic, u32 version, u32 ranks at the start, u64 flags (0) */
  ORRERY_TRACE_CHUNK_HEAD_BYTES = 40, /* see orrery_trace_chunk; chunks begin at multiples of 8 */
  ORRERY_TRACE_FOOT_BYTES = 16,       /* u64 place of the index, magic */
  ORRERY_TRACE_INDEX_ENTRY_BYTES = 24 /* u64 place, u32 rank, u32 sequence, u32 records, u32 kind */
};

/* What a chunk is. */
enum orrery_trace_chunk_kind {
  ORRERY_TRACE_PROPERTIES = 1, /* pairs of texts: where the trace comes from */
  ORRERY_TRACE_NAMES = 2,      /* what numbers in records mean: see orrery_trace_table */
  ORRERY_TRACE_COMM = 3,       /* members of a communicator */
  ORRERY_TRACE_BLOCK = 4,      /* operations of one rank; decoded without any other block */
  ORRERY_TRACE_INDEX = 5,
  ORRERY_TRACE_LOCAL = 6 /* calls of one rank that are no operations */
};

/* How a chunk's payload is packed. What was written without a compressor reads everywhere. */
enum orrery_trace_codec { ORRERY_TRACE_PLAIN = 0 };

/* Bits of orrery_trace_chunk.flags. */
enum { ORRERY_TRACE_LAST = 1 }; /* of a block: the rank's stream ends here, and was not cut off */

typedef struct orrery_trace_chunk {
  uint32_t magic;
  uint8_t kind, codec;
  uint16_t flags;
  uint32_t rank;     /* of a block: world rank; otherwise 0 */
  uint32_t sequence; /* of a block: which of its rank, from 0; otherwise 0 */
  uint32_t bytes;    /* of the payload, as it lies in the file, without the padding behind it */
  uint32_t unpacked; /* of the payload once it is unpacked */
  uint32_t records;
  uint32_t reserved;
  uint64_t checksum; /* XXH64, seed 0, of the 32 bytes before, then as seed for the payload */
} orrery_trace_chunk;

/* Tables of names. */
enum orrery_trace_table {
  ORRERY_TRACE_ROUTINES = 1,
  ORRERY_TRACE_SITES = 2, /* call sites: "file:line function", or "module+0xoffset"; paths of them, the outermost first,
                             with " => " between */
  ORRERY_TRACE_DATATYPES = 3,
  ORRERY_TRACE_ALGORITHMS = 4, /* of collectives, as `orrery run --coll` spells them */
  ORRERY_TRACE_HOSTS = 5,      /* by world rank: where it ran */
  ORRERY_TRACE_PHASES = 6
};

/* One operation: op::Operation (src/op/op.hpp has the meaning of each field, vocabulary.inc beside it the numbers of kinds and flags), and
 * what is known besides. Lists belong to the caller. */
typedef struct orrery_trace_record {
  uint8_t kind, mode, collective, flags;
  uint16_t routine, algorithm;
  int32_t peer, tag;
  uint32_t comm, request;
  double compute_s;      /* before the operation */
  uint64_t instructions; /* retired in user space in that computation; 0: not counted */
  uint32_t faults;       /* pages touched first in it; 0: none, or not counted; 2^32 - 1: copied back */
  uint16_t warm; /* thousandths of its usual time that its region takes with warm caches, as is known now; 0: no news;
                    above 1,000: less that, and each time */
  int64_t bytes, element, extent;
  const uint32_t* requests;
  const int64_t* counts;
  uint32_t requests_length, counts_length;
  uint32_t site, datatype, ran; /* numbers in the tables of sites, datatypes, algorithms; 0: not known */
  uint32_t thread;              /* that called, from 1, in the file of a single captured rank; 0: not known */
  int64_t begin_ns, end_ns;     /* of the call, since the start of the run; end_ns < 0: not known */
} orrery_trace_record;

/* What the operation before was answered: op::Reply. */
typedef struct orrery_trace_answer {
  uint8_t flag;
  int32_t source, tag;
  uint32_t sequence;
  int64_t bytes;
  uint32_t thread;
  const uint32_t* completed;
  uint32_t completed_length;
} orrery_trace_answer;

/* Calls of a routine that are no operations, as MPI_Comm_rank, in one phase of a rank. Without calls: time that a call
 * which is an operation took before the start of the run, or behind its end (MPI_Init, MPI_Finalize). */
typedef struct orrery_trace_local_calls {
  uint32_t phase; /* 0: outside of any */
  uint32_t routine;
  uint64_t calls;
  uint64_t time_ns; /* of all of them */
} orrery_trace_local_calls;

/* XXH64 of `length` bytes (Yann Collet, github.com/Cyan4973/xxHash, doc/xxhash_spec.md). */
uint64_t orrery_trace_checksum(const void* data, size_t length, uint64_t seed);

#ifdef __cplusplus
}
#endif
