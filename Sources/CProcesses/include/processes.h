#pragma once
#include <stddef.h>
#include <sys/types.h>

// The processes of commands, for the server and for `weir-exec`. Only Linux lists them and knows subreapers: elsewhere, these
// functions return 0 and have no effect.

/// Makes this process the parent of all descendants whose parent ends.
void processes_adopt(void);

/// Keeps programs of the same user from reading this process's memory, environment and descriptors, and from tracing it.
///
/// Returns 0 or errno.
int processes_hide(void);

/// Removes a variable from the environment, and overwrites its value, which `/proc` would show.
///
/// No other thread may use the environment.
void processes_forget(const char *variable);

/// Sends a signal to all descendants of a process in any group and session, and returns how many of them run.
size_t processes_signal(pid_t root, int number);

/// Sends a signal to the descendants that this process adopted, and reaps those that have ended; returns how many run.
///
/// The adopted ones are the children in another session, except the given ones, and their descendants.
size_t processes_signal_adopted(const pid_t *excepted, size_t count, int number);

/// Whether a signal has stopped the process.
int processes_is_stopped(pid_t process);

/// Writes what standard output still buffers.
///
/// Returns 0, or the errno of this write or of an earlier one that failed.
int processes_flush(void);
