#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/capability.h>
#include <sys/prctl.h>
#endif

extern char **environ;

static void fail(int outcome, const char *step) {
    struct failure failure = {.error = errno};
    strncpy(failure.step, step, sizeof failure.step - 1);
    while (write(outcome, &failure, sizeof failure) < 0 && errno == EINTR) {}
    _exit(127);
}

static int limit(int resource, long long value) {
    struct rlimit bound = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
    struct rlimit standing;
    // A hard limit of the system cannot be raised.
    if (getrlimit(resource, &standing) == 0 && standing.rlim_max < bound.rlim_max)
        bound.rlim_cur = bound.rlim_max = standing.rlim_max;
    return setrlimit(resource, &bound);
}

// Makes the terminal the controlling one, in raw mode so that output is unchanged, and redirects output to it.
static int take_terminal(const struct options *options, int slave) {
    struct winsize size = {.ws_col = (unsigned short)options->columns, .ws_row = (unsigned short)options->rows};
    struct termios mode;
    if (ioctl(slave, TIOCSCTTY, 0) < 0 || tcgetattr(slave, &mode) < 0) return -1;
    cfmakeraw(&mode);
    if (tcsetattr(slave, TCSANOW, &mode) < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0) return -1;
    if (dup2(slave, STDOUT_FILENO) < 0 || dup2(slave, STDERR_FILENO) < 0) return -1;
    return 0;
}

// Takes the user's groups and ids, and sets the variables that name the user.
static void become_user(int outcome, const char *name) {
    errno = 0;
    struct passwd *user = getpwnam(name);
    if (!user) {
        errno = ENOENT;
        fail(outcome, "user");
    }
    setenv("HOME", user->pw_dir, 0);
    setenv("USER", name, 0);
    setenv("LOGNAME", name, 0);
    if (user->pw_uid == getuid() && user->pw_gid == getgid()) return;
    if (initgroups(name, user->pw_gid) < 0 || setgid(user->pw_gid) < 0 || setuid(user->pw_uid) < 0) fail(outcome, "user");
}

// Keeps the command from inheriting the capabilities with which this program switches users and ends their processes.
static void lower_capabilities(void) {
#ifdef PR_CAP_AMBIENT
    static const int capabilities[] = {CAP_KILL, CAP_SETGID, CAP_SETUID};
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, capabilities[i], 0, 0);
#endif
}

static void become_command(const struct options *options, int outcome, int slave, pid_t parent, const sigset_t *mask) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    setsid();
    if (options->has_nice && setpriority(PRIO_PROCESS, 0, options->nice) < 0) fail(outcome, "nice");
    if (options->has_umask) umask((mode_t)options->umask);
    if (options->memory && limit(RLIMIT_AS, options->memory) < 0) fail(outcome, "memory");
    if (options->files && limit(RLIMIT_NOFILE, options->files) < 0) fail(outcome, "files");
    if (slave >= 0 && take_terminal(options, slave) < 0) fail(outcome, "terminal");
    if (dup2(INPUT, STDIN_FILENO) < 0) fail(outcome, "input");
    close(INPUT);
    close(REPORT);
    if (options->user) become_user(outcome, options->user);
    lower_capabilities();
#ifdef __linux__
    // Kills the command if this program is killed. A change of the user would reset it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
#else
    (void)parent;
#endif
    if (options->directory && chdir(options->directory) < 0) fail(outcome, "directory");
    execvp(options->command[0], options->command);
    fail(outcome, "exec");
}

// Opens a pseudo-terminal with both sides close-on-exec.
static int open_terminal(struct terminal *terminal) {
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal->master < 0 || grantpt(terminal->master) < 0 || unlockpt(terminal->master) < 0) return -1;
    char *name = ptsname(terminal->master);
    terminal->slave = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (terminal->slave < 0) return -1;
    fcntl(terminal->master, F_SETFD, FD_CLOEXEC);
    fcntl(terminal->slave, F_SETFD, FD_CLOEXEC);
    return 0;
}

// Creates a pipe with both ends close-on-exec.
static int open_pipe(int ends[2]) {
    if (pipe(ends) < 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

pid_t begin_command(const struct options *options, int *outcome, struct terminal *terminal, int *gate) {
    int ends[2], gates[2];
    terminal->master = terminal->slave = -1;
    if (options->columns && open_terminal(terminal) < 0) return -1;
    if (open_pipe(ends) < 0 || open_pipe(gates) < 0) return -1;
    pid_t parent = getpid();
    // Until the child has its own handlers, those of this program would swallow the stop signal.
    sigset_t all, mask;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    pid_t process = fork();
    if (process == 0) {
        char byte;
        close(gates[1]);
        while (read(gates[0], &byte, 1) < 0 && errno == EINTR) {}
        become_command(options, ends[1], terminal->slave, parent, &mask);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    errno = error;
    close(ends[1]);
    close(gates[0]);
    *outcome = ends[0];
    *gate = gates[1];
    return process;
}
