// Holds polls like many viewers, publishes, and measures when each viewer has which change: one thread, epoll.
//
//   load weir|nchan PORT PATH VIEWERS
//
// Connects, sends every viewer's poll, prints `held N`, and then takes commands, one a line; each is answered by one line:
//   publish COUNT INTERVAL_MS BYTES PATH   so many changes of so many bytes; waits until every viewer has all of them
//   quiet SECONDS                          goes on holding
// A change's text begins with `@@NUMBER@@`; that is how it is known in an answer, whatever stands around it. A viewer whose
// numbers leave one out has missed it; one that sees a number again after a later one has it out of order.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { viewersPerAddress = 20000, largestRead = 1 << 20, mostChanges = 100000 };

typedef struct {
    int fd;
    int held;            // a poll is sent and not answered
    int seen;            // the number of the last change
    char *part;          // what has come of an answer that is not complete
    size_t length, room;
    char next[320];      // what the next poll asks for: Weir's path, or Nchan's two header fields
} Viewer;

static Viewer *viewers;
static int count, port, isWeir;
static const char *pollPath;
static int poller;
static long missing, outOfOrder, failures, answers, bytesRead;
static double sentAt[mostChanges], firstAt[mostChanges], lastAt[mostChanges];
static int arrivals[mostChanges];
static int lastNumber;
static int finished;     // viewers that have the last change
static char *input;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int connected(int index) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) fail("socket (raise ulimit -n)");
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(port)};
    from.sin_addr.s_addr = htonl(0x7f000002 + index / viewersPerAddress);
    to.sin_addr.s_addr = htonl(0x7f000001);
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(fd, (void *)&from, sizeof from) || connect(fd, (void *)&to, sizeof to)) fail("connect");
    return fd;
}

static void sendAll(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) continue;
        if (n <= 0) { failures++; return; }
        bytes += n;
        length -= n;
    }
}

static void ask(Viewer *v) {
    // As long as a browser's.
    static const char *fields =
        "Host: 127.0.0.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
        "Accept: application/json\r\nAccept-Language: en\r\nReferer: http://127.0.0.1/\r\n"
        "Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\n\r\n";
    char request[1024];
    int n = isWeir ? snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n%s", v->next, fields)
                   : snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n%s%s", pollPath, v->next, fields);
    v->held = 1;
    sendAll(v->fd, request, n);
}

static void reconnect(Viewer *v) {
    close(v->fd);
    v->fd = connected((int)(v - viewers));
    fcntl(v->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = v};
    epoll_ctl(poller, EPOLL_CTL_ADD, v->fd, &event);
    v->length = 0;
}

static const char *field(const char *head, const char *end, const char *name) {
    size_t length = strlen(name);
    for (const char *line = head; line < end; line++) {
        line = memchr(line, '\n', end - line);
        if (!line) return NULL;
        if (strncasecmp(line + 1, name, length) == 0) return line + 1 + length;
    }
    return NULL;
}

static void copyField(char *to, size_t room, const char *name, const char *value) {
    if (!value) return;
    size_t used = strlen(to);
    int n = (int)strcspn(value, "\r\n");
    snprintf(to + used, room - used, "%s%.*s\r\n", name, n, value);
}

// Reads an answer if it has come completely; returns its length, else 0.
static size_t take(Viewer *v, const char *bytes, size_t length) {
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (!end) return 0;
    end += 4;
    const char *text = field(bytes, end, "content-length:");
    size_t body = text ? strtoul(text, NULL, 10) : 0;
    size_t total = (end - bytes) + body;
    if (length < total) return 0;
    answers++;
    int status = atoi(bytes + 9);
    if (status != 200) { if (failures++ == 0) fprintf(stderr, "load: %.300s\n", bytes); }
    double at = now();
    const char *at1 = end, *last = end + body;
    while ((at1 = memmem(at1, last - at1, "@@", 2))) {
        char *stop;
        long number = strtol(at1 + 2, &stop, 10);
        at1 = stop > at1 + 2 ? stop : at1 + 2;
        if (stop + 2 > last || memcmp(stop, "@@", 2) != 0 || number <= 0 || number > lastNumber) continue;
        if (number == v->seen) continue;
        if (number < v->seen) { outOfOrder++; continue; }
        missing += number - v->seen - 1;
        v->seen = (int)number;
        if (arrivals[number]++ == 0) firstAt[number] = at;
        lastAt[number] = at;
        if (number == lastNumber) finished++;
    }
    if (isWeir) {
        const char *next = memmem(end, body, "\"next\":\"", 8);
        if (next) {
            next += 8;
            size_t n = strcspn(next, "\"");
            if (n < sizeof v->next) { memcpy(v->next, next, n); v->next[n] = 0; }
        }
    } else if (status == 200) {
        v->next[0] = 0;
        copyField(v->next, sizeof v->next, "If-Modified-Since:", field(bytes, end, "last-modified:"));
        copyField(v->next, sizeof v->next, "If-None-Match:", field(bytes, end, "etag:"));
    }
    v->held = 0;
    const char *option = field(bytes, end, "connection:");
    if (option && strncasecmp(option + 1, "close", 5) == 0) reconnect(v);
    ask(v);
    return total;
}

static void readable(Viewer *v) {
    ssize_t n = recv(v->fd, input, largestRead, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) { failures++; reconnect(v); ask(v); return; }
    bytesRead += n;
    const char *bytes = input;
    size_t length = n;
    if (v->length > 0) {
        if (v->room < v->length + n) {
            v->room = (v->length + n) * 2;
            v->part = realloc(v->part, v->room);
        }
        memcpy(v->part + v->length, input, n);
        v->length += n;
        bytes = v->part;
        length = v->length;
    }
    size_t used = take(v, bytes, length);
    if (used) { v->length = 0; return; }
    if (bytes == input) {
        if (v->room < length) { v->room = length * 2; v->part = realloc(v->part, v->room); }
        memcpy(v->part, input, length);
        v->length = length;
    }
}

static void turn(double until) {
    static struct epoll_event events[512];
    double left = until - now();
    int n = epoll_wait(poller, events, 512, left <= 0 ? 0 : left > 50 ? 50 : (int)left);
    for (int i = 0; i < n; i++) readable(events[i].data.ptr);
}

// MARK: Publishing, on a thread of its own so that sending never waits for the viewers

typedef struct { int from, to, bytes; double interval; char path[256]; } Publishing;
static atomic_int publishing;

static void *publish(void *argument) {
    Publishing *p = argument;
    int fd = connected(0);
    char *text = malloc(p->bytes + 64), *request = malloc(p->bytes + 512), answer[4096];
    double start = now();
    for (int number = p->from; number <= p->to; number++) {
        double due = start + (number - p->from) * p->interval;
        double wait = due - now();
        if (wait > 0) usleep((useconds_t)(wait * 1000));
        int n = snprintf(text, 64, isWeir ? "{\"state\":\"working\",\"note\":\"@@%d@@" : "@@%d@@", number);
        int size = p->bytes > n ? p->bytes : n + 1;
        // Words, not one letter, as compression or a page's wrapping may look at them.
        while (n < size) { text[n] = "changes are shown as they come "[n % 31]; n++; }
        if (isWeir) { memcpy(text + n, "\"}", 2); n += 2; }
        int head = snprintf(request, 512,
            "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
            p->path, n);
        memcpy(request + head, text, n);
        sentAt[number] = now();
        sendAll(fd, request, head + n);
        // The answer, so that no more than one is under way.
        size_t got = 0;
        for (;;) {
            ssize_t r = recv(fd, answer + got, sizeof answer - 1 - got, 0);
            if (r <= 0) { fprintf(stderr, "load: the publisher's connection ended\n"); atomic_store(&publishing, 0); return NULL; }
            got += r;
            answer[got] = 0;
            char *end = strstr(answer, "\r\n\r\n");
            if (!end) continue;
            const char *length = field(answer, end + 4, "content-length:");
            if (got >= (size_t)(end + 4 - answer) + (length ? strtoul(length, NULL, 10) : 0)) break;
        }
        if (answer[9] != '2') fprintf(stderr, "load: publishing: %.400s\n", answer);
    }
    close(fd);
    free(text);
    free(request);
    atomic_store(&publishing, 0);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// MARK: Health checks, beside it all

static atomic_int checking;
static double checks[200000];
static int checkCount;

static void *check(void *argument) {
    (void)argument;
    struct sched_param first = {.sched_priority = 10};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
    int fd = connected(0);
    static const char *requests[] = {
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    };
    char answer[8192];
    checkCount = 0;
    while (atomic_load(&checking) && checkCount < 200000) {
        double begun = now();
        sendAll(fd, requests[isWeir], strlen(requests[isWeir]));
        if (recv(fd, answer, sizeof answer, 0) <= 0) break;
        checks[checkCount++] = now() - begun;
        usleep(2000);
    }
    close(fd);
    return NULL;
}

static void report(int from, int to, double began) {
    double first[mostChanges], last[mostChanges];
    int n = 0;
    for (int number = from; number <= to; number++, n++) {
        first[n] = firstAt[number] - sentAt[number];
        last[n] = lastAt[number] - sentAt[number];
    }
    double lagBefore = last[0], lagAfter = last[n - 1], all = lastAt[to] - began;
    double sent = sentAt[to] - began;
    qsort(first, n, sizeof *first, ascending);
    qsort(last, n, sizeof *last, ascending);
    qsort(checks, checkCount, sizeof *checks, ascending);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"first\":%.3f,\"last\":%.3f,\"lagBefore\":%.3f,\"lagAfter\":%.3f,\"all\":%.3f,\"sent\":%.3f,"
           "\"missing\":%ld,\"outOfOrder\":%ld,\"failures\":%ld,\"answers\":%ld,\"bytes\":%ld,"
           "\"health\":%.3f,\"healthWorst\":%.3f,\"checks\":%d,\"finished\":%d}\n",
        first[n / 2], last[n / 2], lagBefore, lagAfter, all, sent, missing, outOfOrder, failures, answers, bytesRead,
        checkCount ? checks[checkCount * 99 / 100] : 0, checkCount ? checks[checkCount - 1] : 0, checkCount, finished);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc != 5) { fprintf(stderr, "load weir|nchan PORT PATH VIEWERS\n"); return 2; }
    isWeir = strcmp(argv[1], "weir") == 0;
    port = atoi(argv[2]);
    pollPath = argv[3];
    count = atoi(argv[4]);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    struct rlimit stack = {256 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_STACK, &stack);
    input = malloc(largestRead);
    viewers = calloc(count, sizeof *viewers);
    poller = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        Viewer *v = &viewers[i];
        if (isWeir) snprintf(v->next, sizeof v->next, "%s", pollPath);
        v->fd = connected(i);
        fcntl(v->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = v};
        epoll_ctl(poller, EPOLL_CTL_ADD, v->fd, &event);
        ask(v);
        if (i % 64 == 63) turn(0);
    }
    double rest = now() + 1000;
    while (now() < rest) turn(rest);
    printf("held %d\n", count);
    fflush(stdout);
    char line[512];
    fcntl(0, F_SETFL, O_NONBLOCK);
    size_t used = 0;
    for (;;) {
        turn(now() + 20);
        ssize_t n = read(0, line + used, 1);
        if (n == 0) break;
        if (n < 0) continue;
        // A line that has begun comes at once.
        while (line[used] != '\n' && used < sizeof line - 2) {
            used++;
            while ((n = read(0, line + used, 1)) < 0) turn(0);
        }
        line[used] = 0;
        used = 0;
        Publishing p = {0};
        double seconds;
        if (sscanf(line, "publish %d %lf %d %255s", &p.to, &p.interval, &p.bytes, p.path) == 4) {
            p.from = lastNumber + 1;
            p.to += lastNumber;
            if (p.to >= mostChanges) return 1;
            lastNumber = p.to;
            finished = 0;
            pthread_t publisher, checker;
            atomic_store(&publishing, 1);
            atomic_store(&checking, 1);
            pthread_create(&checker, NULL, check, NULL);
            double began = now(), limit = began + 60000 + (p.to - p.from) * p.interval;
            pthread_create(&publisher, NULL, publish, &p);
            while ((finished < count || atomic_load(&publishing)) && now() < limit) turn(now() + 20);
            atomic_store(&checking, 0);
            pthread_join(checker, NULL);
            pthread_join(publisher, NULL);
            report(p.from, p.to, began);
        } else if (sscanf(line, "quiet %lf", &seconds) == 1) {
            double end = now() + seconds * 1000;
            while (now() < end) turn(end);
            printf("{}\n");
            fflush(stdout);
        } else {
            fprintf(stderr, "load: unknown command: %s\n", line);
            return 2;
        }
    }
    return 0;
}
