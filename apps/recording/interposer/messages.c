/* Messages from rank to rank, in all modes. */
#include "recorder.h"

static struct entry message(enum kind kind, const struct communicator *on, int peer, int tag, int64_t size)
{
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
static void noted(struct entry entry, int64_t begin)
{
    entry.begin = begin;
    entry.end = now();
    write_entry(entry, NULL, 0);
}

/* Write down a receive that has just returned; where there is no status, as it was called. */
static void noted_receive(MPI_Comm handle, int from, int tag, int64_t room, const MPI_Status *status, int64_t begin)
{
    const struct communicator *on = kept(handle);
    if (!on)
        return;
    struct entry entry = message(RECV, on, from, tag, room);
    noted(status ? received(entry, on, status) : entry, begin);
}

static void noted_send(MPI_Comm handle, int to, int tag, int64_t size, int64_t begin)
{
    const struct communicator *on = kept(handle);
    if (on)
        noted(message(SEND, on, to, tag, size), begin);
}

/* Write down a call that is waited for later, or started then. */
static void noted_open(enum kind kind, MPI_Comm handle, int peer, int tag, int64_t size, int64_t begin,
                       MPI_Request *request, int is_persistent)
{
    const struct communicator *on = kept(handle);
    struct acts acts = {.on = on, .length = on != NULL};
    if (on)
        acts.act[0].entry = message(kind, on, peer, tag, size);
    done(&acts, begin, request, is_persistent);
}

/* The two messages of a call that sends and receives: the receive first. */
struct both {
    int to, tag, from, room_tag;
    int64_t size, room;
};

/* A send and a receive at once are a receive that is open while the send goes out. */
static void noted_both(struct both both, MPI_Comm handle, const MPI_Status *status, int64_t begin)
{
    const struct communicator *on = kept(handle);
    int64_t end = now();
    if (!on)
        return;
    struct entry in = message(IRECV, on, both.from, both.room_tag, both.room);
    struct entry out = message(SEND, on, both.to, both.tag, both.size);
    in.request = next_requests(1);
    if (both.from != MPI_PROC_NULL) {
        in = received(in, on, status);
        in.begin = in.end = begin;
        write_entry(in, NULL, 0);
    }
    if (both.to != MPI_PROC_NULL) {
        out.begin = begin;
        out.end = both.from == MPI_PROC_NULL ? end : begin;
        write_entry(out, NULL, 0);
    }
    if (both.from != MPI_PROC_NULL) {
        struct entry wait = {.kind = WAIT, .peer = -1, .request = in.request, .begin = begin, .end = end};
        write_entry(wait, NULL, 0);
    }
}

#if HAS_MPI_4
static void noted_both_open(struct both both, MPI_Comm handle, int64_t begin, MPI_Request *request)
{
    const struct communicator *on = kept(handle);
    struct acts acts = {.on = on, .has_no_status = 1};
    if (on && both.from != MPI_PROC_NULL)
        acts.act[acts.length++].entry = message(IRECV, on, both.from, both.room_tag, both.room);
    if (on && both.to != MPI_PROC_NULL)
        acts.act[acts.length++].entry = message(ISEND, on, both.to, both.tag, both.size);
    done(&acts, begin, request, 0);
}
#endif

/* Persistent requests: nothing is sent before a start, and each start is a message, or a collective. */

static void started(MPI_Request handle, int64_t begin)
{
    struct request *request = find_request(handle);
    if (request && request->acts)
        write_acts(request->acts, begin, 1, request);
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

static void matches(MPI_Message handle, int from, int tag, MPI_Comm comm, const MPI_Status *status)
{
    const struct communicator *on = known(comm);
    if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC || on->is_foreign)
        return;
    struct matched *one = malloc(sizeof *one);
    *one = (struct matched){handle, received(message(RECV, on, from, tag, 0), on, status), on, matched};
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

#define N int
#define NAME(name) name
#include "messages_counts.h"
#if HAS_LARGE_COUNTS
#undef N
#undef NAME
#define N MPI_Count
#define NAME(name) name##_c
#include "messages_counts.h"
#endif
