#pragma once
// The functions of libpq that Weir uses, loaded by `cpostgresql_load`. They have the names and types of libpq-fe.h, whose ABI
// is that of libpq.so.5 since 2006, so Weir builds without its headers and starts without the library.
#pragma GCC visibility push(hidden)

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;

typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} PQconninfoOption;

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum { PGRES_EMPTY_QUERY, PGRES_COMMAND_OK, PGRES_TUPLES_OK } ExecStatusType;

/// Loads the library once, from any thread; returns null, or why it is unusable. Call it before any other function.
const char *cpostgresql_load(void);

PQconninfoOption *PQconninfoParse(const char *conninfo, char **message);
void PQconninfoFree(PQconninfoOption *options);
void PQfreemem(void *memory);

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand_dbname);
void PQfinish(PGconn *connection);
ConnStatusType PQstatus(const PGconn *connection);
int PQsetnonblocking(PGconn *connection, int is_nonblocking);
int PQsocket(const PGconn *connection);
/// Discards the server's notices and warnings, which libpq prints by default.
void cpostgresql_silence(PGconn *connection);
char *PQerrorMessage(const PGconn *connection);

int PQsendQuery(PGconn *connection, const char *query);
int PQsendPrepare(PGconn *connection, const char *name, const char *query, int count, const Oid *types);
int PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
    int result_format);
int PQflush(PGconn *connection);
int PQconsumeInput(PGconn *connection);
int PQisBusy(PGconn *connection);
PGnotify *PQnotifies(PGconn *connection);
PGresult *PQgetResult(PGconn *connection);

ExecStatusType PQresultStatus(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
int PQntuples(const PGresult *result);
int PQgetisnull(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);
char *PQgetvalue(const PGresult *result, int row, int column);
void PQclear(PGresult *result);

#pragma GCC visibility pop
