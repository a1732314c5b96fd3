/* SPDX-License-Identifier: BSD-3-Clause
 * Collective calls: what `bytes` and `counts` mean is said at collective::Call (src/collective/collective.hpp). */
#include <stdlib.h>

#include "capture.h"

int64_t* orrery_scratch(size_t count) {
  static __thread struct {
    int64_t* numbers;
    size_t capacity;
  } scratch;
  if (count > scratch.capacity) {
    free(scratch.numbers);
    scratch.capacity = 2 * count;
    scratch.numbers = malloc(scratch.capacity * sizeof *scratch.numbers);
    if (scratch.numbers == NULL) abort();
  }
  return scratch.numbers;
}

static int64_t count_at(orrery_counts counts, int i) {
  return counts.width == sizeof(int) ? ((const int*)counts.at)[i] : ((const int64_t*)counts.at)[i];
}

static void put_type(orrery_trace_record* r, MPI_Datatype datatype) {
  MPI_Aint low = 0, extent = 0;
  r->element = orrery_bytes(1, datatype);
  if (r->element <= 0) r->element = 1;
  if (datatype == MPI_DATATYPE_NULL) return;
  PMPI_Type_get_extent(datatype, &low, &extent);
  if (extent != r->element) r->extent = extent;
}

/* All that calls have in common; the communicator, as we know it. */
static orrery_comm* begin(orrery_trace_record* r, enum orrery_collective_kind kind, int root, MPI_Datatype datatype,
                          MPI_Comm comm) {
  orrery_comm* known = orrery_comm_of(comm);
  r->kind = ORRERY_OP_Collective;
  r->collective = (uint8_t)kind;
  r->comm = known->number;
  r->tag = known->next++;
  r->peer = root;
  put_type(r, datatype);
  if (known->remote_size > 0 && root == MPI_ROOT) r->peer = ORRERY_ROOT_HERE;
  if (known->remote_size > 0 && root == MPI_PROC_NULL) r->peer = ORRERY_NO_PART;
  return known;
}

static int others(const orrery_comm* comm) { return comm->remote_size > 0 ? comm->remote_size : comm->size; }

/* Whether this rank is the root; whether data moves between it and the root. */
static int is_root(const orrery_comm* comm, int root) {
  return comm->remote_size > 0 ? root == MPI_ROOT : root == comm->rank;
}
static int has_part(const orrery_comm* comm, int root) { return comm->remote_size == 0 || root != MPI_PROC_NULL; }

static void put_counts(orrery_trace_record* r, int64_t* list, int count, orrery_counts counts, int64_t element) {
  for (int i = 0; i < count; ++i) list[i] = count_at(counts, i) * element;
  r->counts = list;
  r->counts_length += (uint32_t)count;
}

int orrery_plain(orrery_trace_record* r, enum orrery_collective_kind kind, int root, int64_t count,
                 MPI_Datatype datatype, MPI_Comm comm) {
  const orrery_comm* known = begin(r, kind, root, datatype, comm);
  r->bytes = has_part(known, root) ? orrery_bytes(count, datatype) : 0;
  return 1;
}

int orrery_reduction(orrery_trace_record* r, enum orrery_collective_kind kind, int root, int64_t count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int commutes = 0;
  const orrery_comm* known = begin(r, kind, root, datatype, comm);
  r->bytes = has_part(known, root) ? orrery_bytes(count, datatype) : 0;
  PMPI_Op_commutative(op, &commutes);
  if (commutes) r->flags |= ORRERY_FLAG_Commutative;
  return 1;
}

int orrery_reduce_scatter(orrery_trace_record* r, orrery_counts counts, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm) {
  const orrery_comm* known = orrery_comm_of(comm);
  orrery_reduction(r, ORRERY_COLL_ReduceScatter, 0, 0, datatype, op, comm);
  put_counts(r, orrery_scratch((size_t)known->size), known->size, counts, orrery_bytes(1, datatype));
  for (int i = 0; i < known->size; ++i) r->bytes += r->counts[i];
  return 1;
}

/* The root's own block may be in place: then what it receives for each rank says as much. */
int orrery_gather(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, int64_t recv_count,
                  MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const int here = is_root(orrery_comm_of(comm), root);
  return orrery_plain(r, ORRERY_COLL_Gather, root, here ? recv_count : send_count, here ? recv_type : send_type, comm);
}

int orrery_scatter(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, int64_t recv_count,
                   MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const int here = is_root(orrery_comm_of(comm), root);
  return orrery_plain(r, ORRERY_COLL_Scatter, root, here ? send_count : recv_count, here ? send_type : recv_type, comm);
}

static int varying(orrery_trace_record* r, enum orrery_collective_kind kind, orrery_counts counts, MPI_Datatype all,
                   int64_t own_count, MPI_Datatype own, int root, MPI_Comm comm) {
  const orrery_comm* known = orrery_comm_of(comm);
  if (!is_root(known, root)) return orrery_plain(r, kind, root, own_count, own, comm);
  const int count = others(known);
  begin(r, kind, root, all, comm);
  put_counts(r, orrery_scratch((size_t)count), count, counts, orrery_bytes(1, all));
  r->bytes = r->counts[known->remote_size > 0 ? 0 : known->rank];
  return 1;
}

int orrery_gatherv(orrery_trace_record* r, int64_t send_count, MPI_Datatype send_type, orrery_counts counts,
                   MPI_Datatype recv_type, int root, MPI_Comm comm) {
  return varying(r, ORRERY_COLL_Gatherv, counts, recv_type, send_count, send_type, root, comm);
}

int orrery_scatterv(orrery_trace_record* r, orrery_counts counts, MPI_Datatype send_type, int64_t recv_count,
                    MPI_Datatype recv_type, int root, MPI_Comm comm) {
  return varying(r, ORRERY_COLL_Scatterv, counts, send_type, recv_count, recv_type, root, comm);
}

static int equal_blocks(orrery_trace_record* r, enum orrery_collective_kind kind, const void* in_place,
                        int64_t send_count, MPI_Datatype send_type, int64_t recv_count, MPI_Datatype recv_type,
                        MPI_Datatype uncut, MPI_Comm comm) {
  const int placed = in_place == MPI_IN_PLACE;
  const orrery_comm* known = begin(r, kind, 0, uncut, comm);
  r->bytes = placed ? orrery_bytes(recv_count, recv_type) : orrery_bytes(send_count, send_type);
  if (known->remote_size > 0) { /* blocks that come may differ from those that go */
    int64_t* coming = orrery_scratch(1);
    *coming = orrery_bytes(recv_count, recv_type);
    r->counts = coming;
    r->counts_length = 1;
  }
  return 1;
}

int orrery_allgather(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                     int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  return equal_blocks(r, ORRERY_COLL_Allgather, in_place, send_count, send_type, recv_count, recv_type, recv_type, comm);
}

int orrery_alltoall(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                    int64_t recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const MPI_Datatype uncut = in_place == MPI_IN_PLACE ? recv_type : send_type;
  return equal_blocks(r, ORRERY_COLL_Alltoall, in_place, send_count, send_type, recv_count, recv_type, uncut, comm);
}

int orrery_allgatherv(orrery_trace_record* r, const void* in_place, int64_t send_count, MPI_Datatype send_type,
                      orrery_counts counts, MPI_Datatype recv_type, MPI_Comm comm) {
  const int placed = in_place == MPI_IN_PLACE;
  const orrery_comm* known = begin(r, ORRERY_COLL_Allgatherv, 0, recv_type, comm);
  const int count = others(known);
  put_counts(r, orrery_scratch((size_t)count), count, counts, orrery_bytes(1, recv_type));
  r->bytes = placed ? r->counts[known->rank] : orrery_bytes(send_count, send_type);
  return 1;
}

static int exchange(orrery_trace_record* r, const orrery_comm* known, int64_t* list) {
  const int count = others(known);
  r->bytes = 0;
  for (int i = 0; i < count; ++i) r->bytes += list[i];
  r->counts = list;
  r->counts_length = 2 * (uint32_t)count;
  return 1;
}

int orrery_alltoallv(orrery_trace_record* r, const void* in_place, orrery_counts send_counts, MPI_Datatype send_type,
                     orrery_counts recv_counts, MPI_Datatype recv_type, MPI_Comm comm) {
  const int placed = in_place == MPI_IN_PLACE;
  const orrery_comm* known = begin(r, ORRERY_COLL_Alltoallv, 0, placed ? recv_type : send_type, comm);
  const int count = others(known);
  int64_t* list = orrery_scratch(2 * (size_t)count);
  put_counts(r, list, count, placed ? recv_counts : send_counts, orrery_bytes(1, placed ? recv_type : send_type));
  put_counts(r, list + count, count, recv_counts, orrery_bytes(1, recv_type));
  return exchange(r, known, list);
}

int orrery_alltoallw(orrery_trace_record* r, const void* in_place, orrery_counts send_counts,
                     const MPI_Datatype* send_types, orrery_counts recv_counts, const MPI_Datatype* recv_types,
                     MPI_Comm comm) {
  const int placed = in_place == MPI_IN_PLACE;
  const orrery_comm* known = begin(r, ORRERY_COLL_Alltoallw, 0, MPI_BYTE, comm);
  const int count = others(known);
  int64_t* list = orrery_scratch(2 * (size_t)count);
  for (int i = 0; i < count; ++i) {
    list[count + i] = orrery_bytes(count_at(recv_counts, i), recv_types[i]);
    list[i] = placed ? list[count + i] : orrery_bytes(count_at(send_counts, i), send_types[i]);
  }
  return exchange(r, known, list);
}

/* Ranks of a communicator's topology, those that messages go to and those that they come from. */
typedef struct neighbours {
  int out_count, in_count;
  int *out, *in;
} neighbours;

static void cartesian(MPI_Comm comm, neighbours* n) {
  int dims = 0;
  PMPI_Cartdim_get(comm, &dims);
  n->out_count = n->in_count = 2 * dims;
  n->out = n->in = malloc(sizeof(int) * (size_t)(2 * dims + 1));
  if (n->out == NULL) abort();
  for (int i = 0; i < dims; ++i) PMPI_Cart_shift(comm, i, 1, &n->out[2 * i], &n->out[2 * i + 1]);
}

static void graph(MPI_Comm comm, int rank, neighbours* n) {
  PMPI_Graph_neighbors_count(comm, rank, &n->out_count);
  n->in_count = n->out_count;
  n->out = n->in = malloc(sizeof(int) * (size_t)(n->out_count + 1));
  if (n->out == NULL) abort();
  PMPI_Graph_neighbors(comm, rank, n->out_count, n->out);
}

static void distributed(MPI_Comm comm, neighbours* n) {
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &n->in_count, &n->out_count, &weighted);
  const size_t most = (size_t)(n->in_count > n->out_count ? n->in_count : n->out_count) + 1;
  int* weights = malloc(sizeof(int) * 2 * most);
  n->in = malloc(sizeof(int) * most);
  n->out = malloc(sizeof(int) * most);
  if (weights == NULL || n->in == NULL || n->out == NULL) abort();
  PMPI_Dist_graph_neighbors(comm, n->in_count, n->in, weighted ? weights : MPI_UNWEIGHTED, n->out_count, n->out,
                            weighted ? weights + most : MPI_UNWEIGHTED);
  free(weights);
}

/* The pairs of one direction: rank, bytes. Where there is nobody (the end of a grid), nothing moves. */
static int64_t* put_pairs(int64_t* at, const int* ranks, int count, orrery_counts counts, int64_t equal,
                          const MPI_Datatype* types, MPI_Datatype type, int64_t* sum, uint32_t* length) {
  for (int i = 0; i < count; ++i) {
    if (ranks[i] == MPI_PROC_NULL) continue;
    at[0] = ranks[i];
    at[1] = orrery_bytes(counts.at == NULL ? equal : count_at(counts, i), types == NULL ? type : types[i]);
    *sum += at[1];
    *length += 1;
    at += 2;
  }
  return at;
}

int orrery_neighbours(orrery_trace_record* r, enum orrery_collective_kind kind, orrery_counts send_counts,
                      int64_t send_count, const MPI_Datatype* send_types, MPI_Datatype send_type,
                      orrery_counts recv_counts, int64_t recv_count, const MPI_Datatype* recv_types,
                      MPI_Datatype recv_type, MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  uint32_t out = 0, in = 0;
  int64_t coming = 0;
  neighbours n = {0, 0, NULL, NULL};
  const orrery_comm* known = begin(r, kind, 0, send_types == NULL ? send_type : MPI_BYTE, comm);
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) cartesian(comm, &n);
  if (topology == MPI_GRAPH) graph(comm, known->rank, &n);
  if (topology == MPI_DIST_GRAPH) distributed(comm, &n);
  int64_t* list = orrery_scratch(1 + 2 * (size_t)(n.out_count + n.in_count));
  int64_t* end =
      put_pairs(list + 1, n.out, n.out_count, send_counts, send_count, send_types, send_type, &r->bytes, &out);
  end = put_pairs(end, n.in, n.in_count, recv_counts, recv_count, recv_types, recv_type, &coming, &in);
  list[0] = out;
  r->counts = list;
  r->counts_length = (uint32_t)(end - list);
  if (n.in != n.out) free(n.in);
  free(n.out);
  return 1;
}
