// Runs that report, and viewers who follow them: one thread, epoll.
//
//   work PORT RATE SECONDS < LIST
//
// LIST has a line `run PATH` for each run that reports, and a line `view PATH RUN` for each viewer: the poll of its page, and the
// number of the run that the page shows, or -1 for all of them. Each run reports RATE states a second, one request each, evenly
// spread. A viewer asks again as soon as it is answered. Prints one line of JSON: what was reported, what the viewers were
// answered, and how long after a report began each viewer had its change. A viewer that is not shown a change of its page, or
// whose answers do not follow on from each other, counts as missing.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { mostSequences = 4000000, mostRuns = 1000, mostViewers = 20000, largestRead = 1 << 20, mostMilliseconds = 60000 };

typedef struct { long from, to; int viewer; float at; } Answer;
typedef struct {
    int fd, isRun, number, shown, waits;
    long seen, reported;
    double sent;
    char *part;
    size_t length, room;
    char path[320];
} Client;

static Client runs[mostRuns], viewers[mostViewers];
static int runCount, viewerCount, port, poller;
static float sentAt[mostSequences];
static short runOf[mostSequences];
static Answer *answers;
static long answerCount, answerRoom, bytesRead, failures, gaps, resets, firstSequence;
static char *input;
static double start;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
    fprintf(stderr, "work: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void open1(Client *c) {
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0) fail("socket (raise ulimit -n)");
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(0x7f000001);
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(c->fd, (void *)&to, sizeof to)) fail("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
    c->length = 0;
}

static void put(Client *c, const char *bytes, size_t length) {
    if (send(c->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) failures++;
}

static void ask(Client *v) {
    char request[800];
    int n = snprintf(request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0\r\n"
        "Accept: application/json\r\nAccept-Language: en\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\n\r\n", v->path);
    put(v, request, n);
}

static void report(Client *r) {
    char request[800], body[200];
    int size = snprintf(body, sizeof body, "{\"state\":\"working\",\"completed\":%ld,\"total\":1000000,\"note\":\"Step %ld\"}",
        r->reported, r->reported);
    int n = snprintf(request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", r->path, size, body);
    r->reported++;
    r->waits = 1;
    r->sent = now();
    put(r, request, n);
}

static const char *after(const char *text, size_t length, const char *what) {
    const char *found = memmem(text, length, what, strlen(what));
    return found ? found + strlen(what) : NULL;
}

// Takes an answer that has come completely; returns its length, else 0.
static size_t take(Client *c, const char *bytes, size_t length) {
    const char *end = after(bytes, length, "\r\n\r\n");
    if (!end) return 0;
    const char *field = after(bytes, end - bytes, "Content-Length: ");
    size_t body = field ? strtoul(field, NULL, 10) : 0, total = end - bytes + body;
    if (length < total) return 0;
    if (bytes[9] != '2' && failures++ == 0) fprintf(stderr, "work: %.400s\n", bytes);
    if (c->isRun) {
        c->waits = 0;
        const char *offset = after(bytes, end - bytes, "Stream-Next-Offset: ");
        const char *place = offset ? strchr(strchr(offset, '_') + 1, '_') + 1 : NULL;
        long sequence = place ? strtol(place, NULL, 10) : 0;
        if (sequence > 0 && sequence < mostSequences) {
            sentAt[sequence] = (float)(c->sent - start);
            runOf[sequence] = (short)c->number;
            if (!firstSequence || sequence < firstSequence) firstSequence = sequence;
        }
        return total;
    }
    const char *from = after(end, body, "\"from\":"), *to = after(end, body, "\"to\":"), *next = after(end, body, "\"next\":\"");
    if (!from || !to || !next) { resets++; return total; }
    long begins = strtol(from, NULL, 10), ends = strtol(to, NULL, 10);
    if (c->seen && begins != c->seen) gaps++;
    c->seen = ends;
    if (answerCount == answerRoom) {
        answerRoom = answerRoom ? answerRoom * 2 : 1 << 16;
        answers = realloc(answers, answerRoom * sizeof *answers);
    }
    answers[answerCount++] = (Answer){begins, ends, (int)(c - viewers), (float)(now() - start)};
    size_t n = strcspn(next, "\"");
    if (n < sizeof c->path) { memcpy(c->path, next, n); c->path[n] = 0; }
    ask(c);
    return total;
}

static void readable(Client *c) {
    ssize_t n = recv(c->fd, input, largestRead, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        failures++;
        close(c->fd);
        open1(c);
        c->waits = 0;
        if (!c->isRun) ask(c);
        return;
    }
    bytesRead += n;
    if (c->length + n > c->room) { c->room = (c->length + n) * 2; c->part = realloc(c->part, c->room); }
    memcpy(c->part + c->length, input, n);
    c->length += n;
    size_t used = take(c, c->part, c->length);
    if (used) c->length = 0;
}

static void turn(double until) {
    static struct epoll_event events[512];
    double left = until - now();
    int n = epoll_wait(poller, events, 512, left <= 0 ? 0 : left > 50 ? 50 : (int)left);
    for (int i = 0; i < n; i++) readable(events[i].data.ptr);
}

static double quantile(const long *counts, long all, double part) {
    long before = 0;
    for (int i = 0; i < mostMilliseconds * 10; i++)
        if ((before += counts[i]) >= all * part && all) return i / 10.0;
    return mostMilliseconds;
}

int main(int argc, char **argv) {
    if (argc != 4) { fprintf(stderr, "work PORT RATE SECONDS < LIST\n"); return 2; }
    port = atoi(argv[1]);
    double rate = atof(argv[2]), seconds = atof(argv[3]);
    input = malloc(largestRead);
    poller = epoll_create1(0);
    char line[400];
    while (fgets(line, sizeof line, stdin)) {
        Client *c = strncmp(line, "run ", 4) == 0 && runCount < mostRuns ? &runs[runCount] : viewerCount < mostViewers ? &viewers[viewerCount] : NULL;
        if (!c || (sscanf(line, "run %319s", c->path) != 1 && sscanf(line, "view %319s %d", c->path, &c->shown) != 2)) return 2;
        c->isRun = c == &runs[runCount];
        c->number = c->isRun ? runCount++ : viewerCount++;
        open1(c);
        if (!c->isRun) ask(c);
        turn(0);
    }
    start = now();
    for (double rest = start + 2000; now() < rest;) turn(rest);
    long before = bytesRead;
    double begun = now(), step = 1000 / rate / (runCount ? runCount : 1);
    long due = 0, late = 0, all = (long)(seconds * rate * runCount);
    while (due < all) {
        while (due < all && begun + due * step <= now()) {
            Client *r = &runs[due++ % runCount];
            // One report at a time: a run that is not answered yet reports the next time.
            if (r->waits) late++; else report(r);
        }
        turn(begun + due * step);
    }
    double ended = now();
    for (double rest = ended + 3000; now() < rest;) turn(rest);
    long reported = 0, last[mostRuns + 1];
    memset(last, 0, sizeof last);
    for (long s = 1; s < mostSequences; s++)
        if (sentAt[s] > 0) { reported++; last[runOf[s]] = s; last[mostRuns] = s; }
    long *counts[2] = {calloc(mostMilliseconds * 10, sizeof(long)), calloc(mostMilliseconds * 10, sizeof(long))};
    long seen[2] = {0, 0}, missing = gaps;
    for (long i = 0; i < answerCount; i++) {
        Answer *a = &answers[i];
        int one = viewers[a->viewer].shown;
        for (long s = a->from + 1; s <= a->to && s < mostSequences; s++) {
            if (sentAt[s] <= 0 || (one >= 0 && runOf[s] != one)) continue;
            long place = (long)((a->at - sentAt[s]) * 10);
            counts[one >= 0][place < 0 ? 0 : place < mostMilliseconds * 10 ? place : mostMilliseconds * 10 - 1]++;
            seen[one >= 0]++;
        }
    }
    for (int i = 0; i < viewerCount; i++) {
        int one = viewers[i].shown;
        if (viewers[i].seen < last[one < 0 ? mostRuns : one]) missing++;
    }
    printf("{\"reported\":%ld,\"late\":%ld,\"seconds\":%.2f,\"answers\":%ld,\"bytes\":%ld,\"missing\":%ld,\"resets\":%ld,\"failures\":%ld",
        reported, late, (ended - begun) / 1000, answerCount, bytesRead - before, missing, resets, failures);
    for (int one = 0; one < 2; one++)
        printf(",\"%s\":{\"seen\":%ld,\"p50\":%.1f,\"p99\":%.1f,\"worst\":%.1f}", one ? "run" : "board", seen[one],
            quantile(counts[one], seen[one], 0.5), quantile(counts[one], seen[one], 0.99), quantile(counts[one], seen[one], 1));
    printf("}\n");
    return 0;
}
