/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions without MPI_Init: twice one after the other, and two at once. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int size_of_world(MPI_Session session, const char *tag) {
  MPI_Group group;
  MPI_Comm comm;
  int one = 1, sum = 0;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  return sum;
}

int main(void) {
  int initialized = 1, rank = -1, first = 0, second = 0;
  for (int i = 0; i < 2; ++i) {
    MPI_Session one, other;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &one);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
    first += size_of_world(one, "one");
    second += size_of_world(other, "other");
    MPI_Group group;
    MPI_Group_from_session_pset(one, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_free(&group);
    MPI_Info info;
    char value[16];
    int flag = 0, length = sizeof value;
    MPI_Session_get_pset_info(one, "mpi://SELF", &info);
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    if (!flag || strcmp(value, "1") != 0) printf("wrong size of mpi://SELF\n");
    MPI_Info_free(&info);
    MPI_Group unknown;
    int class = 0;
    MPI_Error_class(MPI_Group_from_session_pset(one, "mpi://NOWHERE", &unknown), &class);
    if (class != MPI_ERR_ARG) printf("wrong class %d\n", class);
    MPI_Session_finalize(&one);
    MPI_Session_finalize(&other);
  }
  MPI_Initialized(&initialized);
  if (rank == 0) printf("initialized %d, sums %d %d\n", initialized, first, second);
  return 0;
}
