/* Collectives: blocking, non-blocking or persistent, of one group, of two, or of neighbours. What is written down of
 * one is the size that its messages come from: of a broadcast or reduction the vector, of an all-to-all or a reduction
 * in blocks what each partner gets, else what one rank gives.
 *
 * Collectives of neighbours, and those of two groups in which each rank has its own data, are messages straight to
 * those who need them. Where two groups reduce or broadcast, the first rank of each speaks for the others, by
 * collectives of its group. */
#include "recorder.h"

/* How many bytes each partner gets or gives: the same, or by lists of counts and types. */
struct sizes {
    int64_t each;
    const void *counts;
    int are_long; /* counts are of type MPI_Count */
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static int64_t size_of(const struct sizes *sizes, int i)
{
    if (!sizes->counts)
        return sizes->each;
    int64_t count = sizes->are_long ? ((const MPI_Count *)sizes->counts)[i] : ((const int *)sizes->counts)[i];
    return bytes_of(count, sizes->types ? sizes->types[i] : sizes->type);
}

/* What a rank is in an operation with a root. */
enum role { ROOT, OTHER, NOBODY };

static enum role role_of(int root, MPI_Comm handle)
{
    const struct communicator *on = known(handle);
    if (!on->is_inter)
        return root == on->rank ? ROOT : OTHER;
    return root == MPI_ROOT ? ROOT : root == MPI_PROC_NULL ? NOBODY : OTHER;
}

static void add(struct acts *acts, struct entry entry, int64_t *numbers)
{
    entry.request = -1;
    acts->act[acts->length].entry = entry;
    acts->act[acts->length++].numbers = numbers;
}

static void collective(struct acts *acts, enum operation operation, const struct communicator *on, int root,
                       int64_t size, int64_t *sizes)
{
    add(acts,
        (struct entry){.kind = COLLECTIVE,
                       .operation = operation,
                       .peer = world_rank(on, root),
                       .communicator = on->number,
                       .size = size,
                       .numbers = sizes ? on->size : 0},
        sizes);
}

/* Add messages from `ins` ranks and to `outs`; those that are not listed are 0, 1 and so on. */
static void exchange(struct acts *acts, int ins, const int *sources, const struct sizes *in, int outs,
                     const int *targets, const struct sizes *out)
{
    int64_t *numbers = malloc(sizeof(int64_t) * (2 + 2 * ((int64_t)ins + outs))), count = 2;
    numbers[0] = numbers[1] = 0;
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < (way ? outs : ins); i++) {
            const int *listed = way ? targets : sources;
            int rank = world_rank(acts->on, listed ? listed[i] : i);
            if (rank < 0)
                continue;
            numbers[way]++;
            numbers[count++] = rank;
            numbers[count++] = size_of(way ? out : in, i);
        }
    add(acts,
        (struct entry){.kind = EXCHANGE, .peer = -1, .communicator = acts->on->number, .numbers = count},
        numbers);
}

/* Add a message from `source` and one to `target`, ranks of the other group; less than 0: none. */
static void exchange_one(struct acts *acts, int source, int64_t in, int target, int64_t out)
{
    exchange(acts, source >= 0, &source, &(struct sizes){.each = in}, target >= 0, &target,
             &(struct sizes){.each = out});
}

/* Return bytes by partner, to be freed, and their sum. */
static int64_t *listed(const struct communicator *on, const struct sizes *sizes, int64_t *sum)
{
    int64_t *bytes = malloc(sizeof(int64_t) * (on->size + 1));
    *sum = 0;
    for (int i = 0; i < on->size; i++)
        *sum += bytes[i] = size_of(sizes, i);
    return bytes;
}

/* A gather: `size` is what this rank gives; of the root, which gets `sizes`, as far as there is a list of them. */
static void gathers(struct acts *acts, enum operation operation, int root, enum role role, int64_t size,
                    const struct sizes *sizes)
{
    const struct communicator *on = acts->on;
    int64_t sum;
    if (on->is_inter && role == ROOT)
        exchange(acts, on->size, NULL, sizes, 0, NULL, NULL);
    else if (on->is_inter)
        exchange_one(acts, -1, 0, role == OTHER ? root : -1, size);
    else if (role == ROOT && sizes->counts) {
        int64_t *bytes = listed(on, sizes, &sum);
        collective(acts, operation, on, root, bytes[on->rank], bytes);
    } else
        collective(acts, operation, on, root, role == ROOT ? sizes->each : size, NULL);
}

/* A scatter: the root gives `sizes`, another rank gets `size`. */
static void scatters(struct acts *acts, enum operation operation, int root, enum role role, int64_t size,
                     const struct sizes *sizes)
{
    const struct communicator *on = acts->on;
    int64_t sum;
    if (on->is_inter && role == ROOT)
        exchange(acts, 0, NULL, NULL, on->size, NULL, sizes);
    else if (on->is_inter)
        exchange_one(acts, role == OTHER ? root : -1, size, -1, 0);
    else if (role == ROOT && sizes->counts) {
        int64_t *bytes = listed(on, sizes, &sum);
        collective(acts, operation, on, root, sum, bytes);
    } else
        collective(acts, operation, on, root, role == ROOT ? sizes->each : size, NULL);
}

static void broadcasts(struct acts *acts, int root, enum role role, int64_t size)
{
    const struct communicator *on = acts->on;
    if (!on->is_inter) {
        collective(acts, BCAST, on, root, size, NULL);
    } else if (role == ROOT) {
        exchange_one(acts, -1, 0, 0, size);
    } else if (role == OTHER) {
        exchange_one(acts, on->rank ? -1 : root, size, -1, 0);
        collective(acts, BCAST, on->local, 0, size, NULL);
    }
}

static void reduces(struct acts *acts, int root, enum role role, int64_t size)
{
    const struct communicator *on = acts->on;
    if (!on->is_inter) {
        collective(acts, REDUCE, on, root, size, NULL);
    } else if (role == ROOT) {
        exchange_one(acts, 0, size, -1, 0);
    } else if (role == OTHER) {
        collective(acts, REDUCE, on->local, 0, size, NULL);
        exchange_one(acts, -1, 0, on->rank ? -1 : root, size);
    }
}

/* An operation whose data all ranks reduce, and after which each has all of the result or its block. Of two groups
 * each gets what the other one has. */
static void reduces_for_all(struct acts *acts, enum operation operation, const struct sizes *sizes)
{
    const struct communicator *on = acts->on, *local = on->is_inter ? on->local : on;
    int64_t sum = sizes->each, *bytes = sizes->counts ? listed(local, sizes, &sum) : NULL;
    if (!on->is_inter) {
        collective(acts, operation, on, -1, sum, bytes);
        return;
    }
    int64_t vector = operation == REDUCE_SCATTER_BLOCK ? sum * local->size : sum;
    int leader = on->rank ? -1 : 0;
    collective(acts, operation == BARRIER ? BARRIER : REDUCE, local, 0, vector, NULL);
    exchange_one(acts, leader, vector, leader, vector);
    if (operation == REDUCE_SCATTER && on->rank) {
        sum = bytes[on->rank];
        free(bytes);
        bytes = NULL;
    }
    collective(acts,
               operation == BARRIER                ? BARRIER
               : operation == REDUCE_SCATTER       ? SCATTERV
               : operation == REDUCE_SCATTER_BLOCK ? SCATTER
                                                   : BCAST,
               local, 0, sum, bytes);
}

/* An operation in which each rank gives something to all: `out` to each partner, who gives `in`. */
static void exchanges(struct acts *acts, enum operation operation, const struct sizes *in, const struct sizes *out)
{
    const struct communicator *on = acts->on;
    if (on->is_inter) {
        exchange(acts, on->size, NULL, in, on->size, NULL, out);
    } else if (operation == ALLGATHERV) {
        int64_t sum, *bytes = listed(on, in, &sum);
        collective(acts, operation, on, -1, bytes[on->rank], bytes);
    } else if (out->counts) {
        int64_t sum, *bytes = listed(on, out, &sum);
        collective(acts, operation, on, -1, sum, bytes);
    } else
        collective(acts, operation, on, -1, in->each, NULL);
}

/* Find the neighbours of a rank: along each dimension of a grid first the one before, then the one behind. */
static void find_neighbours(MPI_Comm handle, struct communicator *on)
{
    int kind, dims = 0, weighted;
    on->has_neighbours = 1;
    PMPI_Topo_test(handle, &kind);
    if (kind == MPI_CART)
        PMPI_Cartdim_get(handle, &dims);
    if (kind == MPI_CART)
        on->ins = on->outs = 2 * dims;
    else if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(handle, on->rank, &on->ins), on->outs = on->ins;
    else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(handle, &on->ins, &on->outs, &weighted);
    on->sources = calloc(on->ins + 1, sizeof(int));
    on->targets = calloc(on->outs + 1, sizeof(int));
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors(handle, on->rank, on->ins, on->targets);
    else if (kind == MPI_DIST_GRAPH) {
        int *weights = calloc(on->ins + on->outs + 1, sizeof(int));
        PMPI_Dist_graph_neighbors(handle, on->ins, on->sources, weights, on->outs, on->targets, weights + on->ins);
        free(weights);
    }
    for (int i = 0; i < dims; i++)
        PMPI_Cart_shift(handle, i, 1, &on->targets[2 * i], &on->targets[2 * i + 1]);
    for (int i = 0; kind != MPI_DIST_GRAPH && i < on->ins; i++)
        on->sources[i] = on->targets[i];
}

static void exchanges_with_neighbours(struct acts *acts, MPI_Comm handle, const struct sizes *in,
                                      const struct sizes *out)
{
    struct communicator *on = known(handle);
    if (!on->has_neighbours)
        find_neighbours(handle, on);
    exchange(acts, on->ins, on->sources, in, on->outs, on->targets, out);
}

/* Define a collective in its forms. `says` adds to `acts` what it does. */
#define STRIP(...) __VA_ARGS__
#define FORM(name, arguments, call, request, is_persistent, says)                                                  \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        struct acts acts = {0};                                                                                    \
        if (INSIDE)                                                                                                \
            return REAL(name) call;                                                                                \
        depth++;                                                                                                   \
        acts.on = kept(on);                                                                                        \
        if (acts.on) {                                                                                             \
            says;                                                                                                  \
        }                                                                                                          \
        depth--;                                                                                                   \
        CALLED(REAL(name) call);                                                                                   \
        done(&acts, begin, request, is_persistent);                                                                \
        return result;                                                                                             \
    }
#define FORMS_OF_3(name, iname, parameters, arguments, says)                                                       \
    FORM(NAME(name), (STRIP parameters), (STRIP arguments), NULL, 0, says)                                         \
    FORM(NAME(iname), (STRIP parameters, MPI_Request *request), (STRIP arguments, request), request, 0, says)
#if HAS_MPI_4
#define FORMS(name, iname, parameters, arguments, says)                                                            \
    FORMS_OF_3(name, iname, parameters, arguments, says)                                                           \
    FORM(NAME(name##_init), (STRIP parameters, MPI_Info info, MPI_Request *request),                               \
         (STRIP arguments, info, request), request, 1, says)
#else
#define FORMS FORMS_OF_3
#endif

#define EACH(count, type) (&(struct sizes){.each = bytes_of(count, type)})
#define LIST(list, of) (&(struct sizes){.counts = list, .are_long = sizeof *(list) > sizeof(int), .type = of})
#define LIST_OF_TYPES(list, of) (&(struct sizes){.counts = list, .are_long = sizeof *(list) > sizeof(int), .types = of})

#define N int
#define D int
#define NAME(name) name
FORMS(Barrier, Ibarrier, (MPI_Comm on), (on), reduces_for_all(&acts, BARRIER, EACH(0, MPI_BYTE)))
#include "collectives_counts.h"
#if HAS_LARGE_COUNTS
#undef N
#undef D
#undef NAME
#define N MPI_Count
#define D MPI_Aint
#define NAME(name) name##_c
#include "collectives_counts.h"
#endif
