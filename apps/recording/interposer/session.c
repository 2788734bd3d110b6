/* Beginning and end of a recording. */
#include "recorder.h"

static void begin_recording(void)
{
    int rank, ranks;
    MPI_Comm parent;
    /* Processes that others start have a world of their own, which is not recorded: theirs is that of the files. */
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return;
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
