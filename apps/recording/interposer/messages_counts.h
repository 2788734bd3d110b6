/* Messages whose functions have a count, of type N. */

#define SENDS(name)                                                                                                \
    WRAP(name, (const void *data, N count, MPI_Datatype type, int to, int tag, MPI_Comm on))                       \
    {                                                                                                              \
        if (INSIDE || to == MPI_PROC_NULL)                                                                         \
            return REAL(name)(data, count, type, to, tag, on);                                                     \
        CALLED(REAL(name)(data, count, type, to, tag, on));                                                        \
        noted_send(on, to, tag, bytes_of(count, type), begin);                                                     \
        return result;                                                                                             \
    }

SENDS(NAME(Send))
SENDS(NAME(Bsend))
SENDS(NAME(Ssend))
SENDS(NAME(Rsend))

#define SENDS_OPEN(name, is_persistent)                                                                            \
    WRAP(name, (const void *data, N count, MPI_Datatype type, int to, int tag, MPI_Comm on, MPI_Request *request)) \
    {                                                                                                              \
        if (INSIDE || to == MPI_PROC_NULL)                                                                         \
            return REAL(name)(data, count, type, to, tag, on, request);                                            \
        CALLED(REAL(name)(data, count, type, to, tag, on, request));                                               \
        noted_open(ISEND, on, to, tag, bytes_of(count, type), begin, request, is_persistent);                      \
        return result;                                                                                             \
    }

SENDS_OPEN(NAME(Isend), 0)
SENDS_OPEN(NAME(Ibsend), 0)
SENDS_OPEN(NAME(Issend), 0)
SENDS_OPEN(NAME(Irsend), 0)
SENDS_OPEN(NAME(Send_init), 1)
SENDS_OPEN(NAME(Bsend_init), 1)
SENDS_OPEN(NAME(Ssend_init), 1)
SENDS_OPEN(NAME(Rsend_init), 1)

WRAP(NAME(Recv), (void *data, N count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Status *status))
{
    MPI_Status own;
    if (INSIDE || from == MPI_PROC_NULL)
        return REAL(NAME(Recv))(data, count, type, from, tag, on, status);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    CALLED(REAL(NAME(Recv))(data, count, type, from, tag, on, status));
    noted_receive(on, from, tag, bytes_of(count, type), result == MPI_SUCCESS ? status : NULL, begin);
    return result;
}

#define RECEIVES_OPEN(name, is_persistent)                                                                         \
    WRAP(name, (void *data, N count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Request *request))     \
    {                                                                                                              \
        if (INSIDE || from == MPI_PROC_NULL)                                                                       \
            return REAL(name)(data, count, type, from, tag, on, request);                                          \
        CALLED(REAL(name)(data, count, type, from, tag, on, request));                                             \
        noted_open(IRECV, on, from, tag, bytes_of(count, type), begin, request, is_persistent);                    \
        return result;                                                                                             \
    }

RECEIVES_OPEN(NAME(Irecv), 0)
RECEIVES_OPEN(NAME(Recv_init), 1)

#define OUT_AND_IN                                                                                                 \
    const void *data, N count, MPI_Datatype type, int to, int tag, void *room, N most, MPI_Datatype room_type,     \
        int from, int room_tag, MPI_Comm on
#define REPLACED void *data, N count, MPI_Datatype type, int to, int tag, int from, int room_tag, MPI_Comm on

#define SENDS_AND_RECEIVES(name, most, room_type, parameters, ...)                                                 \
    WRAP(name, (parameters, MPI_Status *status))                                                                   \
    {                                                                                                              \
        MPI_Status own;                                                                                            \
        if (INSIDE || (to == MPI_PROC_NULL && from == MPI_PROC_NULL))                                              \
            return REAL(name)(__VA_ARGS__, status);                                                                \
        status = status == MPI_STATUS_IGNORE ? &own : status;                                                      \
        CALLED(REAL(name)(__VA_ARGS__, status));                                                                   \
        struct both both = {to, tag, from, room_tag, bytes_of(count, type), bytes_of(most, room_type)};            \
        noted_both(both, on, status, begin);                                                                       \
        return result;                                                                                             \
    }

SENDS_AND_RECEIVES(NAME(Sendrecv), most, room_type, OUT_AND_IN, data, count, type, to, tag, room, most, room_type,
                   from, room_tag, on)
SENDS_AND_RECEIVES(NAME(Sendrecv_replace), count, type, REPLACED, data, count, type, to, tag, from, room_tag, on)

#if HAS_MPI_4
#define SENDS_AND_RECEIVES_OPEN(name, most, room_type, parameters, ...)                                            \
    WRAP(name, (parameters, MPI_Request *request))                                                                 \
    {                                                                                                              \
        if (INSIDE || (to == MPI_PROC_NULL && from == MPI_PROC_NULL))                                              \
            return REAL(name)(__VA_ARGS__, request);                                                               \
        CALLED(REAL(name)(__VA_ARGS__, request));                                                                  \
        struct both both = {to, tag, from, room_tag, bytes_of(count, type), bytes_of(most, room_type)};            \
        noted_both_open(both, on, begin, request);                                                                 \
        return result;                                                                                             \
    }

SENDS_AND_RECEIVES_OPEN(NAME(Isendrecv), most, room_type, OUT_AND_IN, data, count, type, to, tag, room, most,
                        room_type, from, room_tag, on)
SENDS_AND_RECEIVES_OPEN(NAME(Isendrecv_replace), count, type, REPLACED, data, count, type, to, tag, from, room_tag,
                        on)
#undef SENDS_AND_RECEIVES_OPEN
#endif

WRAP(NAME(Mrecv), (void *data, N count, MPI_Datatype type, MPI_Message *handle, MPI_Status *status))
{
    struct entry entry;
    const struct communicator *on;
    if (INSIDE || !take_matched(*handle, &entry, &on))
        return REAL(NAME(Mrecv))(data, count, type, handle, status);
    CALLED(REAL(NAME(Mrecv))(data, count, type, handle, status));
    noted(entry, begin);
    return result;
}

WRAP(NAME(Imrecv), (void *data, N count, MPI_Datatype type, MPI_Message *handle, MPI_Request *request))
{
    struct acts acts = {.length = 1};
    if (INSIDE || !take_matched(*handle, &acts.act[0].entry, &acts.on))
        return REAL(NAME(Imrecv))(data, count, type, handle, request);
    CALLED(REAL(NAME(Imrecv))(data, count, type, handle, request));
    acts.act[0].entry.kind = IRECV;
    done(&acts, begin, request, 0);
    return result;
}

#undef SENDS
#undef SENDS_OPEN
#undef RECEIVES_OPEN
#undef OUT_AND_IN
#undef REPLACED
#undef SENDS_AND_RECEIVES
