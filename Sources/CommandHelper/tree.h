#pragma once
#include <sys/types.h>

// Counts the running descendants of this program; 0 where the system does not list them.
size_t count_tree(void);

// Sends a signal to the command's group and, on Linux, to every other descendant of this program in any group and session.
// `leader` is the command's process id, or 0 once it was reaped, because the id may be reused.
void signal_tree(pid_t leader, int number);
