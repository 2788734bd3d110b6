/* Requests by handle, and the calls that complete them. Libraries give one handle to several sends that are over at once, so a
 * handle has a queue. */
#include "recorder.h"

#include <pthread.h>
#include <string.h>

#define BUCKETS (1 << 16)

static struct request *bucket[BUCKETS];
static struct request *spare;
static int64_t numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned place_of(uint64_t handle)
{
    return (handle * 0x9E3779B97F4A7C15ULL) >> 48;
}

/* Return the first of so many numbers of requests, one after the other. */
int64_t next_requests(int64_t many)
{
    return __atomic_fetch_add(&numbers, many, __ATOMIC_RELAXED);
}

static struct request *opened(MPI_Request handle, int64_t number, int64_t place, const struct communicator *on,
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
                                .many = 1,
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

static void free_acts(struct acts *acts)
{
    for (int i = 0; i < acts->length; i++)
        free(acts->act[i].numbers);
}

static void drop_request(struct request *request)
{
    if (request->acts) {
        free_acts(request->acts);
        free(request->acts);
    }
    pthread_mutex_lock(&lock);
    struct request **here = &bucket[place_of(request->handle)];
    while (*here != request)
        here = &(*here)->next;
    *here = request->next;
    request->next = spare;
    spare = request;
    pthread_mutex_unlock(&lock);
}

/* Return how many requests the messages of an entry are, of one that blocks or of one that is `open`. */
static int64_t requests_of(const struct entry *entry, const int64_t *list, int is_open)
{
    return entry->kind == EXCHANGE ? list[0] + list[1] : is_open;
}

/* Write down what a call that began at `begin` does. If it is open its requests are those of `request`. */
void write_acts(struct acts *acts, int64_t begin, int is_open, struct request *request)
{
    int64_t many = 0, end = now();
    for (int i = 0; i < acts->length; i++)
        many += requests_of(&acts->act[i].entry, acts->act[i].numbers, is_open);
    int64_t first = many ? next_requests(many) : -1, number = first;
    for (int i = 0; i < acts->length; i++) {
        struct entry entry = acts->act[i].entry;
        const int64_t *list = acts->act[i].numbers;
        int64_t of_this = requests_of(&entry, list, is_open);
        entry.request = of_this ? number : -1;
        number += of_this;
        if (entry.kind == EXCHANGE)
            entry.operation = is_open;
        entry.begin = begin;
        entry.end = i == acts->length - 1 ? end : begin;
        int64_t place = write_entry(entry, list, entry.numbers);
        if (request && i == 0)
            request->place = place;
    }
    if (request) {
        request->number = first;
        request->many = many;
        request->active = 1;
    }
}

/* Write down a call that has returned, or remember what each of its starts does. */
void done(struct acts *acts, int64_t begin, MPI_Request *request, int is_persistent)
{
    int receives = acts->length && acts->act[0].entry.kind == IRECV && !acts->has_no_status;
    struct request *made = request && acts->length ? opened(*request, -1, -1, acts->on, receives) : NULL;
    if (is_persistent && made) {
        made->active = 0;
        made->acts = malloc(sizeof *acts);
        *made->acts = *acts;
        return;
    }
    write_acts(acts, begin, request != NULL, made);
    free_acts(acts);
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

static void completed(MPI_Request handle, const MPI_Status *status, int64_t begin, int64_t end)
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
        for (int64_t i = 0; i < request->many; i++) {
            struct entry entry = {.kind = WAIT,
                                  .peer = -1,
                                  .request = request->number + i,
                                  .begin = begin,
                                  .end = i == request->many - 1 ? end : begin};
            write_entry(entry, NULL, 0);
        }
    }
    if (request->acts)
        request->active = request->cancelled = 0;
    else
        drop_request(request);
}

/* Room for handles and statuses of one call, kept from call to call. */
static __thread MPI_Request *handles;
static __thread MPI_Status *own_statuses;
static __thread int most;

static void copy_handles(int count, const MPI_Request requests[])
{
    if (count > most) {
        most = 2 * count;
        handles = realloc(handles, sizeof *handles * most);
        own_statuses = realloc(own_statuses, sizeof *own_statuses * most);
    }
    if (count > 0)
        memcpy(handles, requests, sizeof *handles * count);
}

WRAP(Wait, (MPI_Request * request, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Wait)(request, status);
    MPI_Request handle = *request;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Wait)(request, status));
    completed(handle, status, begin, now());
    return result;
}

WRAP(Test, (MPI_Request * request, int *done, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Test)(request, done, status);
    MPI_Request handle = *request;
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Test)(request, done, status));
    if (*done)
        completed(handle, status, begin, now());
    return result;
}

static void all_completed(int count, const MPI_Status *statuses, int64_t begin, int64_t end)
{
    for (int i = 0; i < count; i++)
        completed(handles[i], &statuses[i], i ? end : begin, end);
}

WRAP(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))
{
    if (INSIDE)
        return REAL(Waitall)(count, requests, statuses);
    copy_handles(count, requests);
    statuses = statuses == MPI_STATUSES_IGNORE ? own_statuses : statuses;
    CALLED(REAL(Waitall)(count, requests, statuses));
    all_completed(count, statuses, begin, now());
    return result;
}

WRAP(Testall, (int count, MPI_Request requests[], int *done, MPI_Status statuses[]))
{
    if (INSIDE)
        return REAL(Testall)(count, requests, done, statuses);
    copy_handles(count, requests);
    statuses = statuses == MPI_STATUSES_IGNORE ? own_statuses : statuses;
    CALLED(REAL(Testall)(count, requests, done, statuses));
    if (*done)
        all_completed(count, statuses, begin, now());
    return result;
}

WRAP(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Waitany)(count, requests, index, status);
    copy_handles(count, requests);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Waitany)(count, requests, index, status));
    if (*index != MPI_UNDEFINED)
        completed(handles[*index], status, begin, now());
    return result;
}

WRAP(Testany, (int count, MPI_Request requests[], int *index, int *done, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Testany)(count, requests, index, done, status);
    copy_handles(count, requests);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Testany)(count, requests, index, done, status));
    if (*done && *index != MPI_UNDEFINED)
        completed(handles[*index], status, begin, now());
    return result;
}

static void some_completed(int count, const int indices[], const MPI_Status *statuses, int64_t begin, int64_t end)
{
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        completed(handles[indices[i]], &statuses[i], i ? end : begin, end);
}

#define SOME(name)                                                                                                 \
    WRAP(name, (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]))               \
    {                                                                                                              \
        if (INSIDE)                                                                                                \
            return REAL(name)(count, requests, done, indices, statuses);                                           \
        copy_handles(count, requests);                                                                             \
        statuses = statuses == MPI_STATUSES_IGNORE ? own_statuses : statuses;                                      \
        CALLED(REAL(name)(count, requests, done, indices, statuses));                                              \
        some_completed(*done, indices, statuses, begin, now());                                                     \
        return result;                                                                                             \
    }

SOME(Waitsome)
SOME(Testsome)

WRAP(Cancel, (MPI_Request * handle))
{
    struct request *request = INSIDE ? NULL : find_request(*handle);
    if (request)
        request->cancelled = 1;
    return REAL(Cancel)(handle);
}

WRAP(Request_free, (MPI_Request * handle))
{
    struct request *request = INSIDE ? NULL : find_request(*handle);
    if (request)
        drop_request(request);
    depth++;
    int result = REAL(Request_free)(handle);
    depth--;
    return result;
}
