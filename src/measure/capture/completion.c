/* SPDX-License-Identifier: BSD-3-Clause
 * Waits and tests. The requests were picked before the call, which takes their handles away. */
#include <stdlib.h>

#include "capture.h"

/* Where the program wants no status, but we have to know who sent. */
MPI_Status* orrery_one_status(orrery_call* call, orrery_list* list, MPI_Status* given) {
  return given == MPI_STATUS_IGNORE && list->wants_status ? &call->status : given;
}

MPI_Status* orrery_all_statuses(orrery_list* list, MPI_Status* given) {
  if (given != MPI_STATUSES_IGNORE || !list->wants_status) return given;
  if (list->count > list->statuses_capacity) {
    free(list->statuses);
    list->statuses_capacity = 2 * list->count;
    list->statuses = malloc((size_t)list->statuses_capacity * sizeof *list->statuses);
    if (list->statuses == NULL) abort();
  }
  return list->statuses;
}

static orrery_trace_record about(enum orrery_kind kind, const orrery_list* list) {
  orrery_trace_record r = orrery_record(kind);
  r.requests = list->numbers;
  r.requests_length = (uint32_t)list->active;
  return r;
}

/* Which of the active ones is at this place of the program's list. */
static uint32_t position_of(const orrery_list* list, int index) {
  int low = 0, high = list->active - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (list->positions[middle] < index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (uint32_t)low;
}

/* What must be written before the wait: requests that were withdrawn. */
static void write_cancels(orrery_call* call, orrery_list* list, const MPI_Status* statuses) {
  for (int i = 0; i < list->active; ++i) {
    orrery_request* entry = list->entries[list->positions[i]];
    int withdrawn = 0;
    if (!entry->cancelled || statuses == MPI_STATUSES_IGNORE) continue;
    PMPI_Test_cancelled(&statuses[list->positions[i]], &withdrawn);
    orrery_trace_record r = orrery_record(ORRERY_OP_Cancel);
    const orrery_trace_answer answer = orrery_answer(withdrawn);
    r.requests = &entry->number;
    r.requests_length = 1;
    orrery_write_answered(call, &r, &answer);
    if (withdrawn) entry->wild = 0;
  }
}

/* What comes behind it: whose message a receive of any source has got. Then the request is over. */
static void settle(orrery_call* call, orrery_request* entry, const MPI_Status* status) {
  if (entry->wild) {
    orrery_trace_record r = orrery_record(ORRERY_OP_Match);
    r.request = entry->number;
    const orrery_trace_answer answer = orrery_match(entry->comm, status);
    orrery_write_answered(call, &r, &answer);
  }
  orrery_request_over(entry);
}

static const MPI_Status* status_at(const MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

static int is_empty(orrery_call* call, orrery_list* list) {
  if (list->active > 0) return 0;
  orrery_unpick(list);
  orrery_nothing(call);
  return 1;
}

static void settle_all(orrery_call* call, orrery_list* list, const MPI_Status* statuses) {
  for (int i = list->active; i-- > 0;) /* backwards, so that the next loop gets the same numbers */
    settle(call, list->entries[list->positions[i]], status_at(statuses, list->positions[i]));
}

void orrery_waited_all(orrery_call* call, orrery_list* list, const MPI_Status* statuses) {
  if (is_empty(call, list)) return;
  orrery_unpick(list);
  write_cancels(call, list, statuses);
  orrery_trace_record r = about(ORRERY_OP_WaitAll, list);
  orrery_write(call, &r);
  settle_all(call, list, statuses);
}

void orrery_tested_all(orrery_call* call, orrery_list* list, int flag, const MPI_Status* statuses) {
  if (is_empty(call, list)) return;
  orrery_unpick(list);
  if (flag) write_cancels(call, list, statuses);
  orrery_trace_record r = about(ORRERY_OP_TestAll, list);
  const orrery_trace_answer answer = orrery_answer(flag);
  orrery_write_answered(call, &r, &answer);
  if (flag) settle_all(call, list, statuses);
}

/* `count` of them are over: by position in the program's list; `statuses` are in the order of `indices`. */
static void some(orrery_call* call, orrery_list* list, enum orrery_kind kind, int count, const int* indices,
                 const MPI_Status* statuses) {
  uint32_t few[16];
  if (is_empty(call, list)) return;
  orrery_unpick(list);
  if (count < 0 || count == MPI_UNDEFINED) count = 0;
  uint32_t* completed = count <= 16 ? few : malloc((size_t)count * sizeof *completed);
  if (completed == NULL) abort();
  for (int i = 0; i < count; ++i) completed[i] = position_of(list, indices[i]);
  orrery_trace_record r = about(kind, list);
  orrery_trace_answer answer = orrery_answer(count > 0);
  answer.completed = completed;
  answer.completed_length = (uint32_t)count;
  orrery_write_answered(call, &r, &answer);
  for (int i = 0; i < count; ++i)
    if (list->entries[indices[i]] != NULL) settle(call, list->entries[indices[i]], status_at(statuses, i));
  if (completed != few) free(completed);
}

void orrery_waited_any(orrery_call* call, orrery_list* list, int index, const MPI_Status* status) {
  some(call, list, ORRERY_OP_WaitAny, index == MPI_UNDEFINED ? 0 : 1, &index, status);
}

void orrery_waited_some(orrery_call* call, orrery_list* list, int count, const int* indices,
                        const MPI_Status* statuses) {
  some(call, list, ORRERY_OP_WaitSome, count, indices, statuses);
}

void orrery_tested_any(orrery_call* call, orrery_list* list, int flag, int index, const MPI_Status* status) {
  some(call, list, ORRERY_OP_TestAny, !flag || index == MPI_UNDEFINED ? 0 : 1, &index, status);
}

void orrery_tested_some(orrery_call* call, orrery_list* list, int count, const int* indices,
                        const MPI_Status* statuses) {
  some(call, list, ORRERY_OP_TestSome, count, indices, statuses);
}

void orrery_peeked(orrery_call* call, orrery_list* list, int flag) {
  if (is_empty(call, list)) return;
  orrery_unpick(list);
  orrery_trace_record r = about(ORRERY_OP_TestAll, list);
  const orrery_trace_answer answer = orrery_answer(flag);
  r.flags |= ORRERY_FLAG_Peek;
  orrery_write_answered(call, &r, &answer);
}

/* Whether it could be withdrawn shows when it is waited for. */
void orrery_cancelled(orrery_call* call, orrery_list* list) {
  orrery_unpick(list);
  if (list->active > 0) list->entries[0]->cancelled = 1;
  orrery_nothing(call);
}

void orrery_freed(orrery_call* call, orrery_list* list) {
  orrery_unpick(list);
  if (list->active > 0) {
    orrery_trace_record r = about(ORRERY_OP_RequestFree, list);
    orrery_write(call, &r);
    orrery_request_number_back(list->numbers[0]);
  } else {
    orrery_nothing(call);
  }
  if (list->entries[0] != NULL) orrery_request_forget(list->entries[0]);
}
