/* Requests by handle. Libraries give one handle to several sends that are over at once, so a handle has a queue. */
#include "recorder.h"

#include <pthread.h>

#define BUCKETS (1 << 16)

static struct request *bucket[BUCKETS];
static struct request *spare;
static int64_t numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned place_of(uint64_t handle)
{
    return (handle * 0x9E3779B97F4A7C15ULL) >> 48;
}

int64_t next_request(void)
{
    return __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
}

struct request *opened(MPI_Request handle, int64_t number, int64_t place, const struct communicator *on,
                       int receives)
{
    pthread_mutex_lock(&lock);
    struct request *request = spare;
    if (request)
        spare = request->next;
    else
        request = malloc(sizeof *request);
    *request = (struct request){.handle = (uint64_t)(uintptr_t)handle,
                                .number = number,
                                .place = place,
                                .on = on,
                                .active = 1,
                                .receives = receives};
    struct request **end = &bucket[place_of(request->handle)];
    while (*end)
        end = &(*end)->next;
    *end = request;
    pthread_mutex_unlock(&lock);
    return request;
}

struct request *find_request(MPI_Request handle)
{
    uint64_t wanted = (uint64_t)(uintptr_t)handle;
    pthread_mutex_lock(&lock);
    struct request *request = bucket[place_of(wanted)];
    while (request && request->handle != wanted)
        request = request->next;
    pthread_mutex_unlock(&lock);
    return request;
}

void drop_request(struct request *request)
{
    pthread_mutex_lock(&lock);
    struct request **here = &bucket[place_of(request->handle)];
    while (*here != request)
        here = &(*here)->next;
    *here = request->next;
    request->next = spare;
    spare = request;
    pthread_mutex_unlock(&lock);
}

/* Return an entry of a receive with what its status tells: who sent it, and how much. */
struct entry received(struct entry entry, const struct communicator *on, const MPI_Status *status)
{
    MPI_Count size;
    PMPI_Get_elements_x(status, MPI_BYTE, &size);
    entry.peer = world_rank(on, status->MPI_SOURCE);
    entry.tag = status->MPI_TAG;
    if (size != MPI_UNDEFINED)
        entry.size = size;
    return entry;
}

struct end_of_receive {
    const struct communicator *on;
    const MPI_Status *status;
};

static void take_status(struct entry *entry, const void *how)
{
    const struct end_of_receive *end = how;
    *entry = received(*entry, end->on, end->status);
}

static void cancel(struct entry *entry, const void *how)
{
    (void)how;
    entry->kind = CANCELLED;
}

void completed(MPI_Request handle, const MPI_Status *status, int64_t begin, int64_t end)
{
    struct request *request = find_request(handle);
    if (!request || !request->active)
        return;
    int was_cancelled = 0;
    if (request->cancelled)
        PMPI_Test_cancelled(status, &was_cancelled);
    if (was_cancelled) {
        rewrite_entry(request->place, cancel, NULL);
    } else {
        if (request->receives) {
            struct end_of_receive how = {request->on, status};
            rewrite_entry(request->place, take_status, &how);
        }
        struct entry entry = {
            .kind = WAIT, .peer = -1, .request = request->number, .begin = begin, .end = end};
        write_entry(entry, NULL, 0);
    }
    if (request->persistent)
        request->active = request->cancelled = 0;
    else
        drop_request(request);
}
