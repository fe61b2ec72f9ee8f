#pragma once
#include <sys/types.h>

// Sends a signal to the command's group and, on Linux, to every other descendant of this program, whichever group and
// session it went to. `leader` is the command's process; 0 once it was reaped, when its number may be another's.
void signal_tree(pid_t leader, int number);
