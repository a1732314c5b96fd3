/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORRERY_MASTERWORKER_H
#define ORRERY_MASTERWORKER_H

/* Master and workers on several levels, in C and C++, for any MPI from version 2 on. There is nothing to link.

   Rank 0 of a communicator is the super-master, which has all items. On each level of groups, the outermost first, a
   group has a boss; ranks that lead nobody are workers. Who has nothing left to do asks the one above for more: workers
   their boss, bosses the boss above, those of the outermost level the super-master. Results go the same way back.

     orrery_mw_tree tree;
     int colours[2] = {site, cluster};
     orrery_mw_create(MPI_COMM_WORLD, 2, colours, &tree);
     orrery_mw_job job = {0};
     job.items = 1000, job.work = my_function, job.output_bytes = sizeof(double), job.outputs = array;
     orrery_mw_run(&tree, &job);
     orrery_mw_free(&tree);

   All functions return MPI_SUCCESS, an error code of MPI, or ORRERY_MW_FAILED. None of them prints or aborts. */

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What orrery_mw_run returns on all ranks when a callback has failed; no code of MPI is negative. */
#define ORRERY_MW_FAILED (-1)

enum { ORRERY_MW_SUPER_MASTER, ORRERY_MW_BOSS, ORRERY_MW_WORKER };

/* Who leads whom, as one rank sees it. Ranks are those of the communicator. */
typedef struct {
  MPI_Comm comm;
  int levels;
  int role;
  int parent;    /* rank of the one above; -1: this is the super-master */
  int level;     /* as an index of `chunks`: what this rank asks for; of the super-master -1 */
  int workers;   /* below this rank; of a worker 1, of a super-master that is alone 1 */
  int count;     /* of those that this rank leads */
  int *child;    /* their ranks, increasing */
  int *rung;     /* their `level` */
  int *strength; /* their `workers` */
} orrery_mw_tree;

/* What is to be done. `items` and arrays of all items are the super-master's; sizes and `sum` have to be the same
   everywhere, functions may differ. */
typedef struct {
  long items;
  /* How many items a rank of a level gets at once: levels + 1 numbers, of the bosses of each level, outermost first,
     and of workers. 0, or no array: a part of what is left, in proportion to its workers. Who gives reads it. */
  const long *chunks;
  /* Computes items first to first + count - 1: from their inputs, if there are any, to their outputs, if there are any.
     Returns 0, or why it failed. */
  int (*work)(void *context, long first, long count, const void *inputs, void *outputs);
  void *context;
  int input_bytes; /* of an item, sent to who computes it; 0: its number says all */
  const void *inputs;
  int output_bytes; /* of an item, collected in the order of items; 0: none */
  void *outputs;
  /* Results that are reduced instead: each rank's own, neutral at the beginning, to which its `work` adds through
     `context`. Afterwards the super-master has those of all ranks. 0: none. */
  int sum_bytes;
  void *sum;
  void (*merge)(void *context, void *into, const void *other);
  int failure;       /* set: what the callback returned, where it was not 0; of several the one of the first item */
  long failed_first; /* set: the first item of that call */
} orrery_mw_job;

/* ---- Colours ---- */

/* The lowest rank with the same name: a colour for names of clusters, sites or groups. MPI_ERR_ARG, on all ranks: a
   name of 128 bytes or more. */
static __inline__ int orrery_mw_colour_of_name(MPI_Comm comm, const char *name, int *colour) {
  char mine[128] = {0}, *all;
  const size_t length = strlen(name), room = sizeof mine;
  int size, rank, error = MPI_Comm_size(comm, &size);
  *colour = 0;
  if (error != MPI_SUCCESS) return error;
  memcpy(mine, name, length < room ? length : room); /* one that is too long has no zero */
  all = (char *)malloc((size_t)size * room);
  if (!all) return MPI_ERR_NO_MEM;
  error = MPI_Allgather(mine, (int)room, MPI_CHAR, all, (int)room, MPI_CHAR, comm);
  for (rank = 0; error == MPI_SUCCESS && rank < size; ++rank)
    if (all[(size_t)rank * room + room - 1] != '\0') error = MPI_ERR_ARG;
  if (error == MPI_SUCCESS)
    while (strcmp(mine, all + (size_t)*colour * room) != 0) ++*colour;
  free(all);
  return error;
}

#if MPI_VERSION >= 3
/* The lowest rank with which this one shares what MPI_Comm_split_type divides by: MPI_COMM_TYPE_SHARED for nodes, or
   MPI_COMM_TYPE_HW_GUIDED with the key mpi_hw_resource_type. Where the MPI does not know it, all ranks have 0. */
static __inline__ int orrery_mw_colour_of_type(MPI_Comm comm, int split_type, MPI_Info info, int *colour) {
  MPI_Comm part = MPI_COMM_NULL;
  int rank, error = MPI_Comm_rank(comm, &rank);
  *colour = 0;
  if (error == MPI_SUCCESS) error = MPI_Comm_split_type(comm, split_type, 0, info, &part);
  if (error != MPI_SUCCESS || part == MPI_COMM_NULL) return error;
  error = MPI_Allreduce(&rank, colour, 1, MPI_INT, MPI_MIN, part);
  MPI_Comm_free(&part);
  return error;
}
#endif

/* ---- The tree ---- */

/* Of all ranks. */
typedef struct {
  const int *colours; /* by rank, then by level */
  int levels;
  int *parent, *level, *workers;
} orrery_mw_plan_;

/* Moves those of `members` that have the colour of the first one to the front, in order. How many they are. */
static __inline__ int orrery_mw_same_(const orrery_mw_plan_ *plan, int level, int *members, int count, int *room) {
  const int colour = plan->colours[members[0] * plan->levels + level];
  int same = 0, others = 0, i;
  for (i = 0; i < count; ++i) {
    const int member = members[i];
    if (plan->colours[member * plan->levels + level] == colour)
      members[same++] = member;
    else
      room[others++] = member;
  }
  memcpy(members + same, room, sizeof(int) * (size_t)others);
  return same;
}

/* Puts `members` below `leader`, from this level on. How many workers there are. */
static __inline__ int orrery_mw_place_(orrery_mw_plan_ *plan, int level, int leader, int *members, int count,
                                       int *room) {
  int workers = 0, i;
  if (level == plan->levels) {
    for (i = 0; i < count; ++i) plan->parent[members[i]] = leader, plan->level[members[i]] = level;
    return count;
  }
  while (count > 0) {
    const int same = orrery_mw_same_(plan, level, members, count, room), first = members[0], levels = plan->levels;
    const int is_whole = same == count && workers == 0;
    if (is_whole && plan->colours[leader * levels + level] == plan->colours[first * levels + level])
      return orrery_mw_place_(plan, level + 1, leader, members, count, room); /* a boss would have all of them */
    plan->parent[first] = leader, plan->level[first] = same == 1 ? levels : level;
    if (same > 1) plan->workers[first] = orrery_mw_place_(plan, level + 1, first, members + 1, same - 1, room);
    workers += plan->workers[first];
    members += same, count -= same;
  }
  return workers;
}

static __inline__ void orrery_mw_free_arrays_(orrery_mw_tree *tree) {
  free(tree->child);
  tree->child = tree->rung = tree->strength = NULL;
}

/* What this rank needs of the plan. */
static __inline__ int orrery_mw_keep_(const orrery_mw_plan_ *plan, int rank, int size, orrery_mw_tree *tree) {
  int i, n = 0;
  for (i = 0; i < size; ++i) n += plan->parent[i] == rank;
  tree->child = (int *)malloc(sizeof(int) * 3 * (size_t)(n + 1));
  if (!tree->child) return MPI_ERR_NO_MEM;
  tree->rung = tree->child + n, tree->strength = tree->rung + n, tree->count = 0;
  for (i = 0; i < size; ++i) {
    if (plan->parent[i] != rank) continue;
    tree->child[tree->count] = i, tree->rung[tree->count] = plan->level[i];
    tree->strength[tree->count++] = plan->workers[i];
  }
  tree->parent = plan->parent[rank], tree->level = plan->level[rank], tree->workers = plan->workers[rank];
  tree->role = rank == 0 ? ORRERY_MW_SUPER_MASTER : n > 0 ? ORRERY_MW_BOSS : ORRERY_MW_WORKER;
  return MPI_SUCCESS;
}

static __inline__ int orrery_mw_plan_tree_(const int *colours, int levels, int rank, int size, orrery_mw_tree *tree) {
  int *room = (int *)malloc(sizeof(int) * 5 * (size_t)size), error = MPI_ERR_NO_MEM, i;
  if (room) {
    int *const members = room + size;
    orrery_mw_plan_ plan;
    plan.colours = colours, plan.levels = levels;
    plan.parent = room + 2 * size, plan.level = room + 3 * size, plan.workers = room + 4 * size;
    for (i = 0; i < size; ++i) members[i] = i + 1, plan.parent[i] = plan.level[i] = -1, plan.workers[i] = 1;
    if (size > 1) plan.workers[0] = orrery_mw_place_(&plan, 0, 0, members, size - 1, room);
    error = orrery_mw_keep_(&plan, rank, size, tree);
  }
  free(room);
  return error;
}

/* All ranks agree: the largest of their codes. */
static __inline__ int orrery_mw_agree_(MPI_Comm comm, int mine) {
  int all = MPI_SUCCESS;
  const int error = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm);
  return error != MPI_SUCCESS ? error : all;
}

/* Learns the colours of all ranks, and who leads whom. */
static __inline__ int orrery_mw_build_(orrery_mw_tree *tree, int levels, const int *colours) {
  const int mine[2] = {levels < 0 || (levels > 0 && !colours) ? INT_MAX : levels, -levels};
  int rank, size, most[2], *all, error = MPI_Allreduce((void *)mine, most, 2, MPI_INT, MPI_MAX, tree->comm);
  if (error != MPI_SUCCESS) return error;
  if (most[0] == INT_MAX || most[0] != -most[1]) return MPI_ERR_ARG;
  MPI_Comm_rank(tree->comm, &rank), MPI_Comm_size(tree->comm, &size);
  all = (int *)malloc(sizeof(int) * ((size_t)size * (size_t)levels + 1));
  error = orrery_mw_agree_(tree->comm, all ? MPI_SUCCESS : MPI_ERR_NO_MEM);
  if (error == MPI_SUCCESS && levels > 0)
    error = MPI_Allgather((void *)colours, levels, MPI_INT, all, levels, MPI_INT, tree->comm);
  if (error == MPI_SUCCESS) error = orrery_mw_agree_(tree->comm, orrery_mw_plan_tree_(all, levels, rank, size, tree));
  free(all);
  return error;
}

/* Makes bosses and workers of the ranks of `comm`; collective. A group whose ranks are all that are left gets no boss
   of its own, and a rank that is alone in its group works for the one above.
   levels: how many levels of groups there are; 0: all work for the super-master.
   colours: of this rank, outermost level first; ranks of a group have the same one. Not read where levels is 0.
   MPI_ERR_ARG, on all ranks: levels is negative, or differs between ranks, or a rank has no colours. */
static __inline__ int orrery_mw_create(MPI_Comm comm, int levels, const int *colours, orrery_mw_tree *tree) {
  int error;
  memset(tree, 0, sizeof *tree);
  tree->comm = MPI_COMM_NULL, tree->levels = levels;
  error = MPI_Comm_dup(comm, &tree->comm);
  if (error != MPI_SUCCESS) return error;
  MPI_Comm_set_errhandler(tree->comm, MPI_ERRORS_RETURN);
  error = orrery_mw_build_(tree, levels, colours);
  if (error != MPI_SUCCESS) orrery_mw_free_arrays_(tree), MPI_Comm_free(&tree->comm);
  return error;
}

/* Frees it; collective. */
static __inline__ int orrery_mw_free(orrery_mw_tree *tree) {
  orrery_mw_free_arrays_(tree);
  return tree->comm == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&tree->comm);
}

/* ---- Messages ---- */

/* Tags. Whether a message with items goes up or down is known by its source. A child that has been told to end may send
   its sum while its leader still waits for others, so a leader that receives from any source asks for items alone. */
enum { ORRERY_MW_ITEMS_ = 1, ORRERY_MW_SUM_ = 2 };

/* In front of each message. Up: results of items, and whether more are asked for. Down: items to compute; none: it is
   the end. */
typedef struct {
  long long first, count, failure, failed_first, asks, unused; /* what follows is aligned to 16 bytes */
} orrery_mw_head_;

/* A message: the head, then inputs or outputs. It grows as needed. */
typedef struct {
  char *data;
  size_t room;
} orrery_mw_buffer_;

static __inline__ int orrery_mw_grow_(orrery_mw_buffer_ *buffer, size_t bytes) {
  char *more;
  if (bytes <= buffer->room) return MPI_SUCCESS;
  more = (char *)realloc(buffer->data, bytes);
  if (!more) return MPI_ERR_NO_MEM;
  buffer->data = more, buffer->room = bytes;
  return MPI_SUCCESS;
}

static __inline__ char *orrery_mw_body_(const orrery_mw_buffer_ *buffer) {
  return buffer->data + sizeof(orrery_mw_head_);
}

static __inline__ int orrery_mw_send_(const orrery_mw_tree *tree, int to, orrery_mw_buffer_ *buffer,
                                      orrery_mw_head_ head, size_t bytes) {
  memcpy(buffer->data, &head, sizeof head);
  return MPI_Send(buffer->data, (int)(sizeof head + bytes), MPI_BYTE, to, ORRERY_MW_ITEMS_, tree->comm);
}

/* Receives a message; from: a rank, or MPI_ANY_SOURCE for whoever sends one first. */
static __inline__ int orrery_mw_receive_(const orrery_mw_tree *tree, int from, orrery_mw_buffer_ *buffer,
                                         orrery_mw_head_ *head, MPI_Status *status) {
  int bytes, error = MPI_Probe(from, ORRERY_MW_ITEMS_, tree->comm, status);
  if (error != MPI_SUCCESS) return error;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  error = orrery_mw_grow_(buffer, (size_t)bytes);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Recv(buffer->data, bytes, MPI_BYTE, status->MPI_SOURCE, ORRERY_MW_ITEMS_, tree->comm, status);
  memcpy(head, buffer->data, sizeof *head);
  return error;
}

/* ---- Workers ---- */

/* Keeps the failure of the lowest item. */
static __inline__ void orrery_mw_fail_(orrery_mw_job *job, long long failure, long long first) {
  if (failure == 0 || (job->failure != 0 && job->failed_first <= first)) return;
  job->failure = (int)failure, job->failed_first = (long)first;
}

static __inline__ int orrery_mw_run_worker_(const orrery_mw_tree *tree, orrery_mw_job *job) {
  orrery_mw_buffer_ items = {NULL, 0}, results = {NULL, 0};
  orrery_mw_head_ done = {0, 0, 0, 0, 1, 0}, head;
  MPI_Status status;
  int error = orrery_mw_grow_(&results, sizeof done);
  size_t bytes = 0;
  while (error == MPI_SUCCESS) {
    error = orrery_mw_send_(tree, tree->parent, &results, done, bytes);
    if (error == MPI_SUCCESS) error = orrery_mw_receive_(tree, tree->parent, &items, &head, &status);
    if (error != MPI_SUCCESS || head.count == 0) break;
    bytes = (size_t)head.count * (size_t)job->output_bytes;
    error = orrery_mw_grow_(&results, sizeof done + bytes);
    if (error != MPI_SUCCESS) break;
    done = head, done.asks = 1, done.failed_first = head.first;
    done.failure = job->work(job->context, (long)head.first, (long)head.count,
                             job->input_bytes > 0 ? orrery_mw_body_(&items) : NULL,
                             job->output_bytes > 0 ? orrery_mw_body_(&results) : NULL);
  }
  free(items.data), free(results.data);
  return error;
}

/* ---- Those who lead ---- */

/* Items that a leader was given and whose results are not all there. */
typedef struct orrery_mw_open_ {
  long long first, end, next, done; /* items; `next`: the first that nobody has yet */
  const char *inputs;
  char *outputs;
  orrery_mw_buffer_ items, results; /* of a boss: what came, and what will go up */
  MPI_Request sent;                 /* of a boss: under way */
  struct orrery_mw_open_ *later;
} orrery_mw_open_;

typedef struct {
  const orrery_mw_tree *tree;
  orrery_mw_job *job;
  orrery_mw_open_ *opens; /* in the order in which they came */
  int *waiting;           /* a ring of children that have asked */
  int first_waiting, waits;
  int running; /* children that have not been told to end */
  int asked;   /* for more, and not answered */
  int ended;   /* there will be no more */
  orrery_mw_buffer_ buffer;
} orrery_mw_lead_;

/* The first items that nobody has, or null. */
static __inline__ orrery_mw_open_ *orrery_mw_left_(const orrery_mw_lead_ *lead) {
  orrery_mw_open_ *open = lead->opens;
  while (open && open->next == open->end) open = open->later;
  return open;
}

/* How many items a child gets of so many. */
static __inline__ long long orrery_mw_share_(const orrery_mw_lead_ *lead, int child, long long left) {
  const orrery_mw_tree *tree = lead->tree;
  const orrery_mw_job *job = lead->job;
  const int each = job->input_bytes > job->output_bytes ? job->input_bytes : job->output_bytes;
  const long long most = each > 0 ? (INT_MAX - (long long)sizeof(orrery_mw_head_)) / each : left;
  long long share = job->chunks ? job->chunks[tree->rung[child]] : 0;
  if (share == 0) {
    share = (long long)((double)left * tree->strength[child] / (2.0 * tree->workers));
    if (share < tree->strength[child]) share = tree->strength[child];
  }
  if (share > most) share = most;
  return share < left ? share : left;
}

/* Gives a waiting child items, or tells it that it is the end. */
static __inline__ int orrery_mw_give_(orrery_mw_lead_ *lead, orrery_mw_open_ *open) {
  const orrery_mw_tree *tree = lead->tree;
  const int child = lead->waiting[lead->first_waiting];
  orrery_mw_head_ head = {0, 0, 0, 0, 0, 0};
  size_t bytes = 0;
  int error;
  lead->first_waiting = (lead->first_waiting + 1) % tree->count, --lead->waits;
  if (open) {
    head.first = open->next, head.count = orrery_mw_share_(lead, child, open->end - open->next);
    bytes = (size_t)head.count * (size_t)lead->job->input_bytes;
  } else {
    --lead->running;
  }
  error = orrery_mw_grow_(&lead->buffer, sizeof head + bytes);
  if (error != MPI_SUCCESS) return error;
  if (bytes > 0) {
    const size_t skipped = (size_t)(head.first - open->first) * (size_t)lead->job->input_bytes;
    memcpy(orrery_mw_body_(&lead->buffer), open->inputs + skipped, bytes);
  }
  if (open) open->next += head.count;
  return orrery_mw_send_(tree, tree->child[child], &lead->buffer, head, bytes);
}

/* A callback has failed: nothing more is given out. What nobody has yet counts as done. */
static __inline__ void orrery_mw_stop_(orrery_mw_lead_ *lead) {
  orrery_mw_open_ *open;
  for (open = lead->opens; open; open = open->later) open->done += open->end - open->next, open->next = open->end;
}

/* What came from above: items to give out, or the end. The buffer goes over to them. */
static __inline__ int orrery_mw_take_(orrery_mw_lead_ *lead, orrery_mw_head_ head) {
  orrery_mw_open_ *open, **last = &lead->opens;
  const size_t bytes = sizeof head + (size_t)head.count * (size_t)lead->job->output_bytes;
  lead->asked = 0, lead->ended = head.count == 0;
  if (lead->ended) return MPI_SUCCESS;
  open = (orrery_mw_open_ *)calloc(1, sizeof *open);
  if (!open) return MPI_ERR_NO_MEM;
  while (*last) last = &(*last)->later;
  *last = open;
  open->sent = MPI_REQUEST_NULL;
  open->first = open->next = head.first, open->end = head.first + head.count;
  open->items = lead->buffer, lead->buffer.data = NULL, lead->buffer.room = 0;
  open->inputs = orrery_mw_body_(&open->items);
  if (orrery_mw_grow_(&open->results, bytes) != MPI_SUCCESS) return MPI_ERR_NO_MEM;
  open->outputs = orrery_mw_body_(&open->results);
  if (lead->job->failure != 0) orrery_mw_stop_(lead);
  return MPI_SUCCESS;
}

/* Whether all results of these items are there. */
static __inline__ int orrery_mw_is_done_(const orrery_mw_open_ *open) { return open->done == open->end - open->first; }

/* Sends what is complete up. It is under way while others come. */
static __inline__ int orrery_mw_pass_up_(orrery_mw_lead_ *lead, orrery_mw_open_ *open) {
  const orrery_mw_head_ head = {
      open->first, open->end - open->first, lead->job->failure, lead->job->failed_first, 0, 0};
  const size_t bytes = sizeof head + (size_t)head.count * (size_t)lead->job->output_bytes;
  memcpy(open->results.data, &head, sizeof head);
  return MPI_Isend(open->results.data, (int)bytes, MPI_BYTE, lead->tree->parent, ORRERY_MW_ITEMS_, lead->tree->comm,
                   &open->sent);
}

/* What came from below: results, and maybe a wish for more. */
static __inline__ int orrery_mw_collect_(orrery_mw_lead_ *lead, int child, orrery_mw_head_ head) {
  const size_t each = (size_t)lead->job->output_bytes;
  orrery_mw_open_ *open = lead->opens;
  if (head.asks) lead->waiting[(lead->first_waiting + lead->waits++) % lead->tree->count] = child;
  orrery_mw_fail_(lead->job, head.failure, head.failed_first);
  if (head.count == 0) return MPI_SUCCESS;
  while (open && !(open->first <= head.first && head.first < open->end)) open = open->later;
  if (!open) return MPI_ERR_INTERN;
  if (each > 0)
    memcpy(open->outputs + (size_t)(head.first - open->first) * each, orrery_mw_body_(&lead->buffer),
           (size_t)head.count * each);
  open->done += head.count;
  if (lead->job->failure != 0) orrery_mw_stop_(lead);
  return MPI_SUCCESS;
}

/* A boss: passes up what is complete, and forgets what has arrived there; at the end waits for that. */
static __inline__ int orrery_mw_clear_(orrery_mw_lead_ *lead, int wait) {
  orrery_mw_open_ **place = &lead->opens;
  int error = MPI_SUCCESS;
  while (*place && error == MPI_SUCCESS) {
    orrery_mw_open_ *const open = *place;
    int arrived = 0;
    if (orrery_mw_is_done_(open)) {
      if (open->sent == MPI_REQUEST_NULL) error = orrery_mw_pass_up_(lead, open);
      if (error == MPI_SUCCESS && wait) error = MPI_Wait(&open->sent, MPI_STATUS_IGNORE), arrived = 1;
      if (error == MPI_SUCCESS && !wait) error = MPI_Test(&open->sent, &arrived, MPI_STATUS_IGNORE);
    }
    if (!arrived) {
      place = &open->later;
      continue;
    }
    *place = open->later;
    free(open->items.data), free(open->results.data), free(open);
  }
  return error;
}

/* The index of a rank among the children. */
static __inline__ int orrery_mw_child_(const orrery_mw_tree *tree, int rank) {
  int low = 0, high = tree->count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (tree->child[middle] <= rank)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Whether a message is still to come. */
static __inline__ int orrery_mw_is_busy_(const orrery_mw_lead_ *lead) {
  const orrery_mw_open_ *open = lead->opens;
  while (open && orrery_mw_is_done_(open)) open = open->later;
  return open || lead->running > 0 || !lead->ended;
}

/* Answers who waits, asks above for more, and takes the next message. */
static __inline__ int orrery_mw_turn_(orrery_mw_lead_ *lead) {
  const orrery_mw_tree *tree = lead->tree;
  orrery_mw_head_ head = {0, 0, 0, 0, 1, 0};
  MPI_Status status;
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS && lead->waits > 0 && (orrery_mw_left_(lead) || lead->ended))
    error = orrery_mw_give_(lead, orrery_mw_left_(lead));
  if (error == MPI_SUCCESS && !lead->asked && !lead->ended && !orrery_mw_left_(lead)) {
    error = orrery_mw_grow_(&lead->buffer, sizeof head);
    if (error == MPI_SUCCESS) error = orrery_mw_send_(tree, tree->parent, &lead->buffer, head, 0);
    lead->asked = 1;
  }
  if (error != MPI_SUCCESS || !orrery_mw_is_busy_(lead)) return error;
  error = orrery_mw_receive_(tree, MPI_ANY_SOURCE, &lead->buffer, &head, &status);
  if (error != MPI_SUCCESS) return error;
  if (status.MPI_SOURCE == tree->parent) return orrery_mw_take_(lead, head);
  return orrery_mw_collect_(lead, orrery_mw_child_(tree, status.MPI_SOURCE), head);
}

/* The super-master's items are open from the beginning, and there will be no others. */
static __inline__ int orrery_mw_run_leader_(const orrery_mw_tree *tree, orrery_mw_job *job) {
  orrery_mw_open_ all;
  orrery_mw_lead_ lead;
  int error = MPI_SUCCESS;
  memset(&all, 0, sizeof all), memset(&lead, 0, sizeof lead);
  lead.tree = tree, lead.job = job, lead.running = tree->count;
  if (tree->role == ORRERY_MW_SUPER_MASTER) {
    all.end = job->items, all.inputs = (const char *)job->inputs, all.outputs = (char *)job->outputs;
    lead.opens = &all, lead.ended = 1;
  }
  lead.waiting = (int *)malloc(sizeof(int) * (size_t)tree->count);
  if (!lead.waiting) error = MPI_ERR_NO_MEM;
  while (error == MPI_SUCCESS && orrery_mw_is_busy_(&lead)) {
    error = orrery_mw_turn_(&lead);
    if (error == MPI_SUCCESS && lead.opens != &all) error = orrery_mw_clear_(&lead, 0);
  }
  if (error == MPI_SUCCESS && lead.opens != &all) error = orrery_mw_clear_(&lead, 1);
  free(lead.waiting), free(lead.buffer.data);
  return error;
}

/* A super-master without others does everything itself. */
static __inline__ void orrery_mw_run_alone_(const orrery_mw_tree *tree, orrery_mw_job *job) {
  const long chunk = job->chunks && job->chunks[tree->levels] > 0 ? job->chunks[tree->levels] : job->items;
  long first = 0;
  while (first < job->items && job->failure == 0) {
    const long count = job->items - first < chunk ? job->items - first : chunk;
    const char *inputs = job->input_bytes > 0 ? (const char *)job->inputs + (size_t)first * job->input_bytes : NULL;
    char *outputs = job->output_bytes > 0 ? (char *)job->outputs + (size_t)first * job->output_bytes : NULL;
    orrery_mw_fail_(job, job->work(job->context, first, count, inputs, outputs), first);
    first += count;
  }
}

/* ---- The run ---- */

/* Sums go up, in the order of ranks. */
static __inline__ int orrery_mw_sum_up_(const orrery_mw_tree *tree, orrery_mw_job *job) {
  int error = MPI_SUCCESS, i;
  char *other = tree->count > 0 ? (char *)malloc((size_t)job->sum_bytes) : NULL;
  if (tree->count > 0 && !other) return MPI_ERR_NO_MEM;
  for (i = 0; i < tree->count && error == MPI_SUCCESS; ++i) {
    error = MPI_Recv(other, job->sum_bytes, MPI_BYTE, tree->child[i], ORRERY_MW_SUM_, tree->comm, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) job->merge(job->context, job->sum, other);
  }
  free(other);
  if (error == MPI_SUCCESS && tree->parent >= 0)
    error = MPI_Send(job->sum, job->sum_bytes, MPI_BYTE, tree->parent, ORRERY_MW_SUM_, tree->comm);
  return error;
}

/* What is wrong with a rank's own job. */
static __inline__ int orrery_mw_is_wrong_(const orrery_mw_tree *tree, const orrery_mw_job *job) {
  const int is_master = tree->role == ORRERY_MW_SUPER_MASTER;
  const int most = INT_MAX - (int)sizeof(orrery_mw_head_);
  int i, wrong = !job->work || job->input_bytes < 0 || job->output_bytes < 0 || job->sum_bytes < 0;
  wrong = wrong || job->input_bytes > most || job->output_bytes > most;
  wrong = wrong || (job->sum_bytes > 0 && (!job->sum || !job->merge));
  if (is_master && job->items > 0)
    wrong = wrong || (job->input_bytes > 0 && !job->inputs) || (job->output_bytes > 0 && !job->outputs);
  for (i = 0; job->chunks && i <= tree->levels; ++i) wrong = wrong || job->chunks[i] < 0;
  return wrong || (is_master && job->items < 0);
}

/* All ranks learn whether some job is wrong, or sizes differ. */
static __inline__ int orrery_mw_check_(const orrery_mw_tree *tree, const orrery_mw_job *job) {
  const int bad = orrery_mw_is_wrong_(tree, job);
  int mine[7], all[7], error;
  mine[0] = job->input_bytes, mine[1] = job->output_bytes, mine[2] = job->sum_bytes;
  mine[3] = -job->input_bytes, mine[4] = -job->output_bytes, mine[5] = -job->sum_bytes, mine[6] = bad;
  error = MPI_Allreduce(mine, all, 7, MPI_INT, MPI_MAX, tree->comm);
  if (error != MPI_SUCCESS) return error;
  return all[6] || all[0] != -all[3] || all[1] != -all[4] || all[2] != -all[5] ? MPI_ERR_ARG : MPI_SUCCESS;
}

/* Does all items, each once, and collects the results; collective.
   MPI_ERR_ARG, on all ranks and before anything is done: a size is negative or differs between ranks, an array or a
   function is missing, a chunk or the number of items is negative.
   ORRERY_MW_FAILED, on all ranks: `work` returned something else than 0; job->failure has it. What was not given out
   by then is not done, and there is no sum.
   Any other error is of MPI, and of this rank: others may wait for it, so call MPI_Abort. */
static __inline__ int orrery_mw_run(const orrery_mw_tree *tree, orrery_mw_job *job) {
  long failed[2];
  int error = orrery_mw_check_(tree, job);
  job->failure = 0, job->failed_first = 0;
  if (error != MPI_SUCCESS) return error;
  if (tree->role == ORRERY_MW_WORKER)
    error = orrery_mw_run_worker_(tree, job);
  else if (tree->count > 0)
    error = orrery_mw_run_leader_(tree, job);
  else
    orrery_mw_run_alone_(tree, job);
  if (error != MPI_SUCCESS) return error;
  failed[0] = job->failure, failed[1] = job->failed_first;
  error = MPI_Bcast(failed, 2, MPI_LONG, 0, tree->comm);
  job->failure = (int)failed[0], job->failed_first = failed[1];
  if (error == MPI_SUCCESS && job->failure != 0) return ORRERY_MW_FAILED;
  return error == MPI_SUCCESS && job->sum_bytes > 0 ? orrery_mw_sum_up_(tree, job) : error;
}

#ifdef __cplusplus
}
#endif

#endif
