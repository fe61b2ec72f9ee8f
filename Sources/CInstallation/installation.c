#include "installation.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/timex.h>
#endif
#include <sys/un.h>
#include <unistd.h>

// Package.swift defines it from the environment variable of the same name.
#ifndef WEIR_COMMIT
#define WEIR_COMMIT ""
#endif

const char *cinstallation_commit(void) { return WEIR_COMMIT; }

#ifdef __linux__
// The static libstdc++ calls it, and glibc has it only since 2.36: with this one, a package starts on 2.35.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
    uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {}
    return number;
}
#endif

int cinstallation_notify(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    if (*path == '@') address.sun_path[0] = 0;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (descriptor < 0) return errno;
    ssize_t sent = sendto(
        descriptor, text, strlen(text), MSG_DONTWAIT, (struct sockaddr *)&address,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    int result = sent < 0 ? errno : 0;
    close(descriptor);
    return result;
}

int cinstallation_take_socket(int descriptor, char *host, size_t host_size, int *port) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0) return errno;
    struct sockaddr_storage address;
    size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) < 0) return errno;
    if (!listens || (address.ss_family != AF_INET && address.ss_family != AF_INET6)) return ENOTSUP;
    if (getnameinfo((struct sockaddr *)&address, size, host, (socklen_t)host_size, NULL, 0, NI_NUMERICHOST)) return ENOTSUP;
    *port = ntohs(
        address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                     : ((struct sockaddr_in6 *)&address)->sin6_port);
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
}

int cinstallation_can_listen(const char *host, const char *port) {
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    if (getaddrinfo(host, port, &wanted, &found) || !found) return EADDRNOTAVAIL;
    int result = 0;
    int descriptor = socket(found->ai_family, SOCK_STREAM, 0);
    int reuses = 1;
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, sizeof reuses) < 0 ||
        bind(descriptor, found->ai_addr, found->ai_addrlen) < 0)
        result = errno;
    if (descriptor >= 0) close(descriptor);
    freeaddrinfo(found);
    return result;
}

int cinstallation_clock_is_synchronized(void) {
#ifdef __linux__
    struct timex clock = {.modes = 0};
    int state = adjtimex(&clock);
    return state < 0 ? -1 : state != TIME_ERROR;
#else
    return -1;
#endif
}
