/* SPDX-License-Identifier: BSD-3-Clause
 *   wire a=RANK b=RANK bytes=B count=N
 *
 * What N messages put on the network interfaces of a, as the kernel counts it. Samples per interface that carried
 * something: `sent:IF` and `received:IF`, bytes per message of the interface's frames; `mtu:IF`; `ethernet:IF`, 1 for
 * Ethernet. Networks that bypass the kernel (InfiniBand, shared memory) leave no sample. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { INTERFACES = 64 };

struct counter {
  char name[32];
  long long received, sent;
};

static int read_counters(struct counter* counters) {
  char line[512];
  int count = 0;
  FILE* file = fopen("/proc/self/net/dev", "r");
  if (!file) return 0;
  while (count < INTERFACES && fgets(line, sizeof line, file)) {
    struct counter* c = &counters[count];
    if (sscanf(line, " %31[^:]: %lld %*d %*d %*d %*d %*d %*d %*d %lld", c->name, &c->received, &c->sent) == 3) ++count;
  }
  fclose(file);
  return count;
}

static long long property(const char* interface, const char* what) {
  char path[128];
  long long value = -1;
  snprintf(path, sizeof path, "/sys/class/net/%s/%s", interface, what);
  FILE* file = fopen(path, "r");
  if (!file) return -1;
  if (fscanf(file, "%lld", &value) != 1) value = -1;
  fclose(file);
  return value;
}

static void transfer(int a, int b, long long bytes, int count) {
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    if (orrery_rank == a) {
      MPI_Send(orrery_buffer(0, bytes), (int)bytes, MPI_BYTE, b, ORRERY_TAG, MPI_COMM_WORLD);
      orrery_wait_until(MPI_Wtime() + 1e-3); /* so that no two share a frame */
    } else {
      MPI_Recv(orrery_buffer(1, bytes), (int)bytes, MPI_BYTE, a, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  /* Acknowledgements come late. */
  if (orrery_rank == a) orrery_wait_until(MPI_Wtime() + 60e-3);
  if (orrery_rank == a) MPI_Send(&byte, 1, MPI_BYTE, b, ORRERY_TAG, MPI_COMM_WORLD);
  if (orrery_rank == b) MPI_Recv(&byte, 1, MPI_BYTE, a, ORRERY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sample(const char* what, const char* interface, int b, long long bytes, double value) {
  char name[ORRERY_NAME];
  snprintf(name, sizeof name, "%s:%.31s", what, interface);
  orrery_sample(name, orrery_rank, b, bytes, 0, value);
}

void orrery_wire(const char* line) {
  const int a = (int)orrery_number(line, "a", 0), b = (int)orrery_number(line, "b", 1);
  const int count = (int)orrery_number(line, "count", 20);
  const long long bytes = orrery_number(line, "bytes", 1);
  struct counter before[INTERFACES], after[INTERFACES];
  if (orrery_rank != a && orrery_rank != b) return;
  const int known = read_counters(before);
  transfer(a, b, bytes, count);
  if (orrery_rank != a || read_counters(after) != known) return;
  for (int i = 0; i < known; ++i) {
    if (strcmp(before[i].name, after[i].name) != 0 || after[i].sent == before[i].sent) continue;
    sample("sent", after[i].name, b, bytes, (double)(after[i].sent - before[i].sent) / count);
    sample("received", after[i].name, b, bytes, (double)(after[i].received - before[i].received) / count);
    sample("mtu", after[i].name, b, bytes, (double)property(after[i].name, "mtu"));
    sample("ethernet", after[i].name, b, bytes, property(after[i].name, "type") == 1);
  }
}
