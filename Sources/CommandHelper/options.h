#pragma once

// What the server asks of the program, read from its arguments; every number was bounded by `read_options`.
struct options {
    const char *directory;  // -d: where the command runs; none: where this program runs
    int stop_signal;        // -s: what asks the command to stop
    long grace;             // -g: milliseconds from that to SIGKILL
    int has_nice, nice;     // -n
    int has_umask, umask;   // -u: the permissions that new files do not get, as a decimal number
    long long memory;       // -m: bytes of address space; 0: as many as there are
    long long files;        // -f: open files; 0: as many as this program may have
    int columns, rows;      // -t: the size of a pseudo-terminal; 0: none
    char **command;         // behind --
};

// Reads the arguments; 0 when they make no sense.
int read_options(int count, char **arguments, struct options *options);
