// SPDX-License-Identifier: BSD-3-Clause
#include "deploy.hpp"
#include "next.hpp"

// Every routine is exported under both of its names: Fortran bindings of Open MPI call PMPI_x, those of MPICH MPI_x.
#define ORRERY_PUBLIC extern "C" __attribute__((visibility("default")))
#define ORRERY_ALIAS(routine) \
  ORRERY_PUBLIC decltype(MPI_##routine) PMPI_##routine __attribute__((alias("MPI_" #routine)));

namespace deploy = orrery::deploy;
using orrery::deploy::Arguments;
using enum orrery::deploy::CollectiveKind;

namespace {

/// By us, or by the library with the arguments as they are.
template <class Real, class... Args>
int carry_out(const Arguments& arguments, Real real, Args... args) {
  if (const auto done = deploy::call(arguments)) return *done;
  const deploy::Inside inside;
  return real(args...);
}

}  // namespace

ORRERY_PUBLIC int MPI_Barrier(MPI_Comm comm) {
  return carry_out({.kind = Barrier, .comm = comm}, ORRERY_NEXT(Barrier), comm);
}
ORRERY_ALIAS(Barrier)

// Blocks that one rank gives or gets, and blocks that all do.
#define ORRERY_BLOCKS_OF_ROOT(routine, suffix, Count)                                                                  \
  ORRERY_PUBLIC int MPI_##routine##suffix(const void* give, Count given, MPI_Datatype give_type, void* get, Count got, \
                                          MPI_Datatype get_type, int root, MPI_Comm comm) {                            \
    return carry_out({routine, give, given, give_type, get, got, get_type, MPI_OP_NULL, root, comm},                   \
                     ORRERY_NEXT(routine##suffix), give, given, give_type, get, got, get_type, root, comm);            \
  }                                                                                                                    \
  ORRERY_ALIAS(routine##suffix)
#define ORRERY_BLOCKS_OF_ALL(routine, suffix, Count)                                                                   \
  ORRERY_PUBLIC int MPI_##routine##suffix(const void* give, Count given, MPI_Datatype give_type, void* get, Count got, \
                                          MPI_Datatype get_type, MPI_Comm comm) {                                      \
    return carry_out({routine, give, given, give_type, get, got, get_type, MPI_OP_NULL, 0, comm},                      \
                     ORRERY_NEXT(routine##suffix), give, given, give_type, get, got, get_type, comm);                  \
  }                                                                                                                    \
  ORRERY_ALIAS(routine##suffix)

// The large-count routines of MPI 4 differ in the type of their counts only.
#define ORRERY_ROUTINES(suffix, Count)                                                                                 \
  ORRERY_PUBLIC int MPI_Bcast##suffix(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {         \
    return carry_out({.kind = Bcast, .get = buffer, .get_count = count, .get_type = type, .root = root, .comm = comm}, \
                     ORRERY_NEXT(Bcast##suffix), buffer, count, type, root, comm);                                     \
  }                                                                                                                    \
  ORRERY_ALIAS(Bcast##suffix)                                                                                          \
  ORRERY_PUBLIC int MPI_Reduce##suffix(const void* give, void* get, Count count, MPI_Datatype type, MPI_Op op,         \
                                       int root, MPI_Comm comm) {                                                      \
    return carry_out({Reduce, give, count, type, get, count, type, op, root, comm}, ORRERY_NEXT(Reduce##suffix), give, \
                     get, count, type, op, root, comm);                                                                \
  }                                                                                                                    \
  ORRERY_ALIAS(Reduce##suffix)                                                                                         \
  ORRERY_PUBLIC int MPI_Allreduce##suffix(const void* give, void* get, Count count, MPI_Datatype type, MPI_Op op,      \
                                          MPI_Comm comm) {                                                             \
    return carry_out({Allreduce, give, count, type, get, count, type, op, 0, comm}, ORRERY_NEXT(Allreduce##suffix),    \
                     give, get, count, type, op, comm);                                                                \
  }                                                                                                                    \
  ORRERY_ALIAS(Allreduce##suffix)                                                                                      \
  ORRERY_BLOCKS_OF_ROOT(Gather, suffix, Count)                                                                         \
  ORRERY_BLOCKS_OF_ROOT(Scatter, suffix, Count)                                                                        \
  ORRERY_BLOCKS_OF_ALL(Allgather, suffix, Count)                                                                       \
  ORRERY_BLOCKS_OF_ALL(Alltoall, suffix, Count)

ORRERY_ROUTINES(, int)
#if MPI_VERSION >= 4
ORRERY_ROUTINES(_c, MPI_Count)
#endif

// What makes communicators: `made` sees each, on all its ranks.
#define ORRERY_MAKES(routine, parameters, arguments)                      \
  ORRERY_PUBLIC int MPI_##routine parameters {                            \
    if (deploy::Inside::already()) return ORRERY_NEXT(routine) arguments; \
    const deploy::Inside inside;                                          \
    const int result = ORRERY_NEXT(routine) arguments;                    \
    if (result == MPI_SUCCESS) deploy::made(*made);                       \
    return result;                                                        \
  }                                                                       \
  ORRERY_ALIAS(routine)

ORRERY_MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
ORRERY_MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made))
ORRERY_MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
ORRERY_MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
             (comm, type, key, info, made))
ORRERY_MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
ORRERY_MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), (comm, group, tag, made))
ORRERY_MAKES(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), (comm, high, made))
ORRERY_MAKES(Cart_create, (MPI_Comm comm, int n, const int* sizes, const int* rings, int reorder, MPI_Comm* made),
             (comm, n, sizes, rings, reorder, made))
ORRERY_MAKES(Cart_sub, (MPI_Comm comm, const int* remains, MPI_Comm* made), (comm, remains, made))
ORRERY_MAKES(Graph_create, (MPI_Comm comm, int n, const int* index, const int* edges, int reorder, MPI_Comm* made),
             (comm, n, index, edges, reorder, made))
ORRERY_MAKES(Dist_graph_create,
             (MPI_Comm comm, int n, const int* from, const int* degrees, const int* to, const int* weights,
              MPI_Info info, int reorder, MPI_Comm* made),
             (comm, n, from, degrees, to, weights, info, reorder, made))
ORRERY_MAKES(Dist_graph_create_adjacent,
             (MPI_Comm comm, int in, const int* from, const int* in_weights, int out, const int* to,
              const int* out_weights, MPI_Info info, int reorder, MPI_Comm* made),
             (comm, in, from, in_weights, out, to, out_weights, info, reorder, made))

ORRERY_PUBLIC int MPI_Init(int* argc, char*** argv) {
  int threads = MPI_THREAD_SINGLE;
  const deploy::Inside inside;
  const int result = ORRERY_NEXT(Init)(argc, argv);
  if (result != MPI_SUCCESS) return result;
  PMPI_Query_thread(&threads);  // MPI_Init may give more than it has to
  deploy::begin(threads);
  return result;
}
ORRERY_ALIAS(Init)

ORRERY_PUBLIC int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const deploy::Inside inside;
  const int result = ORRERY_NEXT(Init_thread)(argc, argv, required, provided);
  if (result == MPI_SUCCESS) deploy::begin(*provided);
  return result;
}
ORRERY_ALIAS(Init_thread)

ORRERY_PUBLIC int MPI_Finalize() {
  const deploy::Inside inside;
  deploy::end();
  return ORRERY_NEXT(Finalize)();
}
ORRERY_ALIAS(Finalize)
