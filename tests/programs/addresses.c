// SPDX-License-Identifier: BSD-3-Clause
// Hands every address with a meaning of its own (MPI_IN_PLACE and its like) to routines that take it. Compiled alone,
// with all warnings as errors, as C and as C++.
#include <mpi.h>

#include <stddef.h>

int addresses(int n, int *numbers, MPI_Request *requests, MPI_Comm comm);

static int collectives(int n, int *numbers, MPI_Request *request, MPI_Comm comm) {
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Aint far_places[2] = {0, 8};
  MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT, MPI_SUM, comm);
  MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, numbers, numbers, MPI_INT, 0, comm);
  MPI_Scatterv(numbers, numbers, numbers, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, comm);
  MPI_Alltoallv(MPI_IN_PLACE, numbers, numbers, MPI_INT, numbers, numbers, numbers, MPI_INT, comm);
  MPI_Alltoallw(MPI_IN_PLACE, numbers, numbers, types, numbers, numbers, numbers, types, comm);
  MPI_Neighbor_alltoallw(MPI_BOTTOM, numbers, far_places, types, MPI_BOTTOM, numbers, far_places, types, comm);
  MPI_Reduce_scatter(MPI_IN_PLACE, numbers, numbers, MPI_INT, MPI_SUM, comm);
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, numbers, numbers, MPI_INT, comm, request);
  MPI_Allgatherv(numbers, n, MPI_INT, numbers, numbers, numbers, MPI_INT, comm);
  return MPI_Bcast(MPI_BOTTOM, 1, MPI_INT, 0, comm);
}

static int messages(int n, MPI_Request *requests, MPI_Comm comm) {
  int index = 0, flag = 0, indices[8];
  MPI_File file;
  MPI_Recv(MPI_BOTTOM, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Probe(0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(MPI_BOTTOM, 1, MPI_INT, 0, 0, MPI_BOTTOM, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
  MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitsome(8, requests, &index, indices, MPI_STATUSES_IGNORE);
  MPI_File_open(comm, "file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_read_all(file, MPI_BOTTOM, 1, MPI_INT, MPI_STATUS_IGNORE);
#ifdef INTERFACE_standard
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
#endif
  return MPI_File_close(&file);
}

static int processes(MPI_Comm comm) {
  char name[] = "program", *commands[2] = {name, name};
  int ranks[2] = {1, 1};
  MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm children;
  MPI_Comm_spawn(name, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, &children, MPI_ERRCODES_IGNORE);
  MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, ranks, infos, 0, comm, &children, MPI_ERRCODES_IGNORE);
  return MPI_Init(NULL, NULL);
}

static int graphs(int *ranks, MPI_Comm comm) {
  MPI_Comm graph;
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_create(comm, 1, ranks, ranks, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_create(comm, 1, ranks, ranks, ranks, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_create_adjacent(comm, 1, ranks, MPI_UNWEIGHTED, 1, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_create_adjacent(comm, 0, MPI_WEIGHTS_EMPTY, MPI_WEIGHTS_EMPTY, 0, MPI_WEIGHTS_EMPTY,
                                 MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  return MPI_Dist_graph_neighbors(graph, 1, ranks, MPI_UNWEIGHTED, 1, ranks, MPI_UNWEIGHTED);
}

static int functions(MPI_Comm comm) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
  MPI_Register_datarep("name", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, NULL, NULL);
  return MPI_Comm_set_attr(comm, key, MPI_BOTTOM);
}

int addresses(int n, int *numbers, MPI_Request *requests, MPI_Comm comm) {
  return collectives(n, numbers, requests, comm) + messages(n, requests, comm) + processes(comm) +
         graphs(numbers, comm) + functions(comm);
}
