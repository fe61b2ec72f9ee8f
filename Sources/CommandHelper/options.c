#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Parses an integer within bounds.
static int number(const char *text, long long least, long long most, long long *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == 0 && *value >= least && *value <= most;
}

// Parses COLUMNSxROWS.
static int size(char *text, struct options *options) {
    long long columns, rows;
    char *cross = strchr(text, 'x');
    if (!cross) return 0;
    *cross = 0;
    if (!number(text, 1, 10000, &columns) || !number(cross + 1, 1, 10000, &rows)) return 0;
    options->columns = (int)columns;
    options->rows = (int)rows;
    return 1;
}

// Reads words that end with NUL into a list that ends with NULL, which lives as long as the program; returns NULL on failure.
static char **read_words(int file, int *count) {
    struct stat status;
    if (fstat(file, &status) < 0 || status.st_size <= 0) return NULL;
    size_t size = (size_t)status.st_size, length = 0;
    char *text = malloc(size);
    if (!text) return NULL;
    while (length < size) {
        ssize_t piece = read(file, text + length, size - length);
        if (piece < 0 && errno == EINTR) continue;
        if (piece <= 0) return NULL;
        length += (size_t)piece;
    }
    if (text[size - 1] != 0) return NULL;
    *count = 0;
    for (size_t i = 0; i < size; i++) *count += text[i] == 0;
    char **words = calloc((size_t)*count + 1, sizeof *words);
    for (char **word = words; words && word < words + *count; word++) {
        *word = text;
        text += strlen(text) + 1;
    }
    return words;
}

int read_options(int file, struct options *options) {
    int count;
    char **arguments = read_words(file, &count);
    if (!arguments) return 0;
    memset(options, 0, sizeof *options);
    options->stop_signal = SIGTERM;
    options->grace = 10000;
    for (int i = 0; i < count; i += 2) {
        const char *name = arguments[i];
        if (strcmp(name, "--") == 0) {
            options->command = arguments + i + 1;
            return i + 1 < count;
        }
        if (i + 1 >= count || name[0] != '-' || name[1] == 0 || name[2] != 0) return 0;
        char *text = arguments[i + 1];
        long long value = 0;
        switch (name[1]) {
        case 'd': options->directory = text; break;
        case 'l': options->user = text; break;
        case 's':
            if (!number(text, 1, NSIG - 1, &value)) return 0;
            options->stop_signal = (int)value;
            break;
        case 'g':
            if (!number(text, 0, 86400000, &value)) return 0;
            options->grace = (long)value;
            break;
        case 'n':
            if (!number(text, -20, 19, &value)) return 0;
            options->has_nice = 1;
            options->nice = (int)value;
            break;
        case 'u':
            if (!number(text, 0, 0777, &value)) return 0;
            options->has_umask = 1;
            options->umask = (int)value;
            break;
        case 'm':
            if (!number(text, 1, 1LL << 60, &options->memory)) return 0;
            break;
        case 'f':
            if (!number(text, 3, 1 << 30, &options->files)) return 0;
            break;
        case 'k':
            if (!number(text, 0, 1, &value)) return 0;
            options->keeps = (int)value;
            break;
        case 't':
            if (!size(text, options)) return 0;
            break;
        default: return 0;
        }
    }
    return 0;
}
