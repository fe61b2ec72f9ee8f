#pragma once

// The program's options; `read_options` validates the range of every number.
struct options {
    const char *directory;  // -d: the working directory; NULL: inherited
    int stop_signal;        // -s: the stop signal
    long grace;             // -g: milliseconds from the stop signal to SIGKILL
    int has_nice, nice;     // -n
    int has_umask, umask;   // -u: as a decimal number
    long long memory;       // -m: bytes of address space; 0: unlimited
    long long files;        // -f: open files; 0: inherited
    int keeps;              // -k: whether descendants may outlive the command
    const char *user;       // -l: the user that the command runs as; NULL: this program's
    int columns, rows;      // -t: the size of a pseudo-terminal; 0: none
    char **command;         // after --
};

// Reads and parses the arguments of a file; returns 0 if they are invalid.
int read_options(int file, struct options *options);
