/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and computation of DT, the data traffic of the NAS Parallel Benchmarks 3.4.
 *
 *     dt GRAPH CLASS OPERATIONS_PER_S         GRAPH: WH, BH, SH; CLASS: S, W, A, B, C
 *
 * Written from the description of the benchmark and from what its messages are. Each rank is a node of a graph and sends and
 * receives what a rank of NPB's DT does, the same partners and bytes in the same order (Orrery's test
 * `tests/python/test_papers_npb.py` compares both where NPB is at hand): first a length, then so many values.
 *
 *     BH   a tree: sources send to one sink, four at a time meet in a comparator
 *     WH   the same tree, from one source to many sinks
 *     SH   a butterfly from sources to as many sinks
 *
 * The values themselves are not looked at, so a buffer is one piece of memory, mapped again and again: messages of class C
 * have 226 MB. Computation is declared, in operations for each value that a node makes, compares or adds up.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "npb.h"

enum { VALUES = 4 /* of a sample */, MOST_NODES = 448, MOST_ARCS = 16, PIECE = 1 << 20 };
/* Operations for a value: two remainders of integers; three squared distances to choose from, and a product; a square, a
   quotient and a sum. */
static const double MAKING = 12, COMPARING = 12, ADDING_UP = 3;

typedef struct {
  int samples, deviation, sources;
} Class;

/* S, W, A, B, C. */
static const Class CLASSES[] = {{1728, 128, 4},
                                {1728 * 8, 256, 8},
                                {1728 * 64, 512, 16},
                                {1728 * 512, 1024, 32},
                                {1728 * 4096, 2048, 64}};

typedef struct {
  int from[MOST_ARCS], froms, to[MOST_ARCS], tos;
} Node;

typedef struct {
  Node node[MOST_NODES];
  int nodes;
} Graph;

static Graph graph;

static const Class *class_of(const char *name) { return &CLASSES[class_number("dt", name)]; }

static void connect(int from, int to) {
  Node *a = &graph.node[from], *b = &graph.node[to];
  a->to[a->tos++] = to;
  b->from[b->froms++] = from;
}

/* A tree of degree four over so many leaves, its root last; `mirrored`: from the root, which is node 0, to the leaves. */
static void make_tree(int leaves, int mirrored) {
  int layer = leaves, first = 0, total = leaves;
  for (int n = leaves; n > 4; n = (n + 3) / 4) total += (n + 3) / 4;
  graph.nodes = ++total;
  while (layer > 0) {
    const int next = layer > 4 ? (layer + 3) / 4 : 1;
    for (int i = 0; i < layer; ++i) {
      const int child = first + i, parent = layer > 4 ? first + layer + i / 4 : total - 1;
      if (mirrored)
        connect(total - 1 - parent, total - 1 - child);
      else
        connect(child, parent);
    }
    first += layer;
    layer = layer > 4 ? next : 0;
  }
}

static void make_butterfly(int width) {
  int first = 0;
  for (int mask = 1; mask < width; mask <<= 1, first += width)
    for (int i = 0; i < width; ++i) {
      connect(first + (i & ~mask), first + width + i);
      connect(first + (i | mask), first + width + i);
    }
  graph.nodes = first + width;
}

static void make_graph(const char *name, const Class *one) {
  if (strcmp(name, "BH") == 0)
    make_tree(one->sources, 0);
  else if (strcmp(name, "WH") == 0)
    make_tree(one->sources, 1);
  else if (strcmp(name, "SH") == 0)
    make_butterfly(one->sources);
  else
    fail("dt", "GRAPH is one of WH, BH, SH");
}

/* As NPB computes it in 32 bits, where products wrap around (with -fwrapv: else compilers make something else of it). */
static int times(int a, int b) { return (int)((unsigned)a * (unsigned)b); }

static int power(int base, long exponent, int modulus) {
  int result = 1;
  while (exponent > 1)
    if (exponent % 2 == 0) {
      base = times(base, base) % modulus;
      exponent /= 2;
    } else {
      result = times(result, base) % modulus;
      --exponent;
    }
  return times(result, base) % modulus;
}

/* Samples that source `id` makes: the mean and a pseudo-random part of the deviation. */
static int samples_of(const Class *one, int id) {
  const long odd = 2L * id + 1;
  const double drawn = (double)(314159265L * odd & ((1L << 46) - 1)) / (double)(1L << 46);
  const int more = power(times((int)(1 / drawn), 'S'), odd, 2 * one->deviation);
  return one->samples - one->deviation + abs(more);
}

/* So many bytes, all of which are the same piece of memory. */
static double *buffer_of(size_t bytes) {
  const int piece = memfd_create("dt", 0);
  const size_t pieces = bytes / PIECE + 1;
  char *all = mmap(NULL, pieces * PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece < 0 || ftruncate(piece, PIECE) != 0 || all == MAP_FAILED) fail("dt", "no memory");
  for (size_t i = 0; i < pieces; ++i)
    if (mmap(all + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, piece, 0) == MAP_FAILED)
      fail("dt", "no memory");
  close(piece);
  return (double *)all;
}

static int receive(double *values, int from) {
  int length;
  MPI_Recv(&length, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(values, length, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return length;
}

/* What a node does; a sink tells rank 0 when it is done. */
static void process(const Class *one, const Node *node, int self, double operations_per_s) {
  double *values = buffer_of(sizeof(double) * VALUES * (size_t)(one->samples + one->deviation));
  int length = node->froms == 0 ? VALUES * samples_of(one, self) : VALUES * one->samples;
  if (node->froms == 0) ORRERY_COMPUTE(MAKING * length / operations_per_s);
  for (int i = 0; i < node->froms; ++i) {
    const int came = receive(values, node->from[i]);
    if (came > length) length = came;
    ORRERY_COMPUTE((node->tos == 0 ? ADDING_UP : COMPARING) * length / operations_per_s);
  }
  for (int i = 0; i < node->tos; ++i) {
    MPI_Send(&length, 1, MPI_INT, node->to[i], 0, MPI_COMM_WORLD);
    MPI_Send(values, length, MPI_DOUBLE, node->to[i], 0, MPI_COMM_WORLD);
  }
  double sum = 0;
  if (node->tos == 0) MPI_Send(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) fail("dt", "dt GRAPH CLASS OPERATIONS_PER_S");
  const Class *one = class_of(argv[2]);
  const double operations_per_s = atof(argv[3]);
  if (!(operations_per_s > 0)) fail("dt", "OPERATIONS_PER_S is a number above 0");
  int size, self;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  make_graph(argv[1], one);
  if (size < graph.nodes) fail("dt", "fewer ranks than nodes of the graph");
  const double begin_s = MPI_Wtime();
  if (self < graph.nodes) process(one, &graph.node[self], self, operations_per_s);
  if (self == 0) {
    double sum;
    for (int i = 0; i < graph.nodes; ++i)
      if (graph.node[i].tos == 0) MPI_Recv(&sum, 1, MPI_DOUBLE, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("graph: %.9g s\n", MPI_Wtime() - begin_s);
  }
  return MPI_Finalize();
}
