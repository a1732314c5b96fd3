/* SPDX-License-Identifier: BSD-3-Clause
   Each rank in turn prints the process sets that it is in, each with its size, its colour if it is a group, and the sum of
   the world ranks in it, as a communicator made of it computes it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum_of(MPI_Session session, const char *set, int own) {
  MPI_Group group;
  MPI_Comm comm;
  int sum = 0;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  return sum;
}

int main(void) {
  MPI_Session session;
  MPI_Group world;
  char text[4096] = "", name[MPI_MAX_PSET_NAME_LEN], value[64];
  int count = 0, rank, n;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_rank(world, &rank);
  MPI_Group_free(&world);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  for (n = 0; n < count; ++n) {
    int length = sizeof name, room = sizeof value, flag = 0;
    MPI_Info info;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name);
    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_get_string(info, "mpi_size", &room, value, &flag);
    sprintf(text + strlen(text), "%d %s size %s sum %d", rank, name, value, sum_of(session, name, rank));
    room = sizeof value;
    MPI_Info_get_string(info, "orrery_group_colour", &room, value, &flag);
    if (flag) sprintf(text + strlen(text), " colour %s", value);
    room = sizeof value;
    MPI_Info_get_string(info, "orrery_asked_cores", &room, value, &flag);
    if (flag) sprintf(text + strlen(text), " cores %s", value);
    strcat(text, "\n");
    MPI_Info_free(&info);
  }
  fputs(text, stdout);
  MPI_Session_finalize(&session);
  return 0;
}
