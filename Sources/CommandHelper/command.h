#pragma once
#include <sys/types.h>

#include "options.h"

// The descriptors for reports, for the command's standard input, and for the arguments.
enum { REPORT = 3, INPUT = 4, ARGUMENTS = 5 };

// The error that the child writes to the pipe if it cannot start the command; a successful exec closes the pipe.
struct failure {
    char step[12];  // nice, memory, files, terminal, input, user, directory or exec
    int error;      // errno
};

// The two sides of a pseudo-terminal; -1 without one.
struct terminal {
    int master, slave;
};

// Starts the command in a new session and process group.
//
// `outcome` is the pipe to read a `failure` or EOF from. The command begins when `gate` is closed: one that stops this program
// earlier would keep its output open. Returns the process id, or -1 with errno.
pid_t begin_command(const struct options *options, int *outcome, struct terminal *terminal, int *gate);
