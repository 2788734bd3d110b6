/* Collectives, blocking or not. What is written down of each is the size that its messages come from: of a
 * broadcast or reduction the vector, of an all-to-all or a reduction in blocks what each partner gets, else what one
 * rank gives. */
#include "recorder.h"

static int64_t noted(enum operation operation, MPI_Comm handle, int root, int64_t size, const int64_t *sizes,
                     int64_t begin, MPI_Request *request)
{
    const struct communicator *on = known(handle);
    struct entry entry = {.kind = COLLECTIVE,
                          .operation = operation,
                          .peer = world_rank(on, root),
                          .communicator = on->number,
                          .size = size,
                          .request = request ? next_request() : -1,
                          .begin = begin,
                          .end = now()};
    int64_t place = write_entry(entry, sizes, sizes ? on->size : 0);
    if (request)
        opened(*request, entry.request, place, on, 0);
    return place;
}

/* Return bytes by partner, to be freed, and their sum. */
static int64_t *listed(MPI_Comm handle, const int counts[], MPI_Datatype type, const MPI_Datatype types[],
                       int64_t *sum)
{
    int size = known(handle)->size;
    int64_t *bytes = malloc(sizeof(int64_t) * (size + 1));
    *sum = 0;
    for (int i = 0; i < size; i++)
        *sum += bytes[i] = bytes_of(counts[i], types ? types[i] : type);
    return bytes;
}

/* Define a collective and its non-blocking form. `note` sees the arguments and writes the entry. */
#define BOTH(name, iname, arguments, iarguments, call, icall, on, note)                                            \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        if (INSIDE || is_inter(on))                                                                                \
            return REAL(name) call;                                                                                \
        MPI_Request *request = NULL;                                                                               \
        int64_t begin = now();                                                                                     \
        depth++;                                                                                                   \
        int result = REAL(name) call;                                                                              \
        depth--;                                                                                                   \
        note;                                                                                                      \
        return result;                                                                                             \
    }                                                                                                              \
    WRAP(iname, iarguments)                                                                                        \
    {                                                                                                              \
        if (INSIDE || is_inter(on))                                                                                \
            return REAL(iname) icall;                                                                              \
        int64_t begin = now();                                                                                     \
        depth++;                                                                                                   \
        int result = REAL(iname) icall;                                                                            \
        depth--;                                                                                                   \
        note;                                                                                                      \
        return result;                                                                                             \
    }

/* Tell whether a communicator has two sides; collectives there are counted and left out. */
static int is_inter(MPI_Comm on)
{
    if (!known(on)->is_inter)
        return 0;
    left_out("inter-communicator collective");
    return 1;
}

#define AT(root, on) ((root) == known(on)->rank)
#define OUT const void *data, int count, MPI_Datatype type
#define IN void *room, int most, MPI_Datatype room_type

BOTH(Barrier, Ibarrier, (MPI_Comm on), (MPI_Comm on, MPI_Request *request), (on), (on, request), on,
     noted(BARRIER, on, -1, 0, NULL, begin, request))

BOTH(Bcast, Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm on),
     (void *data, int count, MPI_Datatype type, int root, MPI_Comm on, MPI_Request *request),
     (data, count, type, root, on), (data, count, type, root, on, request), on,
     noted(BCAST, on, root, bytes_of(count, type), NULL, begin, request))

BOTH(Gather, Igather, (OUT, IN, int root, MPI_Comm on), (OUT, IN, int root, MPI_Comm on, MPI_Request *request),
     (data, count, type, room, most, room_type, root, on),
     (data, count, type, room, most, room_type, root, on, request), on,
     noted(GATHER, on, root, AT(root, on) ? bytes_of(most, room_type) : bytes_of(count, type), NULL, begin,
           request))

BOTH(Scatter, Iscatter, (OUT, IN, int root, MPI_Comm on),
     (OUT, IN, int root, MPI_Comm on, MPI_Request *request),
     (data, count, type, room, most, room_type, root, on),
     (data, count, type, room, most, room_type, root, on, request), on,
     noted(SCATTER, on, root, AT(root, on) ? bytes_of(count, type) : bytes_of(most, room_type), NULL, begin,
           request))

BOTH(Allgather, Iallgather, (OUT, IN, MPI_Comm on), (OUT, IN, MPI_Comm on, MPI_Request *request),
     (data, count, type, room, most, room_type, on), (data, count, type, room, most, room_type, on, request), on,
     noted(ALLGATHER, on, -1, bytes_of(most, room_type), NULL, begin, request))

BOTH(Alltoall, Ialltoall, (OUT, IN, MPI_Comm on), (OUT, IN, MPI_Comm on, MPI_Request *request),
     (data, count, type, room, most, room_type, on), (data, count, type, room, most, room_type, on, request), on,
     noted(ALLTOALL, on, -1, bytes_of(most, room_type), NULL, begin, request))

#define REDUCES const void *data, void *room, int count, MPI_Datatype type, MPI_Op op

BOTH(Reduce, Ireduce, (REDUCES, int root, MPI_Comm on),
     (REDUCES, int root, MPI_Comm on, MPI_Request *request), (data, room, count, type, op, root, on),
     (data, room, count, type, op, root, on, request), on,
     noted(REDUCE, on, root, bytes_of(count, type), NULL, begin, request))

#define REDUCTION(name, iname, operation)                                                                          \
    BOTH(name, iname, (REDUCES, MPI_Comm on), (REDUCES, MPI_Comm on, MPI_Request *request),                        \
         (data, room, count, type, op, on), (data, room, count, type, op, on, request), on,                        \
         noted(operation, on, -1, bytes_of(count, type), NULL, begin, request))

REDUCTION(Allreduce, Iallreduce, ALLREDUCE)
REDUCTION(Scan, Iscan, SCAN)
REDUCTION(Exscan, Iexscan, EXSCAN)

BOTH(Reduce_scatter_block, Ireduce_scatter_block, (REDUCES, MPI_Comm on),
     (REDUCES, MPI_Comm on, MPI_Request *request), (data, room, count, type, op, on),
     (data, room, count, type, op, on, request), on,
     noted(REDUCE_SCATTER_BLOCK, on, -1, bytes_of(count, type), NULL, begin, request))

/* Those with sizes by rank, written where they are known. What one rank gives is its own of them, or the sum. */
#define LISTED(operation, on, root, is_known, counts, type, types, gives_own, otherwise)                           \
    do {                                                                                                           \
        int64_t sum, *sizes = is_known ? listed(on, counts, type, types, &sum) : NULL;                             \
        int64_t size = !sizes ? otherwise : gives_own ? sizes[known(on)->rank] : sum;                              \
        noted(operation, on, root, size, sizes, begin, request);                                                   \
        free(sizes);                                                                                               \
    } while (0)

BOTH(Gatherv, Igatherv,
     (OUT, void *room, const int counts[], const int places[], MPI_Datatype room_type, int root, MPI_Comm on),
     (OUT, void *room, const int counts[], const int places[], MPI_Datatype room_type, int root, MPI_Comm on,
      MPI_Request *request),
     (data, count, type, room, counts, places, room_type, root, on),
     (data, count, type, room, counts, places, room_type, root, on, request), on,
     LISTED(GATHERV, on, root, AT(root, on), counts, room_type, NULL, 1, bytes_of(count, type)))

BOTH(Scatterv, Iscatterv,
     (const void *data, const int counts[], const int places[], MPI_Datatype type, IN, int root, MPI_Comm on),
     (const void *data, const int counts[], const int places[], MPI_Datatype type, IN, int root, MPI_Comm on,
      MPI_Request *request),
     (data, counts, places, type, room, most, room_type, root, on),
     (data, counts, places, type, room, most, room_type, root, on, request), on,
     LISTED(SCATTERV, on, root, AT(root, on), counts, type, NULL, 0, bytes_of(most, room_type)))

BOTH(Allgatherv, Iallgatherv,
     (OUT, void *room, const int counts[], const int places[], MPI_Datatype room_type, MPI_Comm on),
     (OUT, void *room, const int counts[], const int places[], MPI_Datatype room_type, MPI_Comm on,
      MPI_Request *request),
     (data, count, type, room, counts, places, room_type, on),
     (data, count, type, room, counts, places, room_type, on, request), on,
     LISTED(ALLGATHERV, on, -1, 1, counts, room_type, NULL, 1, 0))

#define EXCHANGES(kind_of_type, kind_of_room_type)                                                                 \
    const void *data, const int counts[], const int places[], kind_of_type, void *room, const int mosts[],         \
        const int room_places[], kind_of_room_type

BOTH(Alltoallv, Ialltoallv, (EXCHANGES(MPI_Datatype type, MPI_Datatype room_type), MPI_Comm on),
     (EXCHANGES(MPI_Datatype type, MPI_Datatype room_type), MPI_Comm on, MPI_Request *request),
     (data, counts, places, type, room, mosts, room_places, room_type, on),
     (data, counts, places, type, room, mosts, room_places, room_type, on, request), on,
     LISTED(ALLTOALLV, on, -1, 1, data == MPI_IN_PLACE ? mosts : counts, data == MPI_IN_PLACE ? room_type : type,
            NULL, 0, 0))

BOTH(Alltoallw, Ialltoallw, (EXCHANGES(const MPI_Datatype types[], const MPI_Datatype room_types[]), MPI_Comm on),
     (EXCHANGES(const MPI_Datatype types[], const MPI_Datatype room_types[]), MPI_Comm on, MPI_Request *request),
     (data, counts, places, types, room, mosts, room_places, room_types, on),
     (data, counts, places, types, room, mosts, room_places, room_types, on, request), on,
     LISTED(ALLTOALLW, on, -1, 1, data == MPI_IN_PLACE ? mosts : counts, MPI_DATATYPE_NULL,
            data == MPI_IN_PLACE ? room_types : types, 0, 0))

BOTH(Reduce_scatter, Ireduce_scatter,
     (const void *data, void *room, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm on),
     (const void *data, void *room, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm on,
      MPI_Request *request),
     (data, room, counts, type, op, on), (data, room, counts, type, op, on, request), on,
     LISTED(REDUCE_SCATTER, on, -1, 1, counts, type, NULL, 0, 0))
