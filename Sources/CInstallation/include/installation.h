#pragma once
#include <stddef.h>

/// The commit that `script/package` built, or an empty text for any other build.
const char *cinstallation_commit(void);

/// Sends a datagram to the Unix socket of a service manager, whose path begins with `@` if it is abstract. Never blocks;
/// returns 0 or errno.
int cinstallation_notify(const char *path, const char *text);

/// Finds the address of a socket that listens for TCP connections, and keeps child processes from inheriting it.
///
/// Returns 0 or errno: ENOTSUP for any other socket.
int cinstallation_take_socket(int descriptor, char *host, size_t host_size, int *port);

/// Binds a TCP socket to an address or a host name and a port, without listening, and closes it. Returns 0 or errno:
/// EADDRNOTAVAIL for a name without an address.
int cinstallation_can_listen(const char *host, const char *port);

/// Whether the kernel's clock is kept right by a time service: 1 or 0, or -1 if that is unknown.
int cinstallation_clock_is_synchronized(void);
