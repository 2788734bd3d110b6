/* Calls that complete requests. Handles are copied before the call, for it sets them to null. */
#include "recorder.h"

#include <string.h>

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
