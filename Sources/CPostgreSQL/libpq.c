#include "libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef void (*PQnoticeProcessor)(void *context, const char *message);

// Defines each function as a call of the library's function of the same name.
#define FUNCTIONS(F) \
    F(PQconninfoOption *, PQconninfoParse, (const char *a, char **b), (a, b)) \
    F(void, PQconninfoFree, (PQconninfoOption *a), (a)) \
    F(void, PQfreemem, (void *a), (a)) \
    F(PGconn *, PQconnectdbParams, (const char *const *a, const char *const *b, int c), (a, b, c)) \
    F(void, PQfinish, (PGconn *a), (a)) \
    F(ConnStatusType, PQstatus, (const PGconn *a), (a)) \
    F(int, PQsetnonblocking, (PGconn *a, int b), (a, b)) \
    F(int, PQsocket, (const PGconn *a), (a)) \
    F(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *a, PQnoticeProcessor b, void *c), (a, b, c)) \
    F(char *, PQerrorMessage, (const PGconn *a), (a)) \
    F(int, PQsendQuery, (PGconn *a, const char *b), (a, b)) \
    F(int, PQsendPrepare, (PGconn *a, const char *b, const char *c, int d, const Oid *e), (a, b, c, d, e)) \
    F(int, PQsendQueryPrepared, \
      (PGconn *a, const char *b, int c, const char *const *d, const int *e, const int *f, int g), (a, b, c, d, e, f, g)) \
    F(int, PQflush, (PGconn *a), (a)) \
    F(int, PQconsumeInput, (PGconn *a), (a)) \
    F(int, PQisBusy, (PGconn *a), (a)) \
    F(PGnotify *, PQnotifies, (PGconn *a), (a)) \
    F(PGresult *, PQgetResult, (PGconn *a), (a)) \
    F(ExecStatusType, PQresultStatus, (const PGresult *a), (a)) \
    F(char *, PQresultErrorField, (const PGresult *a, int b), (a, b)) \
    F(int, PQntuples, (const PGresult *a), (a)) \
    F(int, PQgetisnull, (const PGresult *a, int b, int c), (a, b, c)) \
    F(int, PQgetlength, (const PGresult *a, int b, int c), (a, b, c)) \
    F(char *, PQgetvalue, (const PGresult *a, int b, int c), (a, b, c)) \
    F(void, PQclear, (PGresult *a), (a))

#define DEFINE(result, name, parameters, arguments) \
    static result(*loaded_##name) parameters; \
    result name parameters { return loaded_##name arguments; }
FUNCTIONS(DEFINE)

// Homebrew does not link libpq into the folders that the loader searches.
static const char *const names[] = {
#ifdef __APPLE__
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
#else
    "libpq.so.5",
#endif
};

static void discard(void *context, const char *message) {
    (void)context;
    (void)message;
}

void cpostgresql_silence(PGconn *connection) { PQsetNoticeProcessor(connection, discard, NULL); }

static char failure[512];

static void note_failure(void) {
    const char *words = dlerror();
    snprintf(failure, sizeof failure, "%s", words ? words : "no reason given");
}

static void load(void) {
    void *library = NULL;
    for (unsigned index = 0; !library && index < sizeof names / sizeof *names; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        if (!library && !*failure) note_failure();
    }
    if (!library) return;
    *failure = 0;
#define FIND(result, name, parameters, arguments) \
    if (!*failure && !(loaded_##name = (result(*) parameters)dlsym(library, #name))) note_failure();
    FUNCTIONS(FIND)
}

const char *cpostgresql_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return *failure ? failure : NULL;
}
