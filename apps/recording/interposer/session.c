/* Beginning and end of a recording, and calls that are counted only. */
#include "recorder.h"

static void begin_recording(void)
{
    int rank, ranks;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    open_streams(rank, ranks);
    if (recording())
        known(MPI_COMM_WORLD);
}

WRAP(Init, (int *count, char ***words))
{
    depth++;
    int result = REAL(Init)(count, words);
    depth--;
    if (!depth)
        begin_recording();
    return result;
}

WRAP(Init_thread, (int *count, char ***words, int wanted, int *provided))
{
    depth++;
    int result = REAL(Init_thread)(count, words, wanted, provided);
    depth--;
    if (!depth)
        begin_recording();
    return result;
}

static void end_recording(enum kind kind)
{
    write_left_out();
    struct entry last = {.kind = kind, .peer = -1, .request = -1, .begin = now()};
    last.end = last.begin;
    write_entry(last, NULL, 0);
    close_streams();
}

WRAP(Finalize, (void))
{
    if (!INSIDE)
        end_recording(FINALIZED);
    depth++;
    int result = REAL(Finalize)();
    depth--;
    return result;
}

WRAP(Abort, (MPI_Comm on, int code))
{
    if (!INSIDE)
        end_recording(ABORTED);
    depth++;
    return REAL(Abort)(on, code);
}

#define COUNTED(name, arguments, call)                                                                             \
    WRAP(name, arguments)                                                                                          \
    {                                                                                                              \
        if (!INSIDE)                                                                                               \
            left_out("MPI_" #name);                                                                                \
        depth++;                                                                                                   \
        int result = REAL(name) call;                                                                              \
        depth--;                                                                                                   \
        return result;                                                                                             \
    }

/* One-sided. */
#define ORIGIN const void *data, int count, MPI_Datatype type
#define TARGET int rank, MPI_Aint place, int most, MPI_Datatype its_type
COUNTED(Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm on, MPI_Win *window),
        (base, size, unit, info, on, window))
COUNTED(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm on, void *base, MPI_Win *window),
        (size, unit, info, on, base, window))
COUNTED(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm on, void *base, MPI_Win *window),
        (size, unit, info, on, base, window))
COUNTED(Win_create_dynamic, (MPI_Info info, MPI_Comm on, MPI_Win *window), (info, on, window))
COUNTED(Win_free, (MPI_Win * window), (window))
COUNTED(Win_fence, (int check, MPI_Win window), (check, window))
COUNTED(Win_start, (MPI_Group group, int check, MPI_Win window), (group, check, window))
COUNTED(Win_complete, (MPI_Win window), (window))
COUNTED(Win_post, (MPI_Group group, int check, MPI_Win window), (group, check, window))
COUNTED(Win_wait, (MPI_Win window), (window))
COUNTED(Win_lock, (int kind, int rank, int check, MPI_Win window), (kind, rank, check, window))
COUNTED(Win_unlock, (int rank, MPI_Win window), (rank, window))
COUNTED(Win_lock_all, (int check, MPI_Win window), (check, window))
COUNTED(Win_unlock_all, (MPI_Win window), (window))
COUNTED(Put, (ORIGIN, TARGET, MPI_Win window), (data, count, type, rank, place, most, its_type, window))
COUNTED(Get, (void *data, int count, MPI_Datatype type, TARGET, MPI_Win window),
        (data, count, type, rank, place, most, its_type, window))
COUNTED(Accumulate, (ORIGIN, TARGET, MPI_Op op, MPI_Win window),
        (data, count, type, rank, place, most, its_type, op, window))
COUNTED(Get_accumulate,
        (ORIGIN, void *room, int room_count, MPI_Datatype room_type, TARGET, MPI_Op op, MPI_Win window),
        (data, count, type, room, room_count, room_type, rank, place, most, its_type, op, window))
COUNTED(Fetch_and_op,
        (const void *data, void *room, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op, MPI_Win window),
        (data, room, type, rank, place, op, window))
COUNTED(Compare_and_swap,
        (const void *data, const void *compared, void *room, MPI_Datatype type, int rank, MPI_Aint place,
         MPI_Win window),
        (data, compared, room, type, rank, place, window))
COUNTED(Rput, (ORIGIN, TARGET, MPI_Win window, MPI_Request *request),
        (data, count, type, rank, place, most, its_type, window, request))
COUNTED(Rget, (void *data, int count, MPI_Datatype type, TARGET, MPI_Win window, MPI_Request *request),
        (data, count, type, rank, place, most, its_type, window, request))

/* Input and output. */
#define FILE_CALL(name, buffer)                                                                                    \
    COUNTED(name, (MPI_File file, buffer void *data, int count, MPI_Datatype type, MPI_Status *status),            \
            (file, data, count, type, status))
#define FILE_CALL_AT(name, buffer)                                                                                 \
    COUNTED(name,                                                                                                  \
            (MPI_File file, MPI_Offset place, buffer void *data, int count, MPI_Datatype type,                     \
             MPI_Status *status),                                                                                  \
            (file, place, data, count, type, status))
COUNTED(File_open, (MPI_Comm on, const char *path, int mode, MPI_Info info, MPI_File *file),
        (on, path, mode, info, file))
COUNTED(File_close, (MPI_File * file), (file))
COUNTED(File_set_view,
        (MPI_File file, MPI_Offset place, MPI_Datatype type, MPI_Datatype view, const char *form, MPI_Info info),
        (file, place, type, view, form, info))
FILE_CALL(File_read, )
FILE_CALL(File_read_all, )
FILE_CALL(File_read_shared, )
FILE_CALL(File_write, const)
FILE_CALL(File_write_all, const)
FILE_CALL(File_write_shared, const)
FILE_CALL_AT(File_read_at, )
FILE_CALL_AT(File_read_at_all, )
FILE_CALL_AT(File_write_at, const)
FILE_CALL_AT(File_write_at_all, const)

/* Collectives of neighbours in a topology. */
COUNTED(Neighbor_allgather,
        (ORIGIN, void *room, int most, MPI_Datatype room_type, MPI_Comm on),
        (data, count, type, room, most, room_type, on))
COUNTED(Neighbor_alltoall,
        (ORIGIN, void *room, int most, MPI_Datatype room_type, MPI_Comm on),
        (data, count, type, room, most, room_type, on))
COUNTED(Neighbor_allgatherv,
        (ORIGIN, void *room, const int mosts[], const int places[], MPI_Datatype room_type, MPI_Comm on),
        (data, count, type, room, mosts, places, room_type, on))
COUNTED(Neighbor_alltoallv,
        (const void *data, const int counts[], const int places[], MPI_Datatype type, void *room,
         const int mosts[], const int room_places[], MPI_Datatype room_type, MPI_Comm on),
        (data, counts, places, type, room, mosts, room_places, room_type, on))
