/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORRERY_GROUPS_H
#define ORRERY_GROUPS_H

/* The groups that a job asks for, in C and C++: names to numbers ("colours") and back, ranks, communicators. It needs MPI-3
   and this file; nothing has to be linked. The same program runs on Orrery (`orrery run --groups job.toml`) and on any
   other MPI (`orrery launch --groups job.toml -- mpirun ...`): both hand the groups on in the environment variable
   ORRERY_GROUPS. Where it is not set or empty there are no groups, and nothing here is an error.

   A group inside of another one is named with it: "ocean/east". Colours count from 0, a group before those inside it, so
   they serve MPI_Comm_split. Depth 0 are the groups of the whole job, 1 those inside of them, and so on. Ranks are those
   of MPI_COMM_WORLD.

   int orrery_group_count(void)                      how many groups there are, at all depths
   const char *orrery_group_error(void)              what is wrong with ORRERY_GROUPS, and then there are none; else ""
   const char *orrery_group_name(colour)             null where there is no such group
   int orrery_group_colour(name)                     ORRERY_NO_GROUP where there is none
   int orrery_group_parent(colour)                   the group around it; ORRERY_NO_GROUP: the whole job
   int orrery_group_depth(colour)
   int orrery_group_size(colour)                     number of its ranks
   int orrery_group_ranks(colour, int *ranks)        writes these, in their order in the group; gives their number
   int orrery_group_of(rank, depth)                  colour of the group that has the rank; depth ORRERY_INNERMOST: the smallest
   int orrery_group_fact(colour, key, char *value, room)   what was asked for, and where it landed: length of the value, which
                                                     is cut off at room - 1; -1: nothing is said of it
   int orrery_group_mine(depth)                      of the calling process; only between MPI_Init and MPI_Finalize
   int orrery_group_comm(colour, MPI_Comm *comm)     a new communicator of its ranks, collective over these alone;
                                                     MPI_COMM_NULL for others. Gives an error class of MPI

   ORRERY_GROUPS_ONLY_TABLE leaves out the last two, and with them mpi.h. */

#include <stdlib.h>
#include <string.h>

#define ORRERY_NO_GROUP (-1)
#define ORRERY_INNERMOST (-1)

#ifdef __cplusplus
extern "C" {
#endif

/* --- the table --------------------------------------------------------------------------------------------------------

   1:SIZE:NAME=RANKS&KEY=VALUE&KEY=VALUE:NAME=RANKS:...

   SIZE is the number of ranks of the job, RANKS a list such as 0-3,8,10-30/2 (every second one), a KEY is of small letters
   and "_". A value has neither ":" nor "&". The position of a group in the list is its colour. */

enum { orrery_most_groups_ = 4096, orrery_most_ranks_ = 1 << 24, orrery_longest_name_ = 255 };

struct orrery_group_ {
  const char *name;
  const char *ranks;
  const char *facts; /* each ends with a zero, as does their list */
  int size, parent, depth;
};

struct orrery_groups_ {
  int size, count;
  struct orrery_group_ *groups;
  char *text; /* what the groups point into */
  const char *error;
};

/* A number at *text, which moves behind it; -1: there is none, or it is not below `end`. */
static __inline__ long orrery_number_(const char **text, long end) {
  long number = 0;
  const char *at = *text;
  if (*at < '0' || *at > '9') return -1;
  for (; *at >= '0' && *at <= '9'; ++at) {
    number = 10 * number + (*at - '0');
    if (number >= end) return -1;
  }
  *text = at;
  return number;
}

struct orrery_range_ {
  long first, last, step;
};

/* The next range of a list of ranks below `size`; 0: its end, -1: it is no such list. */
static __inline__ int orrery_next_range_(const char **list, long size, struct orrery_range_ *range) {
  if (**list == '\0') return 0;
  range->first = range->last = orrery_number_(list, size);
  range->step = 1;
  if (range->first < 0) return -1;
  if (**list == '-') {
    ++*list;
    range->last = orrery_number_(list, size);
    if (range->last < range->first) return -1;
    if (**list == '/') {
      ++*list;
      range->step = orrery_number_(list, size);
      if (range->step < 1) return -1;
    }
  }
  if (**list == ',') return *++*list == '\0' ? -1 : 1;
  return **list == '\0' ? 1 : -1;
}

/* Number of ranks in a list, each once; -1: it is no such list. `seen` has a bit for each rank, which is 0 before and after. */
static __inline__ int orrery_count_ranks_(const char *list, long size, unsigned char *seen) {
  struct orrery_range_ range;
  const char *at = list;
  long count = 0, rank;
  int more = 0, twice = 0;
  while (!twice && (more = orrery_next_range_(&at, size, &range)) > 0) {
    for (rank = range.first; rank <= range.last; rank += range.step, ++count) {
      twice |= seen[rank / 8] >> (rank % 8) & 1;
      seen[rank / 8] = (unsigned char)(seen[rank / 8] | 1 << (rank % 8));
    }
  }
  for (at = list; orrery_next_range_(&at, size, &range) > 0;) {
    for (rank = range.first; rank <= range.last; rank += range.step) seen[rank / 8] = 0;
  }
  return more < 0 || twice ? -1 : (int)count;
}

static __inline__ int orrery_is_name_(const char *name) {
  int part = 0, length = 0;
  for (; *name != '\0'; ++name, ++length) {
    const int letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
    if (!letter && *name != '_' && *name != '-' && *name != '.' && (*name != '/' || part == 0)) return 0;
    part = *name == '/' ? 0 : part + 1;
  }
  return part > 0 && length <= orrery_longest_name_;
}

/* The group around one, of those before it, which are in the order of the table. */
static __inline__ int orrery_around_(const struct orrery_groups_ *table, int last, const char *name) {
  int around = last;
  for (; around >= 0; around = table->groups[around].parent) {
    const size_t length = strlen(table->groups[around].name);
    if (strncmp(name, table->groups[around].name, length) == 0 && name[length] == '/') break;
  }
  return around;
}

/* Divides the text of a group, which ends with a zero. */
static __inline__ int orrery_read_group_(struct orrery_groups_ *table, char *text, unsigned char *seen) {
  struct orrery_group_ *group = &table->groups[table->count];
  char *ranks = strchr(text, '='), *facts = strchr(text, '&'), *at;
  if (ranks == (char *)0 || (facts != (char *)0 && facts < ranks)) return 0;
  *ranks++ = '\0';
  group->name = text;
  group->ranks = ranks;
  group->facts = "";
  if (facts != (char *)0) {
    for (at = facts; *at != '\0'; ++at) {
      if (*at == '&') *at = '\0';
    }
    group->facts = facts + 1;
  }
  group->size = orrery_count_ranks_(ranks, table->size, seen);
  if (!orrery_is_name_(text) || group->size < 1) return 0;
  group->parent = orrery_around_(table, table->count - 1, text);
  group->depth = group->parent < 0 ? 0 : table->groups[group->parent].depth + 1;
  ++table->count;
  return 1;
}

static __inline__ void orrery_forget_groups_(struct orrery_groups_ *table, const char *error) {
  free(table->groups);
  free(table->text);
  table->groups = (struct orrery_group_ *)0;
  table->text = (char *)0;
  table->count = 0;
  table->error = error;
}

/* Reads a table. Where something is wrong, there are no groups, and `error` says what. */
static __inline__ void orrery_read_groups_(struct orrery_groups_ *table, const char *text) {
  const char *at = text;
  char *end, *next;
  unsigned char *seen;
  size_t length;
  int groups = 1;
  memset(table, 0, sizeof *table);
  table->error = "";
  if (text == (const char *)0 || *text == '\0') return;
  table->error = "ORRERY_GROUPS does not begin with 1:RANKS: ; it is written by orrery run and orrery launch";
  if (orrery_number_(&at, 2) != 1 || *at++ != ':') return;
  table->size = (int)orrery_number_(&at, orrery_most_ranks_ + 1);
  if (table->size < 1 || *at++ != ':') return;
  for (end = (char *)strchr(at, ':'); end != (char *)0; end = strchr(end + 1, ':')) ++groups;
  table->error = "ORRERY_GROUPS has more groups than 4096";
  if (groups > orrery_most_groups_) return;
  length = strlen(at);
  /* Two zeros at the end: the facts of the last group end, and so does their list. */
  table->text = (char *)calloc(length + 2, 1);
  table->groups = (struct orrery_group_ *)calloc((size_t)groups, sizeof *table->groups);
  seen = (unsigned char *)calloc((size_t)table->size / 8 + 1, 1);
  if (table->text == (char *)0 || table->groups == (struct orrery_group_ *)0 || seen == (unsigned char *)0) {
    free(seen);
    orrery_forget_groups_(table, "there is no memory for the groups of ORRERY_GROUPS");
    return;
  }
  memcpy(table->text, at, length);
  table->error = "";
  for (at = table->text; at != (const char *)0; at = next) {
    next = (char *)strchr(at, ':');
    if (next != (char *)0) *next++ = '\0';
    if (!orrery_read_group_(table, (char *)at, seen)) {
      orrery_forget_groups_(table, "ORRERY_GROUPS has a group that is not NAME=RANKS, or ranks that are not there");
      break;
    }
  }
  free(seen);
}

static __inline__ int orrery_has_rank_(const struct orrery_groups_ *table, int colour, int rank) {
  struct orrery_range_ range;
  const char *at = table->groups[colour].ranks;
  while (orrery_next_range_(&at, table->size, &range) > 0) {
    if (rank >= range.first && rank <= range.last && (rank - range.first) % range.step == 0) return 1;
  }
  return 0;
}

/* Writes the ranks of a group; gives their number. */
static __inline__ int orrery_list_ranks_(const struct orrery_groups_ *table, int colour, int *ranks) {
  struct orrery_range_ range;
  const char *at = table->groups[colour].ranks;
  int count = 0;
  long rank;
  while (orrery_next_range_(&at, table->size, &range) > 0) {
    for (rank = range.first; rank <= range.last; rank += range.step) ranks[count++] = (int)rank;
  }
  return count;
}

/* The first fact, KEY=VALUE, and the one behind another; null at their end. Facts stand one behind the other, each with a
   zero at its end, up to the name of the next group; `end` is where that is. */
static __inline__ const char *orrery_next_fact_(const struct orrery_groups_ *table, int colour, const char *before) {
  const struct orrery_group_ *group = &table->groups[colour];
  const char *fact = before == (const char *)0 ? group->facts : before + strlen(before) + 1;
  const char *end = colour + 1 < table->count ? table->groups[colour + 1].name : (const char *)0;
  if (group->facts[0] == '\0' || fact == end || *fact == '\0') return (const char *)0;
  return fact;
}

/* --- what programs call ---------------------------------------------------------------------------------------------- */

/* The groups of this process, read when they are first wanted: call one of these functions before there are threads. */
static __inline__ const struct orrery_groups_ *orrery_own_groups_(void) {
  static struct orrery_groups_ table;
  static int known;
  if (!known) orrery_read_groups_(&table, getenv("ORRERY_GROUPS"));
  known = 1;
  return &table;
}

static __inline__ const struct orrery_group_ *orrery_group_at_(int colour) {
  const struct orrery_groups_ *table = orrery_own_groups_();
  return colour >= 0 && colour < table->count ? &table->groups[colour] : (const struct orrery_group_ *)0;
}

static __inline__ int orrery_group_count(void) { return orrery_own_groups_()->count; }

static __inline__ const char *orrery_group_error(void) { return orrery_own_groups_()->error; }

static __inline__ const char *orrery_group_name(int colour) {
  const struct orrery_group_ *group = orrery_group_at_(colour);
  return group ? group->name : (const char *)0;
}

static __inline__ int orrery_group_colour(const char *name) {
  const struct orrery_groups_ *table = orrery_own_groups_();
  int colour;
  for (colour = 0; name != (const char *)0 && colour < table->count; ++colour) {
    if (strcmp(table->groups[colour].name, name) == 0) return colour;
  }
  return ORRERY_NO_GROUP;
}

static __inline__ int orrery_group_parent(int colour) {
  const struct orrery_group_ *group = orrery_group_at_(colour);
  return group ? group->parent : ORRERY_NO_GROUP;
}

static __inline__ int orrery_group_depth(int colour) {
  const struct orrery_group_ *group = orrery_group_at_(colour);
  return group ? group->depth : ORRERY_NO_GROUP;
}

static __inline__ int orrery_group_size(int colour) {
  const struct orrery_group_ *group = orrery_group_at_(colour);
  return group ? group->size : 0;
}

static __inline__ int orrery_group_ranks(int colour, int *ranks) {
  return orrery_group_at_(colour) ? orrery_list_ranks_(orrery_own_groups_(), colour, ranks) : 0;
}

static __inline__ int orrery_group_of(int rank, int depth) {
  const struct orrery_groups_ *table = orrery_own_groups_();
  int colour, found = ORRERY_NO_GROUP;
  for (colour = 0; colour < table->count; ++colour) {
    const struct orrery_group_ *group = &table->groups[colour];
    if (group->parent != found || !orrery_has_rank_(table, colour, rank)) continue;
    found = colour;
    if (group->depth == depth) return found;
  }
  return depth == ORRERY_INNERMOST ? found : ORRERY_NO_GROUP;
}

static __inline__ int orrery_group_fact(int colour, const char *key, char *value, int room) {
  const char *fact = (const char *)0;
  const size_t length = key != (const char *)0 ? strlen(key) : 0;
  if (orrery_group_at_(colour) == (const struct orrery_group_ *)0) return -1;
  while ((fact = orrery_next_fact_(orrery_own_groups_(), colour, fact)) != (const char *)0) {
    if (length > 0 && strncmp(fact, key, length) == 0 && fact[length] == '=') {
      const int whole = (int)strlen(fact + length + 1);
      if (room > 0) {
        const int part = whole < room - 1 ? whole : room - 1;
        memcpy(value, fact + length + 1, (size_t)part);
        value[part] = '\0';
      }
      return whole;
    }
  }
  return -1;
}

#ifdef __cplusplus
}
#endif

#ifndef ORRERY_GROUPS_ONLY_TABLE
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

static __inline__ int orrery_group_mine(int depth) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return orrery_group_of(rank, depth);
}

/* MPI_ERR_ARG: there is no such group; MPI_ERR_GROUP: the job was started with another number of ranks than its groups were
   made for; MPI_ERR_NO_MEM. */
static __inline__ int orrery_group_comm(int colour, MPI_Comm *comm) {
  int size = 0, rank = 0, code, *ranks;
  MPI_Group world, members;
  *comm = MPI_COMM_NULL;
  if (orrery_group_at_(colour) == (const struct orrery_group_ *)0) return MPI_ERR_ARG;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size != orrery_own_groups_()->size) return MPI_ERR_GROUP;
  if (!orrery_has_rank_(orrery_own_groups_(), colour, rank)) return MPI_SUCCESS;
  ranks = (int *)malloc((size_t)orrery_group_size(colour) * sizeof *ranks);
  if (ranks == (int *)0) return MPI_ERR_NO_MEM;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  code = MPI_Group_incl(world, orrery_group_ranks(colour, ranks), ranks, &members);
  free(ranks);
  MPI_Group_free(&world);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Comm_create_group(MPI_COMM_WORLD, members, colour, comm);
  MPI_Group_free(&members);
  return code;
}

#ifdef __cplusplus
}
#endif
#endif
#endif
