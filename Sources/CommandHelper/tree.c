#include "tree.h"

#include <signal.h>

#ifdef __linux__
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
    pid_t id, parent;
    int is_ours, is_zombie;
};

// Reads a process's parent and state from /proc; 0 if the process has ended.
static pid_t parent_of(const char *id, char *state) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", id);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    // The name in parentheses can contain any character, including parentheses.
    const char *end = strrchr(text, ')');
    int parent = 0;
    return end && sscanf(end + 1, " %c %d", state, &parent) == 2 ? parent : 0;
}

// Lists all processes; the caller frees the list.
static size_t processes(struct process **list) {
    size_t count = 0, room = 0;
    *list = NULL;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char state = 0;
        pid_t parent = parent_of(entry->d_name, &state);
        if (parent == 0) continue;
        if (count == room) {
            struct process *larger = realloc(*list, (room = room ? room * 2 : 256) * sizeof **list);
            if (!larger) break;
            *list = larger;
        }
        (*list)[count++] = (struct process){.id = atoi(entry->d_name), .parent = parent, .is_zombie = state == 'Z'};
    }
    closedir(folder);
    return count;
}

// Sends a signal to the descendants, and returns how many of them run.
static size_t signal_descendants(int number) {
    struct process *list;
    size_t count = processes(&list), running = 0;
    pid_t self = getpid();
    for (int grows = 1; grows;) {
        grows = 0;
        for (size_t i = 0; i < count; i++) {
            int is_ours = list[i].parent == self;
            for (size_t j = 0; j < count && !is_ours; j++) is_ours = list[j].is_ours && list[j].id == list[i].parent;
            if (is_ours && !list[i].is_ours) list[i].is_ours = grows = 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!list[i].is_ours) continue;
        running += !list[i].is_zombie;
        kill(list[i].id, number);
    }
    free(list);
    return running;
}
#endif

size_t count_tree(void) {
#ifdef __linux__
    return signal_descendants(0);
#else
    return 0;
#endif
}

void signal_tree(pid_t leader, int number) {
#ifdef __linux__
    // One snapshot of all descendants includes the group's members, so no process is signalled twice.
    (void)leader;
    signal_descendants(number);
#else
    if (leader > 0) {
        kill(-leader, number);
        kill(leader, number);
    }
#endif
}
