// SPDX-License-Identifier: BSD-3-Clause
// What the C library says of the node that each rank is on, after its name by MPI_Get_processor_name: lines
// "NODE FUNCTION: WHAT".
#include <errno.h>
#include <mpi.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <thread>

extern "C" int __gethostname_chk(char*, size_t, size_t);

static char node[MPI_MAX_PROCESSOR_NAME];

static void show(const char* function, const char* what) { printf("%s %s: %s\n", node, function, what); }
static void show_number(const char* function, long number) { printf("%s %s: %ld\n", node, function, number); }

static const char* address(const struct hostent* found) {
  static char text[16];
  if (found == nullptr || found->h_addrtype != AF_INET) return "none";
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(found->h_addr_list[0]);
  snprintf(text, sizeof text, "%d.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]);
  return text;
}

static void names() {
  char name[256] = "";
  struct utsname all;
  gethostname(name, sizeof name);
  show("gethostname", name);
  __gethostname_chk(name, sizeof name, sizeof name);
  show("__gethostname_chk", name);
  uname(&all);
  show("uname", all.nodename);
  show_number("gethostid", gethostid());
  show_number("gethostname into 3 bytes", gethostname(name, 3) == -1 && errno == ENAMETOOLONG);
}

static void addresses() {
  struct addrinfo hints, *found = nullptr;
  struct hostent entry, *result = nullptr;
  char buffer[1024];
  int error = 0;
  memset(&hints, 0, sizeof hints);
  hints.ai_family = AF_INET;
  show("getaddrinfo", getaddrinfo(node, nullptr, &hints, &found) == 0 ? "found" : "none");
  show("gethostbyname", address(gethostbyname(node)));
  show("gethostbyname2", address(gethostbyname2(node, AF_INET)));
  gethostbyname_r(node, &entry, buffer, sizeof buffer, &result, &error);
  show("gethostbyname_r", address(result));
  gethostbyname2_r(node, AF_INET, &entry, buffer, sizeof buffer, &result, &error);
  show("gethostbyname2_r", address(result));
}

static void processors() {
  cpu_set_t set, last;
  pthread_attr_t attributes;
  unsigned processor = 999, of_node = 999;
  show_number("sysconf",
              sysconf(_SC_NPROCESSORS_ONLN) == sysconf(_SC_NPROCESSORS_CONF) ? sysconf(_SC_NPROCESSORS_ONLN) : -1);
  show_number("hardware_concurrency", std::thread::hardware_concurrency());
  show_number("get_nprocs", get_nprocs());
  show_number("get_nprocs_conf", get_nprocs_conf());
  sched_getaffinity(0, sizeof set, &set);
  show_number("sched_getaffinity", CPU_COUNT(&set));
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  show_number("pthread_getaffinity_np", CPU_COUNT(&set));
  show_number("sched_getcpu", sched_getcpu());
  getcpu(&processor, &of_node);
  show_number("getcpu", of_node == 0 ? (long)processor : -1);
  CPU_ZERO(&last);
  CPU_SET(get_nprocs() - 1, &last);
  show_number("sched_setaffinity", sched_setaffinity(0, sizeof last, &last));
  show_number("bound, sched_getcpu", sched_getcpu());
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  show_number("bound, pthread_getaffinity_np", CPU_EQUAL(&set, &last));
  pthread_attr_init(&attributes);
  show_number("pthread_attr_setaffinity_np", pthread_attr_setaffinity_np(&attributes, sizeof last, &last));
  CPU_ZERO(&last);
  CPU_SET(get_nprocs(), &last);
  show_number("pthread_setaffinity_np", pthread_setaffinity_np(pthread_self(), sizeof last, &last) == EINVAL);
}

int main(int argc, char** argv) {
  int length;
  char before[256] = "";
  gethostname(before, sizeof before);
  const long processors_before = sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Init(&argc, &argv);
  MPI_Get_processor_name(node, &length);
  show("before MPI_Init, gethostname", before);
  show_number("before MPI_Init, sysconf", processors_before);
  names();
  addresses();
  processors();
  MPI_Finalize();
  return 0;
}
