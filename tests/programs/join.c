/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks 0 and 1 connect a socket, by the name of the simulated host that rank 1 is on, and join. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_and_tell(void) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
  socklen_t length = sizeof own;
  char name[MPI_MAX_PROCESSOR_NAME];
  int listener = socket(AF_INET, SOCK_STREAM, 0), count;
  bind(listener, (struct sockaddr *)&own, sizeof own);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&own, &length);
  int port = ntohs(own.sin_port);
  MPI_Get_processor_name(name, &count);
  MPI_Send(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  MPI_Send(&port, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  return accept(listener, NULL, NULL);
}

static int connect_to_told(void) {
  char name[MPI_MAX_PROCESSOR_NAME], service[16];
  int port;
  MPI_Recv(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&port, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
  snprintf(service, sizeof service, "%d", port);
  if (gethostbyname(name) == NULL || getaddrinfo(name, service, &hints, &found) != 0) {
    printf("no host %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int connected = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(connected, found->ai_addr, found->ai_addrlen) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  freeaddrinfo(found);
  return connected;
}

int main(int argc, char **argv) {
  int rank, other = -1, size = 0;
  MPI_Comm joined;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int descriptor = rank == 1 ? listen_and_tell() : connect_to_told();
  MPI_Comm_join(descriptor, &joined);
  MPI_Comm_remote_size(joined, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 0, 0, joined, MPI_STATUS_IGNORE);
  if (rank == 0) printf("joined with %d of %d\n", other, size);
  MPI_Comm_disconnect(&joined);
  close(descriptor);
  MPI_Finalize();
  return 0;
}
