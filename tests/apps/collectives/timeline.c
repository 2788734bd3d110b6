/* Writes the calls of every rank inside one collective of Open MPI 4.1 or MPICH 4.0, one a line.
 *
 * Arguments: operation, bytes, root, and the files to write, to whose name the rank is appended.
 * Lines: send|recv PEER BYTES, isend|irecv PEER BYTES REQUEST, and wait REQUEST. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int recording, opened;
static FILE *out;
static void *open_requests[1 << 16];

static int bytes_of(long count, MPI_Datatype type) {
    int size;
    MPI_Type_size(type, &size);
    return (int)(count * size);
}
static void call(const char *what, int peer, long count, MPI_Datatype type) {
    if (recording) fprintf(out, "%s %d %d\n", what, peer, bytes_of(count, type));
}
static void opens(const char *what, int peer, long count, MPI_Datatype type, void *request) {
    if (!recording) return;
    fprintf(out, "%s %d %d %d\n", what, peer, bytes_of(count, type), opened);
    open_requests[opened++] = request;
}
static void waited(void *request) {
    int i = opened;
    if (!recording) return;
    while (i > 0 && open_requests[i - 1] != request) --i;
    if (i == 0) return;
    fprintf(out, "wait %d\n", i - 1);
    open_requests[i - 1] = NULL;
}

#ifdef OPEN_MPI
/* Collectives call the functions in two tables of the library; these are places in them. */
enum { IRECV = 7, RECV = 8, ISEND = 10, SEND = 11, WAIT = 4, WAIT_ANY = 5, WAIT_ALL = 6 };
static int (*irecv_)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, void **);
static int (*recv_)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, void *);
static int (*isend_)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, void **);
static int (*send_)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
static int (*wait_)(void **, void *);
static int (*wait_any_)(size_t, void **, int *, void *);
static int (*wait_all_)(size_t, void **, void *);
static int irecv(void *b, size_t n, MPI_Datatype t, int peer, int tag, MPI_Comm c, void **request) {
    int error = irecv_(b, n, t, peer, tag, c, request);
    opens("irecv", peer, n, t, *request);
    return error;
}
static int recv(void *b, size_t n, MPI_Datatype t, int peer, int tag, MPI_Comm c, void *status) {
    call("recv", peer, n, t);
    return recv_(b, n, t, peer, tag, c, status);
}
static int isend(const void *b, size_t n, MPI_Datatype t, int peer, int tag, int m, MPI_Comm c, void **request) {
    int error = isend_(b, n, t, peer, tag, m, c, request);
    opens("isend", peer, n, t, *request);
    return error;
}
static int send(const void *b, size_t n, MPI_Datatype t, int peer, int tag, int m, MPI_Comm c) {
    call("send", peer, n, t);
    return send_(b, n, t, peer, tag, m, c);
}
static int wait_one(void **request, void *status) {
    waited(*request);
    return wait_(request, status);
}
static int wait_any(size_t n, void **requests, int *index, void *status) {
    void *before[n];
    memcpy(before, requests, n * sizeof *before);
    int error = wait_any_(n, requests, index, status);
    if (*index >= 0) waited(before[*index]);
    return error;
}
static int wait_all(size_t n, void **requests, void *statuses) {
    for (size_t i = 0; i < n; ++i) waited(requests[i]);
    return wait_all_(n, requests, statuses);
}
#define TAKE(table, place, old, own) (old = table[place], table[place] = (void *)(own))
static void hook(void) {
    void **pml = dlsym(RTLD_DEFAULT, "mca_pml"), **requests = dlsym(RTLD_DEFAULT, "ompi_request_functions");
    TAKE(pml, IRECV, irecv_, irecv), TAKE(pml, RECV, recv_, recv);
    TAKE(pml, ISEND, isend_, isend), TAKE(pml, SEND, send_, send);
    TAKE(requests, WAIT, wait_, wait_one), TAKE(requests, WAIT_ANY, wait_any_, wait_any);
    TAKE(requests, WAIT_ALL, wait_all_, wait_all);
}
#else
/* Linked statically with --wrap, so that calls inside the library come here. */
#define OWN(name, parameters, arguments, before, after) \
    int __real_MPIC_##name parameters;                  \
    int __wrap_MPIC_##name parameters {                 \
        before;                                         \
        int error = __real_MPIC_##name arguments;       \
        after;                                          \
        return error;                                   \
    }
typedef MPI_Datatype T;
OWN(Send, (void *b, long n, T t, int peer, int tag, void *c, void *e), (b, n, t, peer, tag, c, e), call("send", peer, n, t), )
OWN(Recv, (void *b, long n, T t, int peer, int tag, void *c, void *s, void *e), (b, n, t, peer, tag, c, s, e), call("recv", peer, n, t), )
OWN(Isend, (void *b, long n, T t, int peer, int tag, void *c, void **r, void *e), (b, n, t, peer, tag, c, r, e), , opens("isend", peer, n, t, *r))
OWN(Irecv, (void *b, long n, T t, int peer, int tag, void *c, void **r), (b, n, t, peer, tag, c, r), , opens("irecv", peer, n, t, *r))
OWN(Wait, (void *r, void *e), (r, e), waited(r), )
OWN(Waitall, (int n, void **r, void *s, void *e), (n, r, s, e), for (int i = 0; i < n; ++i) waited(r[i]), )
static void exchange(int to, long n, T t, int from, long m, T u) {
    opens("irecv", from, m, u, &opened), opens("isend", to, n, t, &recording);
    waited(&recording), waited(&opened);
}
OWN(Sendrecv, (void *b, long n, T t, int to, int tag, void *d, long m, T u, int from, int g, void *c, void *s, void *e),
    (b, n, t, to, tag, d, m, u, from, g, c, s, e), exchange(to, n, t, from, m, u), )
static void hook(void) {}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, n = atoi(argv[2]), root = atoi(argv[3]);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank), MPI_Comm_size(world, &ranks);
    char name[4096], *a = calloc(n + 1, ranks), *b = calloc(n + 1, ranks);
    int counts[ranks];
    for (int i = 0; i < ranks; ++i) counts[i] = n / ranks + (i < n % ranks);
    snprintf(name, sizeof name, "%s.%d", argv[4], rank);
    out = fopen(name, "w");
    MPI_Barrier(world);
    hook();
    recording = 1;
#define CASE(text, made) else if (!strcmp(argv[1], text)) made
    if (0) ;
    CASE("bcast", MPI_Bcast(a, n, MPI_BYTE, root, world));
    CASE("reduce", MPI_Reduce(a, b, n, MPI_BYTE, MPI_BOR, root, world));
    CASE("allreduce", MPI_Allreduce(a, b, n, MPI_BYTE, MPI_BOR, world));
    CASE("gather", MPI_Gather(a, n, MPI_BYTE, b, n, MPI_BYTE, root, world));
    CASE("scatter", MPI_Scatter(a, n, MPI_BYTE, b, n, MPI_BYTE, root, world));
    CASE("allgather", MPI_Allgather(a, n, MPI_BYTE, b, n, MPI_BYTE, world));
    CASE("alltoall", MPI_Alltoall(a, n, MPI_BYTE, b, n, MPI_BYTE, world));
    CASE("reduce_scatter", MPI_Reduce_scatter(a, b, counts, MPI_BYTE, MPI_BOR, world));
    CASE("reduce_scatter_block", MPI_Reduce_scatter_block(a, b, n / ranks, MPI_BYTE, MPI_BOR, world));
    CASE("scan", MPI_Scan(a, b, n, MPI_BYTE, MPI_BOR, world));
    CASE("exscan", MPI_Exscan(a, b, n, MPI_BYTE, MPI_BOR, world));
    CASE("barrier", MPI_Barrier(world));
    recording = 0;
    fclose(out);
    MPI_Finalize();
}
