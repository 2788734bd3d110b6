/* Communicators: numbered when they are first seen, with the world ranks of their members. */
#include "recorder.h"

#include <string.h>

static int keyval = MPI_KEYVAL_INVALID;
static MPI_Group world = MPI_GROUP_NULL;
static int numbers;

/* The last one asked for: most programs ask for the same again and again. */
static __thread MPI_Comm last_handle;
static __thread struct communicator *last;

void forget_last(void)
{
    last = NULL;
}

/* Communicators of the same members differ in how many of these there were before: all members make them in one
 * order. The count is kept for each list of members. */
static struct count {
    uint64_t hash;
    int length;
    int64_t number;
    struct count *next;
} *counts[1024];

/* Those that may not be asked for their members yet, with their keys. */
static struct promised {
    MPI_Comm handle;
    int64_t key;
    struct promised *next;
} *promised;

static int64_t number_of(const int64_t *members, int length, int is_inter)
{
    uint64_t hash = 1469598103934665603ULL + is_inter;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (uint64_t)members[i]) * 1099511628211ULL;
    struct count **here = &counts[hash >> 54];
    while (*here && ((*here)->hash != hash || (*here)->length != length))
        here = &(*here)->next;
    if (!*here) {
        *here = calloc(1, sizeof **here);
        (*here)->hash = hash;
        (*here)->length = length;
    }
    return (*here)->number++ + ((int64_t)is_inter << 29);
}

static int *world_ranks(MPI_Group group, int *size)
{
    PMPI_Group_size(group, size);
    int *own = malloc(sizeof(int) * (*size + 1)), *found = malloc(sizeof(int) * (*size + 1));
    for (int i = 0; i < *size; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, *size, own, world, found);
    free(own);
    PMPI_Group_free(&group);
    return found;
}

static int ascending(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Return the world ranks of all who can meet in a communicator: of both sides, in order, if it has two. */
static int64_t *members_of(const struct communicator *seen, int *count)
{
    const struct communicator *local = seen->local;
    *count = seen->size + (local ? local->size : 0);
    int64_t *members = malloc(sizeof(int64_t) * (*count + 1));
    for (int i = 0; i < *count; i++)
        members[i] = i < seen->size ? seen->world[i] : local->world[i - seen->size];
    if (local)
        qsort(members, *count, sizeof *members, ascending);
    return members;
}

static int is_foreign(const struct communicator *seen)
{
    for (int i = 0; i < seen->size; i++)
        if (seen->world[i] == MPI_UNDEFINED)
            return 1;
    return 0;
}

/* Write down who is in a communicator. */
static void write_communicator(struct communicator *seen, const int64_t *members, int count, int64_t key)
{
    struct entry entry = {
        .kind = COMMUNICATOR, .size = count, .numbers = count, .request = key, .begin = now()};
    seen->number = entry.communicator = numbers++;
    entry.end = entry.begin;
    write_entry(entry, members, count);
}

enum { SEEN_FIRST = 0, WORLD = 1, MADE = 2, LOCAL = 1 << 30 };

/* Take down a communicator. `key` is the same for all members; SEEN_FIRST: they did not agree on one; MADE: by how
 * many there were. */
static struct communicator *enter(MPI_Comm handle, int64_t key)
{
    struct communicator *seen = calloc(1, sizeof *seen), *local = NULL;
    MPI_Group group;
    PMPI_Comm_test_inter(handle, &seen->is_inter);
    PMPI_Comm_rank(handle, &seen->rank);
    if (seen->is_inter) {
        local = calloc(1, sizeof *local);
        local->rank = seen->rank;
        PMPI_Comm_group(handle, &group);
        local->world = world_ranks(group, &local->size);
        PMPI_Comm_remote_group(handle, &group);
    } else {
        PMPI_Comm_group(handle, &group);
    }
    seen->world = world_ranks(group, &seen->size);
    seen->local = local;
    seen->is_foreign = is_foreign(seen) || (local && is_foreign(local));
    if (!seen->is_foreign) {
        int count;
        int64_t *members = members_of(seen, &count);
        if (key == MADE)
            key += number_of(members, count, seen->is_inter);
        write_communicator(seen, members, count, key);
        free(members);
        if (local) {
            members = members_of(local, &count);
            write_communicator(local, members, count, LOCAL + key);
            free(members);
        }
    }
    /* Kept for good: requests may outlive the communicator. */
    PMPI_Comm_set_attr(handle, keyval, seen);
    return seen;
}

static int64_t promised_key(MPI_Comm handle)
{
    for (struct promised **here = &promised; *here; here = &(*here)->next)
        if ((*here)->handle == handle) {
            struct promised *one = *here;
            int64_t key = one->key;
            *here = one->next;
            free(one);
            return key;
        }
    return SEEN_FIRST;
}

struct communicator *known(MPI_Comm handle)
{
    struct communicator *seen;
    int is_there;
    if (last && handle == last_handle)
        return last;
    depth++;
    if (keyval == MPI_KEYVAL_INVALID) {
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        enter(MPI_COMM_WORLD, WORLD);
    }
    PMPI_Comm_get_attr(handle, keyval, &seen, &is_there);
    last = is_there ? seen : enter(handle, promised_key(handle));
    last_handle = handle;
    depth--;
    return last;
}

/* Return a communicator whose calls can be written down; NULL, and count this one: processes take part that are not
 * in the world. */
const struct communicator *kept(MPI_Comm handle)
{
    const struct communicator *on = known(handle);
    if (!on->is_foreign)
        return on;
    left_out("MPI_Beyond_world");
    return NULL;
}

void created(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return;
    known(MPI_COMM_WORLD);
    depth++;
    enter(handle, MADE);
    forget_last();
    depth--;
}

/* Remember the key of a communicator of the members of `from`, which cannot be used before a request is over. */
static void promise(MPI_Comm from, MPI_Comm handle)
{
    const struct communicator *seen = known(from);
    int count;
    if (seen->is_foreign)
        return;
    int64_t *members = members_of(seen, &count);
    struct promised *one = malloc(sizeof *one);
    *one = (struct promised){handle, MADE + number_of(members, count, seen->is_inter), promised};
    promised = one;
    free(members);
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
MAKES(Intercomm_create,
      (MPI_Comm local, int leader, MPI_Comm from, int remote_leader, int tag, MPI_Comm *made_one),
      (local, leader, from, remote_leader, tag, made_one))
MAKES(Intercomm_merge, (MPI_Comm from, int high, MPI_Comm *made_one), (from, high, made_one))
#if MPI_VERSION >= 4
MAKES(Comm_create_from_group,
      (MPI_Group group, const char *name, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made_one),
      (group, name, info, handler, made_one))
MAKES(Intercomm_create_from_groups,
      (MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char *name, MPI_Info info,
       MPI_Errhandler handler, MPI_Comm *made_one),
      (local, leader, remote, remote_leader, name, info, handler, made_one))
#endif

#define PROMISES(name, arguments, call)                                                                            \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        depth++;                                                                                                   \
        int result = REAL(name) call;                                                                              \
        depth--;                                                                                                   \
        if (!INSIDE && result == MPI_SUCCESS)                                                                      \
            promise(from, *made_one);                                                                              \
        return result;                                                                                             \
    }

PROMISES(Comm_idup, (MPI_Comm from, MPI_Comm *made_one, MPI_Request *request), (from, made_one, request))
#if HAS_MPI_4
PROMISES(Comm_idup_with_info, (MPI_Comm from, MPI_Info info, MPI_Comm *made_one, MPI_Request *request),
         (from, info, made_one, request))
#endif

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
