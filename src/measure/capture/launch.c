/* SPDX-License-Identifier: BSD-3-Clause
 * The ways in which an operation is launched: as a blocking call, as an immediate one, or prepared to be started. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

void orrery_blocking(orrery_call* call, orrery_trace_record* r, MPI_Comm comm, const MPI_Status* status) {
  r->flags |= ORRERY_FLAG_Blocking;
  if (r->flags & ORRERY_FLAG_WantsMatch) {
    const orrery_trace_answer answer = orrery_match(orrery_comm_of(comm), status);
    orrery_write_answered(call, r, &answer);
  } else {
    orrery_write(call, r);
  }
}

static void remember_receive(orrery_request* entry, const orrery_trace_record* r, MPI_Comm comm) {
  entry->wild = (r->flags & ORRERY_FLAG_WantsMatch) != 0;
  if (r->kind == ORRERY_OP_Irecv && comm != MPI_COMM_NULL) entry->comm = orrery_comm_of(comm);
}

void orrery_started(orrery_call* call, orrery_trace_record* r, MPI_Comm comm, MPI_Request request) {
  r->request = orrery_request_number();
  remember_receive(orrery_request_add(request, r->request), r, comm);
  orrery_write(call, r);
}

void orrery_prepared(orrery_call* call, orrery_trace_record* r, MPI_Comm comm, MPI_Request request) {
  orrery_request* entry = orrery_request_add(request, 0);
  entry->persistent = 1;
  entry->record = *r;
  remember_receive(entry, r, comm);
  if (r->counts_length > 0) {
    int64_t* kept = malloc(r->counts_length * sizeof *kept);
    if (kept == NULL) abort();
    memcpy(kept, r->counts, r->counts_length * sizeof *kept);
    entry->record.counts = kept;
  }
  orrery_nothing(call);
}

void orrery_start(orrery_call* call, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    orrery_request* entry = orrery_request_of(requests[i]);
    if (entry == NULL || !entry->persistent) continue;
    orrery_trace_record r = entry->record;
    r.request = entry->number = orrery_request_number();
    orrery_write(call, &r);
  }
  if (!call->written) orrery_nothing(call);
}
