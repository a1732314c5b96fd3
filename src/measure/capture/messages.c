/* SPDX-License-Identifier: BSD-3-Clause
 * Sends, receives and probes. */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

int64_t orrery_bytes(int64_t count, MPI_Datatype datatype) {
  int size = 0;
  if (count == 0 || datatype == MPI_DATATYPE_NULL) return 0;
#if MPI_VERSION >= 3
  MPI_Count large = 0;
  PMPI_Type_size(datatype, &size);
  if (size != MPI_UNDEFINED) return count * size;
  PMPI_Type_size_x(datatype, &large);
  return count * large;
#else
  PMPI_Type_size(datatype, &size);
  return count * size;
#endif
}

int orrery_send(orrery_trace_record* r, enum orrery_mode mode, int64_t count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return 0;
  const orrery_comm* known = orrery_comm_of(comm);
  r->kind = ORRERY_OP_Isend;
  r->mode = (uint8_t)mode;
  r->comm = known->number;
  r->peer = orrery_world_rank(known, dest);
  r->tag = tag;
  r->bytes = orrery_bytes(count, datatype);
  return r->peer >= 0;
}

static int32_t sender(const orrery_comm* comm, int source) {
  return source == MPI_ANY_SOURCE ? ORRERY_ANY_SOURCE : orrery_world_rank(comm, source);
}

int orrery_recv(orrery_trace_record* r, int64_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return 0;
  const orrery_comm* known = orrery_comm_of(comm);
  r->kind = ORRERY_OP_Irecv;
  r->comm = known->number;
  r->peer = sender(known, source);
  r->tag = tag == MPI_ANY_TAG ? ORRERY_ANY_TAG : tag;
  r->bytes = orrery_bytes(count, datatype);
  if (source == MPI_ANY_SOURCE) r->flags |= ORRERY_FLAG_WantsMatch;
  return source == MPI_ANY_SOURCE || r->peer >= 0;
}

orrery_trace_answer orrery_match(const orrery_comm* comm, const MPI_Status* status) {
  orrery_trace_answer answer = orrery_answer(1);
  int bytes = 0;
  if (status == MPI_STATUS_IGNORE || status->MPI_SOURCE < 0) return answer;
  answer.source = orrery_world_rank(comm, status->MPI_SOURCE);
  answer.tag = status->MPI_TAG;
  if (PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED) answer.bytes = bytes;
  return answer;
}

void orrery_sendrecv(orrery_call* call, int64_t send_count, MPI_Datatype send_type, int dest, int send_tag,
                     int64_t recv_count, MPI_Datatype recv_type, int source, int recv_tag, MPI_Comm comm,
                     const MPI_Status* status) {
  orrery_trace_record recv = orrery_record(ORRERY_OP_Irecv), send = orrery_record(ORRERY_OP_Isend);
  orrery_trace_record wait = orrery_record(ORRERY_OP_WaitAll);
  uint32_t numbers[2], count = 0;
  if (orrery_recv(&recv, recv_count, recv_type, source, recv_tag, comm)) {
    numbers[count++] = recv.request = orrery_request_number();
    orrery_write(call, &recv);
  }
  if (orrery_send(&send, ORRERY_MODE_Standard, send_count, send_type, dest, send_tag, comm)) {
    numbers[count++] = send.request = orrery_request_number();
    orrery_write(call, &send);
  }
  if (count == 0) {
    orrery_nothing(call);
    return;
  }
  wait.requests = numbers;
  wait.requests_length = count;
  orrery_write(call, &wait);
  if (recv.flags & ORRERY_FLAG_WantsMatch) {
    orrery_trace_record match = orrery_record(ORRERY_OP_Match);
    match.request = recv.request;
    const orrery_trace_answer answer = orrery_match(orrery_comm_of(comm), status);
    orrery_write_answered(call, &match, &answer);
  }
  while (count > 0) orrery_request_number_back(numbers[--count]);
}

/* One request for both: its parts. */
void orrery_isendrecv(orrery_call* call, int64_t send_count, MPI_Datatype send_type, int dest, int send_tag,
                      int64_t recv_count, MPI_Datatype recv_type, int source, int recv_tag, MPI_Comm comm,
                      MPI_Request request) {
  orrery_trace_record recv = orrery_record(ORRERY_OP_Irecv), send = orrery_record(ORRERY_OP_Isend);
  orrery_trace_record both = orrery_record(ORRERY_OP_Join);
  const int receives = orrery_recv(&recv, recv_count, recv_type, source, recv_tag, comm);
  const int sends = orrery_send(&send, ORRERY_MODE_Standard, send_count, send_type, dest, send_tag, comm);
  if (!receives && !sends) {
    orrery_nothing(call);
    return;
  }
  both.peer = receives ? recv.peer : send.peer;
  both.tag = receives ? recv.tag : send.tag;
  both.comm = orrery_comm_of(comm)->number;
  both.bytes = receives + sends;
  orrery_started(call, &both, comm, request);
  recv.flags = send.flags = ORRERY_FLAG_Part; /* whose message it gets is not asked for: any will do */
  recv.request = send.request = both.request;
  if (receives) orrery_write(call, &recv);
  if (sends) orrery_write(call, &send);
}

/* Messages that probes have taken out of the queue: who sent them, and numbers that tell one from another. */
typedef struct taken {
  uint64_t handle;
  int32_t source;
  uint32_t number;
  const orrery_comm* comm;
  struct taken* chain;
} taken;
static taken* messages;

uint64_t orrery_message_key(MPI_Message message) {
  uint64_t key = 0;
  memcpy(&key, &message, sizeof message);
  return key;
}

static void take(orrery_trace_answer* answer, const orrery_comm* comm, MPI_Message message) {
  static uint32_t next = 1;
  taken* entry = malloc(sizeof *entry);
  if (entry == NULL) abort();
  *entry = (taken){orrery_message_key(message), answer->source, next++, comm, messages};
  messages = entry;
  answer->sequence = entry->number;
}

void orrery_probed(orrery_call* call, enum orrery_kind kind, int source, int tag, MPI_Comm comm, int found,
                   const MPI_Status* status, const MPI_Message* message) {
  if (source == MPI_PROC_NULL) {
    orrery_nothing(call);
    return;
  }
  const orrery_comm* known = orrery_comm_of(comm);
  orrery_trace_record r = orrery_record(kind);
  orrery_trace_answer answer = orrery_answer(0);
  r.comm = known->number;
  r.peer = sender(known, source);
  r.tag = tag == MPI_ANY_TAG ? ORRERY_ANY_TAG : tag;
  if (found) answer = orrery_match(known, status);
  if (message != NULL) {
    r.flags |= ORRERY_FLAG_Take;
    if (found) take(&answer, known, *message);
  }
  orrery_write_answered(call, &r, &answer);
}

void orrery_matched(orrery_call* call, int64_t count, MPI_Datatype datatype, uint64_t message, MPI_Request* request) {
  for (taken** at = &messages; *at != NULL; at = &(*at)->chain) {
    taken* entry = *at;
    if (entry->handle != message) continue;
    orrery_trace_record r = orrery_record(ORRERY_OP_Irecv);
    r.flags |= ORRERY_FLAG_Take;
    r.comm = entry->comm->number;
    r.peer = entry->source;
    r.tag = ORRERY_ANY_TAG;
    r.element = entry->number;
    r.bytes = orrery_bytes(count, datatype);
    *at = entry->chain;
    free(entry);
    if (request == NULL) {
      orrery_blocking(call, &r, MPI_COMM_NULL, MPI_STATUS_IGNORE);
    } else {
      orrery_started(call, &r, MPI_COMM_NULL, *request);
    }
    return;
  }
  orrery_nothing(call);
}
