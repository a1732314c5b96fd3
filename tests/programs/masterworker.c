/* SPDX-License-Identifier: BSD-3-Clause */
/* Master and workers by orrery/masterworker.h, each item counted.
 *
 *     masterworker ITEMS LEVELS [CHUNK of bosses [CHUNK of workers [SLOW rank [FAILING item [LATE rank]]]]]
 *
 * Item i has the input 3 i and the output i + 3 i + 1. A rank of the outermost level has a colour that rank / 4 gives,
 * of the next one rank / 3, of the innermost rank / 2. Prints a line for each rank, and "right" or what is wrong. */
#include <mpi.h>
#include <orrery.h>
#include <orrery/masterworker.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_LEVELS = 3 };
static long items, failing = -1;
static int *times, computed, rank, slow = -1, late = -1;

/* Others may have ended by then, and may have sent their sums. */
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (rank == late) {
    ORRERY_COMPUTE(0.5);
    usleep(500000);
    late = -1;
  }
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

static int work(void *context, long first, long count, const void *inputs, void *outputs) {
  (void)context;
  for (long i = 0; i < count; ++i) {
    if (first + i == failing) return 42;
    ((double *)outputs)[i] = first + i + ((const long *)inputs)[i] + 1.0;
    ++times[first + i];
  }
  computed += (int)count;
  ORRERY_COMPUTE((rank == slow ? 1e-1 : 1e-3) * count);
  return 0;
}

static void merge(void *context, void *into, const void *other) {
  (void)context;
  for (long i = 0; i < items; ++i) ((int *)into)[i] += ((const int *)other)[i];
}

static const char *what(const double *outputs) {
  for (long i = 0; i < items; ++i) {
    if (times[i] != 1) return "an item was not done once";
    if (outputs[i] != 4.0 * i + 1) return "an output";
  }
  return "right";
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int levels = atoi(argv[2]);
  long numbers[5] = {0, 0, -1, -1, -1};
  for (int a = 3; a < argc; ++a) numbers[a - 3] = atol(argv[a]);
  items = atol(argv[1]), slow = (int)numbers[2], failing = numbers[3], late = (int)numbers[4];
  const long chunks[MOST_LEVELS + 1] = {numbers[0], levels > 1 ? numbers[0] : numbers[1],
                                        levels > 2 ? numbers[0] : numbers[1], numbers[1]};
  int colours[MOST_LEVELS];
  for (int l = 0; l < levels; ++l) colours[l] = rank / (4 - l);
  orrery_mw_tree tree;
  int error = orrery_mw_create(MPI_COMM_WORLD, levels, colours, &tree);
  if (error != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 2);
  times = calloc((size_t)items + 1, sizeof(int));
  long *inputs = calloc((size_t)items + 1, sizeof(long));
  double *outputs = calloc((size_t)items + 1, sizeof(double));
  for (long i = 0; i < items; ++i) inputs[i] = 3 * i;
  orrery_mw_job job = {.items = rank == 0 ? items : 0,
                       .chunks = levels > 0 ? chunks : chunks + MOST_LEVELS,
                       .work = work,
                       .input_bytes = sizeof(long),
                       .inputs = inputs,
                       .output_bytes = sizeof(double),
                       .outputs = outputs,
                       .sum_bytes = (int)(items * (long)sizeof(int)),
                       .sum = times,
                       .merge = merge};
  error = orrery_mw_run(&tree, &job);
  static const char *const roles[] = {"super-master", "boss", "worker"};
  printf("rank %d %s below %d: %d items\n", rank, roles[tree.role], tree.parent, computed);
  if (error == ORRERY_MW_FAILED)
    printf("rank %d failed: %d at %ld\n", rank, job.failure, job.failed_first);
  else if (error != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, error);
  else if (rank == 0)
    puts(what(outputs));
  orrery_mw_free(&tree);
  free(times), free(inputs), free(outputs);
  MPI_Finalize();
  return 0;
}
