#define _GNU_SOURCE
#include "processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int processes_flush(void) {
    if (fflush(NULL) != 0) return errno;
    if (!ferror(stdout)) return 0;
    // The errno of the earlier write is lost; an empty line fails for the same reason.
    clearerr(stdout);
    return putchar('\n') == EOF || fflush(stdout) != 0 ? errno : EIO;
}

void processes_forget(const char *variable) {
    char *value = getenv(variable);
    if (value) memset(value, 0, strlen(value));
    unsetenv(variable);
}

#ifdef __linux__
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
    pid_t id, parent, group, session;
    char state;
    int is_ours;
};

// Reads a process from /proc; 0 if it has ended.
static int read_process(const char *id, struct process *process) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", id);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    // The name in parentheses can contain any character, including parentheses.
    const char *end = strrchr(text, ')');
    *process = (struct process){.id = atoi(id)};
    return end
        && sscanf(end + 1, " %c %d %d %d", &process->state, &process->parent, &process->group, &process->session) == 4;
}

// Lists all processes; the caller frees the list.
static size_t processes(struct process **list) {
    size_t count = 0, room = 0;
    *list = NULL;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct process process;
        if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(entry->d_name, &process)) continue;
        if (count == room) {
            struct process *larger = realloc(*list, (room = room ? room * 2 : 256) * sizeof **list);
            if (!larger) break;
            *list = larger;
        }
        (*list)[count++] = process;
    }
    closedir(folder);
    return count;
}

// Marks the descendants of those that are marked.
static void mark_descendants(struct process *list, size_t count) {
    for (int grows = 1; grows;) {
        grows = 0;
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < count && !list[i].is_ours; j++) {
                if (list[j].is_ours && list[j].id == list[i].parent) list[i].is_ours = grows = 1;
            }
        }
    }
}

static int is_first_of_group(const struct process *list, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (list[i].is_ours && list[i].group == list[index].group) return 0;
    }
    return 1;
}

// Sends a signal to the marked processes, and returns how many of them run.
//
// A process that is forked after the list was read is in the group of its parent. The signal goes to groups, because fork(2)
// cannot complete while the signal of its group is pending. The group `own` is not only that of marked processes.
static size_t signal_marked(const struct process *list, size_t count, int number, pid_t own) {
    size_t running = 0;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].is_ours) continue;
        running += list[i].state != 'Z';
        if (list[i].group > 1 && list[i].group != own && is_first_of_group(list, i)) kill(-list[i].group, number);
    }
    for (size_t i = 0; i < count; i++) {
        if (!list[i].is_ours) continue;
        // Another may have left its group since the list was read.
        pid_t group = getpgid(list[i].id);
        if (group > 0 && (group == own || list[i].group <= 1 || group != list[i].group)) kill(list[i].id, number);
    }
    return running;
}

void processes_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

int processes_hide(void) { return prctl(PR_SET_DUMPABLE, 0) < 0 ? errno : 0; }

size_t processes_signal(pid_t root, int number) {
    struct process *list;
    size_t count = processes(&list);
    for (size_t i = 0; i < count; i++) list[i].is_ours = list[i].parent == root;
    mark_descendants(list, count);
    size_t running = signal_marked(list, count, number, getpgid(root));
    free(list);
    return running;
}

size_t processes_signal_adopted(const pid_t *excepted, size_t count_excepted, int number) {
    struct process *list;
    size_t count = processes(&list);
    pid_t self = getpid(), session = getsid(0);
    for (size_t i = 0; i < count; i++) {
        list[i].is_ours = list[i].parent == self && list[i].session != session;
        for (size_t j = 0; j < count_excepted && list[i].is_ours; j++) list[i].is_ours = list[i].id != excepted[j];
        if (!list[i].is_ours || list[i].state != 'Z') continue;
        waitpid(list[i].id, NULL, WNOHANG);
        list[i].is_ours = 0;
    }
    mark_descendants(list, count);
    size_t running = signal_marked(list, count, number, getpgrp());
    free(list);
    return running;
}

int processes_is_stopped(pid_t id) {
    char text[16];
    struct process process;
    snprintf(text, sizeof text, "%d", (int)id);
    return read_process(text, &process) && (process.state == 'T' || process.state == 't');
}
#else
void processes_adopt(void) {}
int processes_hide(void) { return 0; }
size_t processes_signal(pid_t root, int number) { return 0; }
size_t processes_signal_adopted(const pid_t *excepted, size_t count, int number) { return 0; }
int processes_is_stopped(pid_t process) { return 0; }
#endif
