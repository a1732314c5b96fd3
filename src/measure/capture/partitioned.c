/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned messages, as `orrery run` writes them down (docs/design/partitioned.md): a send is a Join of its
 * partitions, each of which leaves when the program says that it is ready; a receive is one operation. */
#include <stdlib.h>

#include "calls.h"
#include "capture.h"

#if ORRERY_MPI_HAS(4, 0)

/* Requests of the same ranks, communicator and tag are numbered as they are made, on both sides alike. */
typedef struct family {
  uint8_t kind;
  uint32_t comm;
  int32_t peer, tag;
  uint16_t next;
  struct family* chain;
} family;

static uint16_t pair_number(const orrery_trace_record* r) {
  static family* first;
  for (family* known = first; known != NULL; known = known->chain)
    if (known->kind == r->kind && known->comm == r->comm && known->peer == r->peer && known->tag == r->tag)
      return known->next++;
  family* made = malloc(sizeof *made);
  if (made == NULL) abort();
  *made = (family){r->kind, r->comm, r->peer, r->tag, 1, first};
  first = made;
  return 0;
}

void orrery_partitioned(orrery_call* call, enum orrery_kind kind, int partitions, int64_t count, MPI_Datatype datatype,
                        int peer, int tag, MPI_Comm comm, MPI_Request request) {
  if (peer == MPI_PROC_NULL) {
    orrery_nothing(call);
    return;
  }
  const orrery_comm* known = orrery_comm_of(comm);
  const int64_t bytes = orrery_bytes(count, datatype);
  orrery_trace_record r = orrery_record(kind);
  r.comm = known->number;
  r.peer = orrery_world_rank(known, peer);
  r.tag = tag;
  r.algorithm = pair_number(&r);
  r.bytes = partitions * bytes;
  if (kind == ORRERY_OP_Join) r.bytes = bytes > 0 ? partitions : 1; /* an empty one is one message */
  orrery_prepared(call, &r, MPI_COMM_NULL, request);
  orrery_request* entry = orrery_request_of(request);
  if (entry == NULL) return;
  entry->partitions = partitions;
  entry->partition_bytes = bytes;
}

static void write_ready(orrery_call* call, orrery_request* entry, int partition) {
  if (entry->partition_bytes == 0 && ++entry->ready % entry->partitions != 0) return;
  orrery_trace_record r = entry->record;
  r.kind = ORRERY_OP_Psend;
  r.flags = ORRERY_FLAG_Part;
  r.request = entry->number;
  r.bytes = entry->partition_bytes;
  r.element = entry->partition_bytes > 0 ? partition : 0;
  orrery_write(call, &r);
}

void orrery_ready(orrery_call* call, int first, int count, const int* list, MPI_Request request) {
  orrery_request* entry = orrery_request_of(request);
  if (entry != NULL && entry->partitions > 0)
    for (int i = 0; i < count; ++i) write_ready(call, entry, list == NULL ? first + i : list[i]);
  if (!call->written) orrery_nothing(call);
}

void orrery_arrived(orrery_call* call, MPI_Request request, int partition, int flag) {
  const orrery_request* entry = orrery_request_of(request);
  if (entry == NULL || entry->number == 0) { /* it is not active: the answer is yes */
    orrery_nothing(call);
    return;
  }
  orrery_trace_record r = orrery_record(ORRERY_OP_Arrived);
  const orrery_trace_answer answer = orrery_answer(flag);
  r.request = entry->number;
  r.bytes = entry->partition_bytes;
  r.element = partition;
  orrery_write_answered(call, &r, &answer);
}

/* MPICH 4.0 declares the list without const: the alias has whichever type there is. */
int orrery_pready_list(int length, const int* partitions, MPI_Request request) {
  static int (*real)(int, const int*, MPI_Request);
  orrery_call call;
  if (real == NULL) *(void**)&real = orrery_real("PMPI_Pready_list");
  if (!orrery_begin(&call, ORRERY_ROUTINE_Pready_list, __builtin_return_address(0)))
    return real(length, partitions, request);
  const int result = real(length, partitions, request);
  orrery_over(&call);
  orrery_ready(&call, 0, result == MPI_SUCCESS ? length : 0, partitions, request);
  orrery_end(&call);
  return result;
}
#define ORRERY_PREADY_LIST __attribute__((alias("orrery_pready_list"), visibility("default")))
extern __typeof__(MPI_Pready_list) MPI_Pready_list ORRERY_PREADY_LIST;
extern __typeof__(PMPI_Pready_list) PMPI_Pready_list ORRERY_PREADY_LIST;
#endif
