/* Communicators: numbered when they are first seen, with the world ranks of their members. */
#include "recorder.h"

#include <string.h>

static int keyval = MPI_KEYVAL_INVALID;
static MPI_Group world = MPI_GROUP_NULL;
static int numbers, made;

/* The last one asked for: most programs ask for the same again and again. */
static __thread MPI_Comm last_handle;
static __thread const struct communicator *last;

void forget_last(void)
{
    last = NULL;
}

static int *world_ranks(MPI_Group group, int size)
{
    int *own = malloc(sizeof(int) * (size + 1)), *found = malloc(sizeof(int) * (size + 1));
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, size, own, world, found);
    free(own);
    return found;
}

static int ascending(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Return the world ranks of all who can meet in a communicator: of both sides, in order, if it has two. */
static int64_t *members_of(MPI_Comm handle, const struct communicator *seen, int *count)
{
    int own = 0, *ranks = NULL;
    MPI_Group group;
    if (seen->is_inter) {
        PMPI_Comm_group(handle, &group);
        PMPI_Group_size(group, &own);
        ranks = world_ranks(group, own);
        PMPI_Group_free(&group);
    }
    *count = seen->size + own;
    int64_t *members = malloc(sizeof(int64_t) * (*count + 1));
    for (int i = 0; i < *count; i++)
        members[i] = i < seen->size ? seen->world[i] : ranks[i - seen->size];
    if (own)
        qsort(members, *count, sizeof *members, ascending);
    free(ranks);
    return members;
}

/* Write down who is in a communicator. `key` is the same for all members; 0: its members did not agree on one. */
static const struct communicator *enter(MPI_Comm handle, int64_t key)
{
    struct communicator *seen = calloc(1, sizeof *seen);
    MPI_Group group;
    PMPI_Comm_test_inter(handle, &seen->is_inter);
    PMPI_Comm_rank(handle, &seen->rank);
    if (seen->is_inter)
        PMPI_Comm_remote_group(handle, &group);
    else
        PMPI_Comm_group(handle, &group);
    PMPI_Group_size(group, &seen->size);
    seen->world = world_ranks(group, seen->size);
    PMPI_Group_free(&group);
    seen->number = numbers++;
    int count;
    int64_t *members = members_of(handle, seen, &count);
    struct entry entry = {.kind = COMMUNICATOR,
                          .communicator = seen->number,
                          .size = count,
                          .request = key,
                          .begin = now()};
    entry.end = entry.begin;
    write_entry(entry, members, count);
    free(members);
    /* Kept for good: requests may outlive the communicator. */
    PMPI_Comm_set_attr(handle, keyval, seen);
    return seen;
}

const struct communicator *known(MPI_Comm handle)
{
    struct communicator *seen;
    int is_there;
    if (last && handle == last_handle)
        return last;
    depth++;
    if (keyval == MPI_KEYVAL_INVALID) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        enter(MPI_COMM_WORLD, 1);
    }
    PMPI_Comm_get_attr(handle, keyval, &seen, &is_there);
    last = is_there ? seen : enter(handle, 0);
    last_handle = handle;
    depth--;
    return last;
}

/* Number a new communicator, with a key that its first member draws: two of the same members differ in it. */
void created(MPI_Comm handle)
{
    int rank, is_inter;
    if (handle == MPI_COMM_NULL)
        return;
    known(MPI_COMM_WORLD);
    depth++;
    PMPI_Comm_rank(handle, &rank);
    PMPI_Comm_test_inter(handle, &is_inter);
    int64_t key = 0;
    if (!is_inter) {
        if (rank == 0)
            key = ((int64_t)known(MPI_COMM_WORLD)->rank + 1) << 32 | ++made;
        REAL(Bcast)(&key, 1, MPI_INT64_T, 0, handle);
    }
    enter(handle, key);
    forget_last();
    depth--;
}

int world_rank(const struct communicator *on, int rank)
{
    return rank >= 0 && rank < on->size ? on->world[rank] : -1;
}

#define MAKES(name, arguments, call)                                                                               \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        depth++;                                                                                                   \
        int result = REAL(name) call;                                                                              \
        depth--;                                                                                                   \
        if (!INSIDE && result == MPI_SUCCESS)                                                                      \
            created(*made_one);                                                                                    \
        return result;                                                                                             \
    }

MAKES(Comm_dup, (MPI_Comm from, MPI_Comm *made_one), (from, made_one))
MAKES(Comm_dup_with_info, (MPI_Comm from, MPI_Info info, MPI_Comm *made_one), (from, info, made_one))
MAKES(Comm_split, (MPI_Comm from, int colour, int key, MPI_Comm *made_one), (from, colour, key, made_one))
MAKES(Comm_split_type, (MPI_Comm from, int type, int key, MPI_Info info, MPI_Comm *made_one),
      (from, type, key, info, made_one))
MAKES(Comm_create, (MPI_Comm from, MPI_Group group, MPI_Comm *made_one), (from, group, made_one))
MAKES(Comm_create_group, (MPI_Comm from, MPI_Group group, int tag, MPI_Comm *made_one),
      (from, group, tag, made_one))
MAKES(Cart_create,
      (MPI_Comm from, int dims, const int sides[], const int rings[], int reorder, MPI_Comm *made_one),
      (from, dims, sides, rings, reorder, made_one))
MAKES(Cart_sub, (MPI_Comm from, const int kept[], MPI_Comm *made_one), (from, kept, made_one))
MAKES(Graph_create,
      (MPI_Comm from, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made_one),
      (from, nodes, index, edges, reorder, made_one))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm from, int ins, const int sources[], const int weights[], int outs, const int targets[],
       const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made_one),
      (from, ins, sources, weights, outs, targets, out_weights, info, reorder, made_one))
MAKES(Dist_graph_create,
      (MPI_Comm from, int nodes, const int sources[], const int degrees[], const int targets[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made_one),
      (from, nodes, sources, degrees, targets, weights, info, reorder, made_one))
MAKES(Intercomm_merge, (MPI_Comm from, int high, MPI_Comm *made_one), (from, high, made_one))

WRAP(Comm_free, (MPI_Comm *handle))
{
    forget_last();
    depth++;
    int result = REAL(Comm_free)(handle);
    depth--;
    return result;
}

WRAP(Comm_disconnect, (MPI_Comm *handle))
{
    forget_last();
    depth++;
    int result = REAL(Comm_disconnect)(handle);
    depth--;
    return result;
}
