/* Messages from rank to rank, in all modes. */
#include "recorder.h"

static struct entry message(enum kind kind, MPI_Comm handle, int peer, int tag, int64_t size)
{
    const struct communicator *on = known(handle);
    return (struct entry){.kind = kind,
                          .wild = (kind == RECV || kind == IRECV)
                                      ? (peer == MPI_ANY_SOURCE) + 2 * (tag == MPI_ANY_TAG)
                                      : 0,
                          .peer = world_rank(on, peer),
                          .communicator = on->number,
                          .tag = tag == MPI_ANY_TAG ? -1 : tag,
                          .size = size,
                          .request = -1};
}

/* Write down a call that began at `begin` and has just returned. */
static int64_t noted(struct entry entry, int64_t begin)
{
    entry.begin = begin;
    entry.end = now();
    return write_entry(entry, NULL, 0);
}

/* Write down a non-blocking call, and remember its request. */
static void noted_open(struct entry entry, int64_t begin, MPI_Comm handle, MPI_Request request)
{
    entry.request = next_request();
    int64_t place = noted(entry, begin);
    opened(request, entry.request, place, known(handle), entry.kind == IRECV);
}

#define CALLED(call)                                                                                               \
    int64_t begin = now();                                                                                         \
    depth++;                                                                                                       \
    int result = call;                                                                                             \
    depth--

#define SENDS(name)                                                                                                \
    WRAP(name, (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm on))                     \
    {                                                                                                              \
        if (INSIDE || to == MPI_PROC_NULL)                                                                         \
            return REAL(name)(data, count, type, to, tag, on);                                                     \
        CALLED(REAL(name)(data, count, type, to, tag, on));                                                        \
        noted(message(SEND, on, to, tag, bytes_of(count, type)), begin);                                           \
        return result;                                                                                             \
    }

SENDS(Send)
SENDS(Bsend)
SENDS(Ssend)
SENDS(Rsend)

#define ISENDS(name)                                                                                               \
    WRAP(name, (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm on,                      \
                MPI_Request *request))                                                                             \
    {                                                                                                              \
        if (INSIDE || to == MPI_PROC_NULL)                                                                         \
            return REAL(name)(data, count, type, to, tag, on, request);                                            \
        CALLED(REAL(name)(data, count, type, to, tag, on, request));                                               \
        noted_open(message(ISEND, on, to, tag, bytes_of(count, type)), begin, on, *request);                       \
        return result;                                                                                             \
    }

ISENDS(Isend)
ISENDS(Ibsend)
ISENDS(Issend)
ISENDS(Irsend)

WRAP(Recv, (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE || from == MPI_PROC_NULL)
        return REAL(Recv)(data, count, type, from, tag, on, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Recv)(data, count, type, from, tag, on, status));
    struct entry entry = message(RECV, on, from, tag, bytes_of(count, type));
    noted(result == MPI_SUCCESS ? received(entry, known(on), status) : entry, begin);
    return result;
}

WRAP(Irecv,
     (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Request *request))
{
    if (INSIDE || from == MPI_PROC_NULL)
        return REAL(Irecv)(data, count, type, from, tag, on, request);
    CALLED(REAL(Irecv)(data, count, type, from, tag, on, request));
    noted_open(message(IRECV, on, from, tag, bytes_of(count, type)), begin, on, *request);
    return result;
}

/* A send and a receive at once are a receive that is open while the send goes out. */
static void noted_both(struct entry out, int to, struct entry in, int from, MPI_Comm handle,
                       const MPI_Status *status, int64_t begin)
{
    int64_t end = now();
    in.request = next_request();
    if (from != MPI_PROC_NULL) {
        in = received(in, known(handle), status);
        in.begin = in.end = begin;
        write_entry(in, NULL, 0);
    }
    if (to != MPI_PROC_NULL) {
        out.begin = begin;
        out.end = from == MPI_PROC_NULL ? end : begin;
        write_entry(out, NULL, 0);
    }
    if (from != MPI_PROC_NULL) {
        struct entry wait = {.kind = WAIT, .peer = -1, .request = in.request, .begin = begin, .end = end};
        write_entry(wait, NULL, 0);
    }
}

WRAP(Sendrecv, (const void *data, int count, MPI_Datatype type, int to, int tag, void *room, int most,
                MPI_Datatype room_type, int from, int room_tag, MPI_Comm on, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE || (to == MPI_PROC_NULL && from == MPI_PROC_NULL))
        return REAL(Sendrecv)(data, count, type, to, tag, room, most, room_type, from, room_tag, on, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Sendrecv)(data, count, type, to, tag, room, most, room_type, from, room_tag, on, status));
    noted_both(message(SEND, on, to, tag, bytes_of(count, type)), to,
               message(IRECV, on, from, room_tag, bytes_of(most, room_type)), from, on, status, begin);
    return result;
}

WRAP(Sendrecv_replace, (void *data, int count, MPI_Datatype type, int to, int tag, int from, int room_tag,
                        MPI_Comm on, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE || (to == MPI_PROC_NULL && from == MPI_PROC_NULL))
        return REAL(Sendrecv_replace)(data, count, type, to, tag, from, room_tag, on, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(Sendrecv_replace)(data, count, type, to, tag, from, room_tag, on, status));
    noted_both(message(SEND, on, to, tag, bytes_of(count, type)), to,
               message(IRECV, on, from, room_tag, bytes_of(count, type)), from, on, status, begin);
    return result;
}

/* Persistent requests: nothing is sent before a start, and each start is a message. */

static void noted_persistent(struct entry entry, MPI_Comm handle, MPI_Request made)
{
    struct request *request = opened(made, -1, -1, known(handle), entry.kind == IRECV);
    request->what = entry;
    request->persistent = 1;
    request->active = 0;
}

#define SEND_INITS(name)                                                                                           \
    WRAP(name, (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm on,                      \
                MPI_Request *request))                                                                             \
    {                                                                                                              \
        depth++;                                                                                                   \
        int result = REAL(name)(data, count, type, to, tag, on, request);                                          \
        depth--;                                                                                                   \
        if (!INSIDE && to != MPI_PROC_NULL)                                                                        \
            noted_persistent(message(ISEND, on, to, tag, bytes_of(count, type)), on, *request);                    \
        return result;                                                                                             \
    }

SEND_INITS(Send_init)
SEND_INITS(Bsend_init)
SEND_INITS(Ssend_init)
SEND_INITS(Rsend_init)

WRAP(Recv_init,
     (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Request *request))
{
    depth++;
    int result = REAL(Recv_init)(data, count, type, from, tag, on, request);
    depth--;
    if (!INSIDE && from != MPI_PROC_NULL)
        noted_persistent(message(IRECV, on, from, tag, bytes_of(count, type)), on, *request);
    return result;
}

static void started(MPI_Request handle, int64_t begin)
{
    struct request *request = find_request(handle);
    if (!request || !request->persistent)
        return;
    struct entry entry = request->what;
    request->number = entry.request = next_request();
    request->place = noted(entry, begin);
    request->active = 1;
}

WRAP(Start, (MPI_Request * request))
{
    if (INSIDE)
        return REAL(Start)(request);
    CALLED(REAL(Start)(request));
    started(*request, begin);
    return result;
}

WRAP(Startall, (int count, MPI_Request requests[]))
{
    if (INSIDE)
        return REAL(Startall)(count, requests);
    CALLED(REAL(Startall)(count, requests));
    for (int i = 0; i < count; i++)
        started(requests[i], i ? now() : begin);
    return result;
}

/* Matched probes: where a message came from is known before it is received. */

static struct matched {
    MPI_Message handle;
    struct entry entry;
    const struct communicator *on;
    struct matched *next;
} *matched;

static void matches(MPI_Message handle, int from, int tag, MPI_Comm on, const MPI_Status *status)
{
    if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
        return;
    struct matched *one = malloc(sizeof *one);
    *one = (struct matched){handle, received(message(RECV, on, from, tag, 0), known(on), status), known(on),
                            matched};
    matched = one;
}

/* Take a matched message out of the list into `entry`; 0: it is none of them. */
static int take_matched(MPI_Message handle, struct entry *entry, const struct communicator **on)
{
    for (struct matched **here = &matched; *here; here = &(*here)->next) {
        struct matched *one = *here;
        if (one->handle == handle) {
            *entry = one->entry;
            *on = one->on;
            *here = one->next;
            free(one);
            return 1;
        }
    }
    return 0;
}

WRAP(Mprobe, (int from, int tag, MPI_Comm on, MPI_Message *handle, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Mprobe)(from, tag, on, handle, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    depth++;
    int result = REAL(Mprobe)(from, tag, on, handle, status);
    depth--;
    matches(*handle, from, tag, on, status);
    return result;
}

WRAP(Improbe, (int from, int tag, MPI_Comm on, int *there, MPI_Message *handle, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE)
        return REAL(Improbe)(from, tag, on, there, handle, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    depth++;
    int result = REAL(Improbe)(from, tag, on, there, handle, status);
    depth--;
    if (*there)
        matches(*handle, from, tag, on, status);
    return result;
}

WRAP(Mrecv, (void *data, int count, MPI_Datatype type, MPI_Message *handle, MPI_Status *status))
{
    struct entry entry;
    const struct communicator *on;
    if (INSIDE || !take_matched(*handle, &entry, &on))
        return REAL(Mrecv)(data, count, type, handle, status);
    CALLED(REAL(Mrecv)(data, count, type, handle, status));
    noted(entry, begin);
    return result;
}

WRAP(Imrecv, (void *data, int count, MPI_Datatype type, MPI_Message *handle, MPI_Request *request))
{
    struct entry entry;
    const struct communicator *on;
    if (INSIDE || !take_matched(*handle, &entry, &on))
        return REAL(Imrecv)(data, count, type, handle, request);
    CALLED(REAL(Imrecv)(data, count, type, handle, request));
    entry.kind = IRECV;
    entry.request = next_request();
    int64_t place = noted(entry, begin);
    opened(*request, entry.request, place, on, 1);
    return result;
}
