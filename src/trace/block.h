/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* How operations lie in a block. Programs repeat themselves: a block keeps each distinct operation once, as a
 * definition, and then one number for each time that it happens, with what differs from time to time: the computation
 * before it, its tag, and when it happened.
 *
 * A record begins with a number h. h >> 4 is what it is: a definition, an answer, how the computation before the record
 * that follows was measured, or the definition of number (h >> 4) - ORRERY_TRACE_FIRST_DEFINED of this block, counted
 * from 0, again. Then follow, in this order, those parts
 * that the low four bits announce; an answer has none of them, and nor has a measurement, which is no record of its
 * own: three numbers, page faults, instructions, and the part of its usual time that its region takes with warm caches.
 */

#include "trace/bytes.h"
#include "trace/format.h"

enum {
  ORRERY_TRACE_DEFINE = 0, /* a definition follows, and happens for the first time */
  ORRERY_TRACE_ANSWER = 1,
  ORRERY_TRACE_MEASURED = 2,
  ORRERY_TRACE_FIRST_DEFINED = 3 /* version 1, which has no measurements: 2 */
};

/* Low bits of h. */
enum {
  ORRERY_TRACE_COMPUTE_NS = 1,     /* number n: computation of n * 1e-9 s */
  ORRERY_TRACE_COMPUTE_DOUBLE = 2, /* 8 bytes: computation, where the above is not equal to the last bit */
  ORRERY_TRACE_TAG = 4,            /* signed: tag minus the expected one, which is that of the last time, plus one for
                                      collectives, or 0 the first time (an undefined operation) */
  ORRERY_TRACE_STAMP = 8           /* signed: its begin minus the end of the last stamped one of the block, then number:
                                      how long it took; in ns */
};

/* A definition: byte kind, number of fields (bits), then the fields that differ from 0, in this order. */
enum {
  ORRERY_TRACE_MODE = 1 << 0,       /* byte */
  ORRERY_TRACE_COLLECTIVE = 1 << 1, /* byte */
  ORRERY_TRACE_FLAGS = 1 << 2,      /* byte */
  ORRERY_TRACE_ROUTINE = 1 << 3,    /* number */
  ORRERY_TRACE_ALGORITHM = 1 << 4,  /* number */
  ORRERY_TRACE_PEER = 1 << 5,       /* signed */
  ORRERY_TRACE_IN_COMM = 1 << 6,    /* number */
  ORRERY_TRACE_REQUEST = 1 << 7,    /* number */
  ORRERY_TRACE_BYTES = 1 << 8,      /* signed */
  ORRERY_TRACE_ELEMENT = 1 << 9,    /* signed */
  ORRERY_TRACE_REQUESTS = 1 << 10,  /* number, then so many: signed differences from the one before */
  ORRERY_TRACE_COUNTS = 1 << 11,    /* number, then so many: signed differences from the one before */
  ORRERY_TRACE_SITE = 1 << 12,      /* number */
  ORRERY_TRACE_DATATYPE = 1 << 13,  /* number */
  ORRERY_TRACE_RAN = 1 << 14,       /* number */
  ORRERY_TRACE_EXTENT = 1 << 15,    /* signed */
  ORRERY_TRACE_BY_THREAD = 1 << 16, /* number; in the file of a single captured rank only */
  ORRERY_TRACE_ALL_FIELDS = (1 << 17) - 1
};

/* An answer: byte of these bits, then what they announce, in this order. */
enum {
  ORRERY_TRACE_YES = 1 << 0,       /* its flag */
  ORRERY_TRACE_MESSAGE = 1 << 1,   /* signed source, signed tag, number sequence, signed bytes */
  ORRERY_TRACE_COMPLETED = 1 << 2, /* number, then so many: positions, signed differences from the one before */
  ORRERY_TRACE_THREAD = 1 << 3,    /* number */
  ORRERY_TRACE_ALL_ANSWERS = (1 << 4) - 1
};

/* Number of op::Kind::Collective, whose tags count up. */
enum { ORRERY_TRACE_KIND_COLLECTIVE = 18 };

/* What a definition says whose lists have one entry at most, that of its requests: most are such. */
typedef struct orrery_trace_key {
  int64_t bytes, element, extent;
  uint32_t comm, request, site, datatype, ran, thread, waits_for;
  int32_t peer;
  uint16_t routine, algorithm;
  uint8_t kind, mode, collective, flags;
  uint8_t requests_length;
  uint8_t has_lists; /* longer ones: the rest says nothing */
} orrery_trace_key;

/* Definitions of the block that is being written. */
typedef struct orrery_trace_definition {
  orrery_trace_key key;
  uint32_t place, length; /* of its bytes in the block */
  int32_t tag;            /* last time */
  uint16_t next;          /* number + 1 of what came behind it last time; 0: nothing has */
} orrery_trace_definition;

enum { ORRERY_TRACE_SLOTS = 1024, ORRERY_TRACE_MOST_DEFINED = 700 };

typedef struct orrery_trace_block {
  orrery_trace_bytes bytes;
  orrery_trace_bytes scratch;
  uint32_t records;
  uint32_t defined;
  uint16_t last; /* number + 1 of the last one's definition; 0: it has none */
  int64_t last_end_ns;
  uint16_t slots[ORRERY_TRACE_SLOTS]; /* by hash: number of the definition + 1; 0: none */
  orrery_trace_definition* definitions;
  uint32_t capacity; /* of these */
} orrery_trace_block;

#ifdef __cplusplus
extern "C" {
#endif
void orrery_trace_block_clear(orrery_trace_block* block);
void orrery_trace_block_free(orrery_trace_block* block);
void orrery_trace_block_operation(orrery_trace_block* block, const orrery_trace_record* record);
void orrery_trace_block_answer(orrery_trace_block* block, const orrery_trace_answer* answer);
#ifdef __cplusplus
}
#endif
