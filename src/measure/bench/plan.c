/* SPDX-License-Identifier: BSD-3-Clause
 * The plan: reading it, and leaving out what is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Start of the value of ` key=`, or NULL. */
static const char* value_of(const char* line, const char* key) {
  const size_t length = strlen(key);
  for (const char* at = strstr(line, key); at; at = strstr(at + 1, key))
    if (at > line && at[-1] == ' ' && at[length] == '=') return at + length + 1;
  return NULL;
}

long long orrery_number(const char* line, const char* key, long long otherwise) {
  const char* value = value_of(line, key);
  return value ? atoll(value) : otherwise;
}

int orrery_text(const char* line, const char* key, char* text, int room) {
  const char* value = value_of(line, key);
  int length = 0;
  if (value)
    while (length + 1 < room && value[length] && value[length] != ' ') ++length;
  memcpy(text, value ? value : "", (size_t)length);
  text[length] = 0;
  return value != NULL;
}

int orrery_is(const char* line, const char* key, const char* word) {
  char text[ORRERY_NAME];
  return orrery_text(line, key, text, sizeof text) && strcmp(text, word) == 0;
}

int orrery_pairs(const char* line, const char* key, int (*pairs)[2]) {
  const char* at = value_of(line, key);
  int count = 0;
  while (at && *at && *at != ' ' && count < ORRERY_PAIRS) {
    int length = 0;
    int* pair = pairs[count];
    if (sscanf(at, "%d%*1[->]%d%n", &pair[0], &pair[1], &length) < 2 || pair[0] == pair[1] || pair[0] < 0 ||
        pair[1] < 0 || pair[0] >= orrery_size || pair[1] >= orrery_size)
      orrery_fail("not a pair of ranks of this run", line);
    ++count;
    at += length;
    if (*at == ',') ++at;
  }
  return count;
}

/* All of a file; NULL when it cannot be read. */
static char* content(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  char* text = calloc(1, (size_t)bytes + 1);
  if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) text[0] = 0;
  fclose(file);
  return text;
}

/* Results say `ID,done,` on a line of their own when an experiment is complete. */
static int is_done(const char* results, const char* id) {
  char mark[ORRERY_NAME + 16];
  snprintf(mark, sizeof mark, "\n%s,done,", id);
  return results && strstr(results, mark) != NULL;
}

static char* what_is_left(const char* plan, const char* results) {
  char* left = calloc(1, strlen(plan) + 2);
  size_t used = 0;
  for (const char* line = plan; *line;) {
    const size_t length = strcspn(line, "\n");
    char id[ORRERY_NAME] = "";
    sscanf(line, "%63s", id);
    if (length > 0 && length < ORRERY_LINE && *line != '#' && !is_done(results, id)) {
      memcpy(left + used, line, length);
      left[used += length] = '\n';
      ++used;
    }
    line += length + (line[length] != 0);
  }
  return left;
}

char* orrery_plan(const char* plan, const char* results) {
  char* left = NULL;
  int bytes = 0;
  if (orrery_rank == 0) {
    char* all = content(plan);
    char* done = content(results);
    if (!all) orrery_fail("cannot read the plan", plan);
    left = what_is_left(all, done);
    bytes = (int)strlen(left) + 1;
    free(all);
    free(done);
  }
  MPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (orrery_rank != 0) left = malloc((size_t)bytes);
  MPI_Bcast(left, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  return left;
}
