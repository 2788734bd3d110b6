/* Records the MPI calls of a program: stands between it and the MPI library.
 *
 * Each function defined here under MPI's name has PMPI's name too, so that calls by way of the library's Fortran
 * layer, which go to either, are seen; the library's own function is looked up behind this one. A call that the
 * library makes while it carries out another is not recorded (`depth`).
 *
 * A rank writes two files: entries of fixed size, and the lists of numbers that some of them have (members of a
 * communicator, bytes by partner). Both are mapped into memory, so that what was written is there however the
 * program ends.
 */
#ifndef NETPLACE_RECORDER_H
#define NETPLACE_RECORDER_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

enum kind {
    NOTHING, /* end of what was written */
    SEND,
    ISEND,
    RECV,
    IRECV,
    WAIT,
    COLLECTIVE,
    COMMUNICATOR,
    LEFT_OUT,
    CANCELLED,
    FINALIZED,
    ABORTED,
    BEGUN,   /* the first entry: rank, number of ranks, and what file it is */
    EXCHANGE /* messages that a collective is: how many come in and go out, then peer and bytes of each */
};

/* Order as in `OPERATIONS` of apps/recorded/calls.py. */
enum operation {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLREDUCE,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN
};

/* What is recorded of a call. Peers are world ranks; times are nanoseconds of the machine's clock. */
struct entry {
    uint8_t kind;
    uint8_t wild; /* a receive posted for any source: 1, any tag: 2 */
    uint16_t operation;
    int32_t peer;
    int32_t communicator; /* number of this rank's own */
    int32_t tag;
    int64_t size;    /* bytes */
    int64_t request; /* -1: none */
    int64_t begin, end;
    int64_t list;    /* place of its first number in the file of lists */
    int64_t numbers; /* how many it has there */
};

/* A communicator as this rank sees it. */
struct communicator {
    int number;
    int size;       /* ranks that a peer can be: of the remote group of an inter-communicator */
    int is_inter;
    int is_foreign; /* some are not in the world that is recorded: nothing on it can be written down */
    int rank;       /* own */
    int *world;     /* world rank of each of them */
    const struct communicator *local; /* of an inter-communicator: the own group */
    /* Neighbours in its topology, asked for once: ranks that messages come from and go to. */
    int has_neighbours, ins, outs;
    int *sources, *targets;
};

/* What a call does: entries with their lists, written when it returns, or whenever a persistent one is started. */
#define MOST_ACTS 3
struct acts {
    const struct communicator *on;
    int has_no_status; /* MPICH tells no status of MPI_Isendrecv */
    int length;
    struct {
        struct entry entry;
        int64_t *numbers;
    } act[MOST_ACTS];
};

/* A request that is open, or persistent. */
struct request {
    uint64_t handle;
    struct request *next;
    int64_t number; /* the first of `many` that are waited for together */
    int64_t many;
    int64_t place; /* of the entry that opened it */
    const struct communicator *on;
    struct acts *acts; /* of a persistent request: what each start does */
    int active, cancelled, receives;
};

extern __thread int depth;

/* stream.c */
int64_t now(void);
int recording(void);
int64_t write_entry(struct entry entry, const int64_t *numbers, int64_t count);
void rewrite_entry(int64_t place, void (*change)(struct entry *, const void *), const void *how);
void left_out(const char *function);

/* communicators.c */
struct communicator *known(MPI_Comm handle);
const struct communicator *kept(MPI_Comm handle);
void created(MPI_Comm handle);
void forget_last(void);
int world_rank(const struct communicator *on, int rank);

/* requests.c */
int64_t next_requests(int64_t many);
void write_acts(struct acts *acts, int64_t begin, int is_open, struct request *request);
void done(struct acts *acts, int64_t begin, MPI_Request *request, int is_persistent);
struct request *find_request(MPI_Request handle);
struct entry received(struct entry entry, const struct communicator *on, const MPI_Status *status);

/* The library's own function behind the one of this name. */
void *behind(const char *name);
#define REAL(name) REAL_(name)
#define REAL_(name)                                                                                                \
    (*({                                                                                                           \
        static __typeof__(&PMPI_##name) real;                                                                      \
        if (!real)                                                                                                 \
            real = (__typeof__(&PMPI_##name))behind("PMPI_" #name);                                                \
        real;                                                                                                      \
    }))

/* Defines MPI_name, and PMPI_name as the same function. */
#define WRAP(name, arguments) WRAP_(name, arguments)
#define WRAP_(name, arguments)                                                                                     \
    int MPI_##name arguments;                                                                                      \
    int PMPI_##name arguments __attribute__((alias("MPI_" #name)));                                                \
    int MPI_##name arguments

#define INSIDE (depth || !recording())

/* Carry out the call itself, of which nothing is recorded. */
#define CALLED(call)                                                                                               \
    int64_t begin = now();                                                                                         \
    depth++;                                                                                                       \
    int result = call;                                                                                             \
    depth--

/* Defines a function that is counted only. */
#define COUNTED(name, arguments, call)                                                                             \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        COUNT(name);                                                                                               \
        depth++;                                                                                                   \
        int result = REAL(name) call;                                                                              \
        depth--;                                                                                                   \
        return result;                                                                                             \
    }
#define COUNT(name) COUNT_(name)
#define COUNT_(name)                                                                                               \
    if (!INSIDE)                                                                                                   \
    left_out("MPI_" #name)

/* MPI-4 has a second form of many functions, with large counts and NAME_c. Files NAME_counts.h are included once for
 * each: N is the type of a count, D that of a displacement, NAME makes the function's name. */
#define HAS_LARGE_COUNTS (MPI_VERSION >= 4)
#ifdef OMPI_MAJOR_VERSION
#define HAS_MPI_4 (MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5)
#else
#define HAS_MPI_4 (MPI_VERSION >= 4)
#endif

static inline int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    MPI_Count size;
    if (type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size_x(type, &size);
    return count * (int64_t)size;
}

#endif
