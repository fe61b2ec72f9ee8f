#pragma once
#include <sys/types.h>

#include "options.h"

// Where the command's standard input is, if it has one, and where this program reports.
enum { REPORT = 3, INPUT = 4 };

// What became of the attempt to start the command, as the child writes it to the pipe that a successful exec closes.
struct failure {
    char step[12];  // nice, memory, files, directory, input, terminal or exec
    int error;      // errno
};

// The two sides of a pseudo-terminal; -1 without one.
struct terminal {
    int master, slave;
};

// Begins the command in a session and group of its own.
//
// `outcome` is the pipe's end from which a `failure` or its end is read. Returns the process, or -1 with errno.
pid_t begin_command(const struct options *options, int *outcome, struct terminal *terminal);
