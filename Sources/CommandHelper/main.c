// Runs one command for the server and kills its whole process tree when it or the server ends.
//
// Descriptor 5 is a file with the arguments, each terminated by NUL, so that `pkill -f` in a command does not match this program:
//
//   [-d directory] [-s signal] [-g milliseconds] [-n nice] [-u mask] [-m bytes] [-f files] [-l user] [-t COLUMNSxROWS] [-k 0|1] -- command …
//
// Standard input is the lifeline: EOF, also caused by the server's death, kills everything immediately; a byte `s` sends
// the stop signal, and SIGKILL after the grace period. Descriptor 3 receives the reports:
//
//   started 4711                           the command runs with this process id
//   failed STEP ERRNO                      it could not be started; STEP is one of `struct failure`, or fork
//   exited CODE USER SYSTEM MEMORY         it and all descendants ended: CPU time in milliseconds, memory in KiB
//   signalled NUMBER USER SYSTEM MEMORY    the same, ended by a signal
//   left                                   precedes one of these two: a process could not be killed
//   outlived COUNT                         precedes one of these two: descendants that the command left and that were stopped
//
// Descriptor 4, if open, becomes the command's standard input. Descendants that outlive the command are stopped and killed
// like the command itself, unless -k 1 is given; this program is their subreaper (prctl(2)). With -k 1, it reports the end and
// then waits for them, so that the server can tell them from processes of a command that killed this program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "command.h"
#include "processes.h"

// The interval between attempts to kill the process tree, and their total duration, in milliseconds.
enum { KILL_INTERVAL = 20, KILL_PATIENCE = 5000 };

static int wake[2];

static struct {
    const struct options *options;
    pid_t process, leader;          // the command's; the leader is 0 once reaped
    int status;                     // as wait(2) gives it
    struct rusage usage;
    int outcome;                    // -1 once read
    struct terminal terminal;       // the slave stays open until the end, which prevents a hang-up
    int has_failed;                 // the command could not be started
    int is_over;                    // no process of the command is left, or the others are kept
    size_t outlived;                // the processes that the command left
    enum { RUNNING, STOPPING, KILLING } phase;
    long long deadline;             // of the phase
    long long next_kill;
    int lifeline;                   // 0, or -1 after EOF
    char pending[65536];            // output of the terminal, not written yet
    size_t pending_start, pending_end;
} run;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void on_signal(int number) {
    int saved = errno;
    char byte = number == SIGCHLD ? 'c' : 's';
    (void)!write(wake[1], &byte, 1);
    errno = saved;
}

__attribute__((format(printf, 1, 2))) static void report(const char *format, ...) {
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    while (write(REPORT, line, (size_t)length) < 0 && errno == EINTR) {}
}

static void signal_tree(int number) {
#ifdef __linux__
    processes_signal(getpid(), number);
#else
    // Once it was reaped, the id may be reused.
    if (run.leader <= 0) return;
    kill(-run.leader, number);
    kill(run.leader, number);
#endif
}

static void stop(void) {
    if (run.phase != RUNNING) return;
    run.phase = STOPPING;
    run.deadline = now() + run.options->grace;
    signal_tree(run.options->stop_signal);
    signal_tree(SIGCONT);
}

static void kill_all(void) {
    if (run.phase == KILLING) return;
    run.phase = KILLING;
    run.next_kill = now();
    run.deadline = run.next_kill + KILL_PATIENCE;
}

static void reap(void) {
    for (;;) {
        int status;
        struct rusage usage;
        pid_t process = wait4(-1, &status, WNOHANG, &usage);
        if (process == run.leader && process > 0) {
            run.leader = 0;
            run.status = status;
            run.usage = usage;
            continue;
        }
        if (process > 0 || (process < 0 && errno == EINTR)) continue;
        if (process < 0) run.is_over = 1;
        if (process == 0 && run.leader == 0 && run.phase == RUNNING) {
            if (run.options->keeps) {
                run.is_over = 1;
            } else {
                // Descendants must not outlive the command.
                run.outlived = processes_signal(getpid(), 0);
                stop();
            }
        }
        return;
    }
}

static void close_end(int *descriptor) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

// Reports whether the command was started.
static void read_outcome(void) {
    struct failure failure;
    ssize_t length = read(run.outcome, &failure, sizeof failure);
    if (length < 0 && errno == EINTR) return;
    if (length == (ssize_t)sizeof failure) {
        report("failed %.11s %d\n", failure.step, failure.error);
        run.has_failed = 1;
    } else {
        report("started %d\n", (int)run.process);
    }
    close_end(&run.outcome);
}

static void read_lifeline(void) {
    char byte;
    ssize_t length = read(STDIN_FILENO, &byte, 1);
    if (length < 0 && errno == EINTR) return;
    if (length == 1 && byte == 's') {
        stop();
    } else if (length <= 0) {
        run.lifeline = -1;
        kill_all();
    }
}

static void read_terminal(void) {
    ssize_t length = read(run.terminal.master, run.pending, sizeof run.pending);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
    // EIO: the other side is closed.
    if (length <= 0) return close_end(&run.terminal.master);
    run.pending_start = 0;
    run.pending_end = (size_t)length;
}

static void write_pending(void) {
    ssize_t length = write(STDOUT_FILENO, run.pending + run.pending_start, run.pending_end - run.pending_start);
    if (length > 0) run.pending_start += (size_t)length;
    // The reader is gone: discard the output, because the command cannot observe the closed pipe.
    if (length < 0 && errno != EINTR && errno != EAGAIN) run.pending_start = run.pending_end;
}

static int has_pending(void) { return run.pending_start < run.pending_end; }

static int patience(void) {
    if (run.phase == RUNNING) return -1;
    long long until = run.phase == KILLING && run.next_kill < run.deadline ? run.next_kill : run.deadline;
    long long left = until - now();
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void look_at_clock(void) {
    if (run.phase == RUNNING) return;
    long long time = now();
    if (run.phase == STOPPING && time >= run.deadline) kill_all();
    if (run.phase != KILLING || time < run.next_kill) return;
    signal_tree(SIGKILL);
    run.next_kill = time + KILL_INTERVAL;
    if (time >= run.deadline && !run.is_over) {
        report("left\n");
        run.is_over = 1;
    }
}

static void look(void) {
    struct pollfd list[5] = {
        {.fd = run.lifeline, .events = POLLIN},
        {.fd = wake[0], .events = POLLIN},
        {.fd = run.outcome, .events = POLLIN},
        {.fd = has_pending() ? -1 : run.terminal.master, .events = POLLIN},
        {.fd = has_pending() ? STDOUT_FILENO : -1, .events = POLLOUT},
    };
    if (poll(list, 5, patience()) < 0) return;
    if (list[0].revents) read_lifeline();
    if (list[2].revents) read_outcome();
    if (list[3].revents) read_terminal();
    if (list[4].revents) write_pending();
    if (list[1].revents) {
        char bytes[64];
        ssize_t length = read(wake[0], bytes, sizeof bytes);
        if (length > 0 && memchr(bytes, 's', (size_t)length)) stop();
        reap();
    }
}

static void close_others(void) {
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, INPUT + 1, ~0U, 0) == 0) return;
#endif
    for (int descriptor = INPUT + 1; descriptor < 65536; descriptor++) close(descriptor);
}

static int prepare(void) {
    close_others();
    // Without an input, occupy its descriptor, so that none of our pipes becomes the command's input.
    if (fcntl(INPUT, F_GETFD) < 0) {
        int null = open("/dev/null", O_RDONLY);
        if (null < 0 || (null != INPUT && (dup2(null, INPUT) < 0 || close(null) < 0))) return 0;
    }
    fcntl(REPORT, F_SETFD, FD_CLOEXEC);
    if (pipe(wake) < 0) return 0;
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    processes_adopt();
    return processes_hide() == 0;
}

// Closes the descriptors inherited by the command, so that readers see EOF.
static void let_go(void) {
    int null = open("/dev/null", O_RDWR);
    if (null < 0) return;
    if (run.terminal.master >= 0) {
        fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
        fcntl(run.terminal.master, F_SETFL, O_NONBLOCK);
    } else {
        dup2(null, STDOUT_FILENO);
    }
    dup2(null, STDERR_FILENO);
    dup2(null, INPUT);
    close(null);
    close(INPUT);
}

// Waits for the descendants that the command left, and keeps only the report's descriptor open, which tells the server its end.
static void wait_for_others(void) {
    close(STDIN_FILENO);
    close_end(&run.terminal.master);
    signal(SIGTERM, SIG_IGN);
    (void)!chdir("/");
    while (wait(NULL) > 0 || errno == EINTR) {}
}

static long milliseconds(struct timeval time) { return time.tv_sec * 1000L + time.tv_usec / 1000; }

int main(int count, char **arguments) {
    struct options options;
    (void)arguments;
    if (count != 1 || !read_options(ARGUMENTS, &options)) {
        static const char usage[] = "weir-exec is a part of weir, which starts it for each command that it runs.\n";
        (void)!write(STDERR_FILENO, usage, sizeof usage - 1);
        return 64;
    }
    if (!prepare()) return 71;
    run.options = &options;
    int gate = -1;
    run.leader = run.process = begin_command(&options, &run.outcome, &run.terminal, &gate);
    if (run.leader < 0) {
        report("failed fork %d\n", errno);
        return 71;
    }
    let_go();
    close(gate);
    while (!run.is_over || run.outcome >= 0 || (run.terminal.master >= 0 && run.lifeline >= 0) || has_pending()) {
        look();
        look_at_clock();
        if (run.is_over) close_end(&run.terminal.slave);
        if (run.is_over && run.lifeline < 0) break;
    }
    if (run.has_failed) return 0;
    if (run.outlived > 0) report("outlived %zu\n", run.outlived);
    report(
        "%s %d %ld %ld %ld\n", WIFSIGNALED(run.status) ? "signalled" : "exited",
        WIFSIGNALED(run.status) ? WTERMSIG(run.status) : WEXITSTATUS(run.status), milliseconds(run.usage.ru_utime),
        milliseconds(run.usage.ru_stime), (long)run.usage.ru_maxrss);
    if (options.keeps) wait_for_others();
    return 0;
}
