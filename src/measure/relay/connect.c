/* SPDX-License-Identifier: BSD-3-Clause
 * The connect layer: preloaded into an MPI job that spans sites, so that its TCP connections to nodes of other sites go
 * the way that the helper of this node knows (`orrery relay`, docs/design/relay.md).
 *
 * connect() to an address of another site asks the helper, which answers with a connected TCP socket (to the target on
 * the direct way, else "piped": to the helper, and what is written there comes out at the target), or with the error
 * that connect() gives. The socket that comes of it takes the place of the program's own; what it says of its two ends
 * is what a direct connection would say. accept() gives the address of the process that has connected, not that of the
 * helper that did it. bind() to any port takes one of those that the site's firewall lets through. listen() tells the
 * helper, which lets other sites reach no other ports. All else is left alone. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  line_bytes = 64,      /* a request, an answer: text, filled up with zeros (python/orrery/relay/local.py) */
  networks_most = 256,  /* of other sites */
  known_most = 1 << 14, /* sockets whose ends are remembered; beyond that the oldest is forgotten */
};
static const uint32_t helper_address = 0x7f4f524c; /* 127.79.82.76, where connections of the helper come from */

typedef struct network {
  uint32_t base, mask;
} network;

/* What a socket says of its ends; found again by its inode, which copies of a descriptor share. */
typedef struct ends {
  ino_t inode;
  struct sockaddr_in own, peer;
  int piped;
} ends;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static network networks[networks_most];
static int network_count;
static unsigned port_first, port_last; /* 0: any */
static const char* job;
static ends* known;
static unsigned known_next, known_count;

#define REAL(name) ((__typeof__(&(name)))real(#name))
#define EXPORTED __attribute__((visibility("default")))

static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

static int is_tcp(int fd) {
  int kind = 0, domain = 0;
  socklen_t size = sizeof kind;
  if (REAL(getsockopt)(fd, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 || kind != SOCK_STREAM) return 0;
  size = sizeof domain;
  return REAL(getsockopt)(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET;
}

/* ---- ends of sockets ---- */

static int ends_of(int fd, ends* found) {
  struct stat about;
  if (known == NULL || fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) return 0;
  int there = 0;
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < known_count && !there; ++i) {
    const ends* entry = &known[(known_next + known_most - 1 - i) % known_most]; /* the newest first */
    if (entry->inode == about.st_ino) {
      *found = *entry;
      there = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  return there;
}

static void remember(int fd, const struct sockaddr_in* own, const struct sockaddr_in* peer, int piped) {
  struct stat about;
  if (fstat(fd, &about) != 0) return;
  pthread_mutex_lock(&lock);
  if (known == NULL) known = calloc(known_most, sizeof *known);
  if (known != NULL) {
    known[known_next] = (ends){about.st_ino, *own, *peer, piped};
    known_next = (known_next + 1) % known_most;
    if (known_count < known_most) ++known_count;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- the helper ---- */

/* Whether the helper is a process of the same user: names of sockets are no secret. */
static int is_own(int fd) {
  struct ucred about;
  socklen_t size = sizeof about;
  return REAL(getsockopt)(fd, SOL_SOCKET, SO_PEERCRED, &about, &size) == 0 && about.uid == getuid();
}

static int dial(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  /* An abstract name: each network namespace has its own, and nothing is left in a file system. */
  const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "orrery-relay-%s", job);
  if (length < 0 || (size_t)length >= sizeof address.sun_path - 1) return -1;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  while (REAL(connect)(fd, (struct sockaddr*)&address, size) != 0) {
    if (errno == EINTR) continue;
    close(fd);
    return -1;
  }
  if (is_own(fd)) return fd;
  close(fd);
  return -1;
}

/* Exactly `size` bytes, and the descriptor that comes with them, if one does. 0: they did not come. The helper has a
 * limit for each of its steps, so we need none. */
static int receive(int fd, char* data, size_t size, int* passed) {
  for (size_t got = 0; got < size;) {
    union {
      struct cmsghdr head;
      char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {data + got, size - got};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    const ssize_t now = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return 0;
    const struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (passed != NULL && head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
      memcpy(passed, CMSG_DATA(head), sizeof *passed);
    got += (size_t)now;
  }
  return 1;
}

/* Ask the helper; the connection to it, or -1. `answer` is ended by a zero. */
static int ask(const char* request, char answer[line_bytes + 1], int* passed) {
  char line[line_bytes] = {0};
  memcpy(line, request, strnlen(request, line_bytes - 1));
  const int fd = dial();
  if (fd < 0) return -1;
  answer[line_bytes] = '\0';
  if (send(fd, line, sizeof line, MSG_NOSIGNAL) == (ssize_t)sizeof line && receive(fd, answer, line_bytes, passed))
    return fd;
  close(fd);
  return -1;
}

static void learn_network(const char* text) {
  unsigned a, b, c, d, bits;
  if (network_count == networks_most || sscanf(text, "%u.%u.%u.%u/%u", &a, &b, &c, &d, &bits) != 5 || bits > 32) return;
  const uint32_t mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
  networks[network_count++] = (network){(a << 24 | b << 16 | c << 8 | d) & mask, mask};
}

/* Which networks are those of other sites, and which ports the firewall of this one lets through. */
static void learn(void) {
  char answer[line_bytes + 1], text[networks_most * 20] = {0};
  unsigned size = 0;
  job = getenv("ORRERY_RELAY");
  if (job == NULL || *job == '\0') return;
  const int fd = ask("hello", answer, NULL);
  if (fd < 0 || sscanf(answer, "hello %u %u %u", &size, &port_first, &port_last) != 3 || size >= sizeof text ||
      !receive(fd, text, size, NULL)) {
    fprintf(
        stderr,
        "orrery: relay: this node has no helper of the job: connections to other sites are made without it (process "
        "%d)\n",
        (int)getpid());
    port_first = port_last = 0;
  } else {
    char* rest = NULL;
    for (char* network = strtok_r(text, " ", &rest); network != NULL; network = strtok_r(NULL, " ", &rest))
      learn_network(network);
  }
  if (fd >= 0) close(fd);
}

static int is_elsewhere(const struct sockaddr_in* address) {
  const int saved = errno;
  pthread_once(&once, learn);
  errno = saved;
  const uint32_t host = ntohl(address->sin_addr.s_addr);
  for (int i = 0; i < network_count; ++i)
    if ((host & networks[i].mask) == networks[i].base) return 1;
  return 0;
}

static void write_end(char* text, size_t size, const struct sockaddr_in* end) {
  char host[INET_ADDRSTRLEN] = "0.0.0.0";
  inet_ntop(AF_INET, &end->sin_addr, host, sizeof host);
  snprintf(text, size, "%s:%u", host, (unsigned)ntohs(end->sin_port));
}

static int read_end(const char* text, struct sockaddr_in* end) {
  char host[INET_ADDRSTRLEN];
  unsigned port;
  if (sscanf(text, "%15[0-9.]:%u", host, &port) != 2 || port > 65535) return 0;
  memset(end, 0, sizeof *end);
  end->sin_family = AF_INET;
  end->sin_port = htons((uint16_t)port);
  return inet_pton(AF_INET, host, &end->sin_addr) == 1;
}

/* ---- connect ---- */

/* Put `fresh` where the program's socket is, with the flags that it has. */
static int replace(int fd, int fresh) {
  const int status = fcntl(fd, F_GETFL), descriptor = fcntl(fd, F_GETFD);
  if (status < 0 || descriptor < 0 || fcntl(fresh, F_SETFL, status) != 0) return -1;
  return dup3(fresh, fd, (descriptor & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) < 0 ? -1 : 0;
}

/* What the program said of its socket before it connected: TCP_NODELAY decides what small messages cost. */
static void hand_over(int fd, int fresh) {
  int value = 0;
  socklen_t size = sizeof value;
  if (REAL(getsockopt)(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size) == 0)
    REAL(setsockopt)(fresh, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value);
}

static int take(int fd, int passed, const char* answer, const struct sockaddr_in* peer) {
  struct sockaddr_in own;
  int error = 0;
  if (passed >= 0) {
    hand_over(fd, passed);
    if (replace(fd, passed) != 0) return -1;
    if (strncmp(answer, "piped ", 6) == 0 && read_end(answer + 6, &own)) remember(fd, &own, peer, 1);
    return 0;
  }
  errno = sscanf(answer, "error %d", &error) == 1 && error > 0 ? error : EHOSTUNREACH;
  return -1;
}

static int connect_elsewhere(int fd, const struct sockaddr_in* peer) {
  struct sockaddr_in own = {.sin_family = AF_INET};
  socklen_t size = sizeof own;
  char to[32], from[32], request[line_bytes + 32], answer[line_bytes + 1];
  int passed = -1;
  REAL(getsockname)(fd, (struct sockaddr*)&own, &size);
  write_end(to, sizeof to, peer);
  write_end(from, sizeof from, &own);
  snprintf(request, sizeof request, "connect %s %s", to, from);
  const int helper = ask(request, answer, &passed);
  if (helper < 0) {
    errno = ENETUNREACH;
    return -1;
  }
  const int result = take(fd, passed, answer, peer);
  const int saved = errno;
  if (passed >= 0) close(passed);
  close(helper);
  errno = saved;
  return result;
}

EXPORTED int connect(int fd, const struct sockaddr* address, socklen_t size) {
  ends found;
  if (address == NULL || size < sizeof(struct sockaddr_in) || address->sa_family != AF_INET)
    return REAL(connect)(fd, address, size);
  const struct sockaddr_in* peer = (const struct sockaddr_in*)address;
  if (!is_elsewhere(peer)) return REAL(connect)(fd, address, size);
  if (ends_of(fd, &found) && found.piped) {
    errno = EISCONN;
    return -1;
  }
  return is_tcp(fd) ? connect_elsewhere(fd, peer) : REAL(connect)(fd, address, size);
}

/* ---- accept ---- */

/* If the helper has made this connection: for whom. */
static void learn_peer(int fd) {
  struct sockaddr_in own, peer;
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  char from[32], request[line_bytes], answer[line_bytes + 1];
  if (REAL(getpeername)(fd, (struct sockaddr*)&peer, &peer_size) != 0 || peer.sin_family != AF_INET ||
      ntohl(peer.sin_addr.s_addr) != helper_address || REAL(getsockname)(fd, (struct sockaddr*)&own, &own_size) != 0)
    return;
  pthread_once(&once, learn);
  if (job == NULL || *job == '\0') return;
  write_end(from, sizeof from, &peer);
  snprintf(request, sizeof request, "peer %s", from);
  const int helper = ask(request, answer, NULL);
  if (helper < 0) return;
  close(helper);
  if (strncmp(answer, "peer ", 5) == 0 && read_end(answer + 5, &peer)) remember(fd, &own, &peer, 0);
}

static void copy_end(const struct sockaddr_in* end, struct sockaddr* address, socklen_t room, socklen_t* size) {
  if (address == NULL || size == NULL) return;
  memcpy(address, end, room < sizeof *end ? room : sizeof *end);
  *size = sizeof *end;
}

static int accepted(int fd, struct sockaddr* address, socklen_t room, socklen_t* size) {
  ends found;
  const int saved = errno;
  if (fd < 0) return fd;
  learn_peer(fd);
  if (ends_of(fd, &found)) copy_end(&found.peer, address, room, size);
  errno = saved;
  return fd;
}

EXPORTED int accept(int fd, struct sockaddr* address, socklen_t* size) {
  const socklen_t room = size != NULL ? *size : 0;
  return accepted(REAL(accept)(fd, address, size), address, room, size);
}

EXPORTED int accept4(int fd, struct sockaddr* address, socklen_t* size, int flags) {
  const socklen_t room = size != NULL ? *size : 0;
  return accepted(REAL(accept4)(fd, address, size, flags), address, room, size);
}

/* ---- what sockets say of themselves ---- */

EXPORTED int getpeername(int fd, struct sockaddr* address, socklen_t* size) {
  ends found;
  if (!ends_of(fd, &found)) return REAL(getpeername)(fd, address, size);
  copy_end(&found.peer, address, *size, size);
  return 0;
}

EXPORTED int getsockname(int fd, struct sockaddr* address, socklen_t* size) {
  ends found;
  if (!ends_of(fd, &found) || !found.piped) return REAL(getsockname)(fd, address, size);
  copy_end(&found.own, address, *size, size);
  return 0;
}

/* ---- bind ---- */

static int bind_in_range(int fd, struct sockaddr_in address) {
  const unsigned count = port_last - port_first + 1;
  const unsigned begin = (unsigned)getpid(); /* processes of a node begin at different ports */
  for (unsigned i = 0; i < count; ++i) {
    address.sin_port = htons((uint16_t)(port_first + (begin + i) % count));
    if (REAL(bind)(fd, (struct sockaddr*)&address, sizeof address) == 0) return 0;
    if (errno != EADDRINUSE) return -1;
  }
  fprintf(stderr, "orrery: relay: all ports %u-%u of this site are taken; give it more in relay.toml: ports\n",
          port_first, port_last);
  errno = EADDRINUSE;
  return -1;
}

EXPORTED int bind(int fd, const struct sockaddr* address, socklen_t size) {
  const struct sockaddr_in* wanted = (const struct sockaddr_in*)address;
  if (address == NULL || size < sizeof *wanted || wanted->sin_family != AF_INET || wanted->sin_port != 0 ||
      (ntohl(wanted->sin_addr.s_addr) >> 24) == 127 || !is_tcp(fd))
    return REAL(bind)(fd, address, size);
  pthread_once(&once, learn);
  return port_first == 0 ? REAL(bind)(fd, address, size) : bind_in_range(fd, *wanted);
}

/* ---- listen ---- */

/* Sockets are told by port and inode: when another process has the port later, it is another socket. */
static void tell_of(int fd) {
  struct sockaddr_in6 own; /* also room for IPv4, whose port is at the same place */
  socklen_t size = sizeof own;
  struct stat about;
  char request[line_bytes], answer[line_bytes + 1];
  if (REAL(getsockname)(fd, (struct sockaddr*)&own, &size) != 0 || fstat(fd, &about) != 0) return;
  if (own.sin6_family != AF_INET && own.sin6_family != AF_INET6) return;
  pthread_once(&once, learn);
  if (job == NULL || *job == '\0') return;
  snprintf(request, sizeof request, "listen %u %llu", (unsigned)ntohs(own.sin6_port), (unsigned long long)about.st_ino);
  const int helper = ask(request, answer, NULL);
  if (helper >= 0) close(helper);
}

EXPORTED int listen(int fd, int backlog) {
  const int result = REAL(listen)(fd, backlog);
  const int saved = errno;
  if (result == 0) tell_of(fd);
  errno = saved;
  return result;
}

/* Open MPI's ranks look for a port from 1024 on by themselves; they get the site's ports to look in, if the user says
 * nothing else. What mpirun sets is the same for all sites, so it is done here. */
__attribute__((constructor)) static void limit_openmpi(void) {
  char text[16];
  if (getenv("OMPI_COMM_WORLD_RANK") == NULL) return;
  pthread_once(&once, learn);
  if (port_first == 0) return;
  snprintf(text, sizeof text, "%u", port_first);
  setenv("OMPI_MCA_btl_tcp_port_min_v4", text, 0);
  snprintf(text, sizeof text, "%u", port_last - port_first + 1);
  setenv("OMPI_MCA_btl_tcp_port_range_v4", text, 0);
}
