/* Calls that are counted only: one-sided and partitioned ones, files, and processes that are started later. */
#include "recorder.h"

/* Processes of another world. */
COUNTED(Comm_spawn,
        (const char *command, char *words[], int most, MPI_Info info, int root, MPI_Comm on, MPI_Comm *made_one,
         int codes[]),
        (command, words, most, info, root, on, made_one, codes))
COUNTED(Comm_spawn_multiple,
        (int count, char *commands[], char **words[], const int most[], const MPI_Info infos[], int root, MPI_Comm on,
         MPI_Comm *made_one, int codes[]),
        (count, commands, words, most, infos, root, on, made_one, codes))
COUNTED(Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm on, MPI_Comm *made_one),
        (port, info, root, on, made_one))
COUNTED(Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm on, MPI_Comm *made_one),
        (port, info, root, on, made_one))
COUNTED(Comm_join, (int socket, MPI_Comm *made_one), (socket, made_one))

/* One-sided. */
COUNTED(Win_create_dynamic, (MPI_Info info, MPI_Comm on, MPI_Win *window), (info, on, window))
COUNTED(Win_attach, (MPI_Win window, void *base, MPI_Aint size), (window, base, size))
COUNTED(Win_detach, (MPI_Win window, const void *base), (window, base))
COUNTED(Win_free, (MPI_Win * window), (window))
COUNTED(Win_fence, (int check, MPI_Win window), (check, window))
COUNTED(Win_start, (MPI_Group group, int check, MPI_Win window), (group, check, window))
COUNTED(Win_complete, (MPI_Win window), (window))
COUNTED(Win_post, (MPI_Group group, int check, MPI_Win window), (group, check, window))
COUNTED(Win_wait, (MPI_Win window), (window))
COUNTED(Win_test, (MPI_Win window, int *is_over), (window, is_over))
COUNTED(Win_lock, (int kind, int rank, int check, MPI_Win window), (kind, rank, check, window))
COUNTED(Win_unlock, (int rank, MPI_Win window), (rank, window))
COUNTED(Win_lock_all, (int check, MPI_Win window), (check, window))
COUNTED(Win_unlock_all, (MPI_Win window), (window))
COUNTED(Win_flush, (int rank, MPI_Win window), (rank, window))
COUNTED(Win_flush_all, (MPI_Win window), (window))
COUNTED(Win_flush_local, (int rank, MPI_Win window), (rank, window))
COUNTED(Win_flush_local_all, (MPI_Win window), (window))
COUNTED(Win_sync, (MPI_Win window), (window))
COUNTED(Fetch_and_op,
        (const void *data, void *room, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op, MPI_Win window),
        (data, room, type, rank, place, op, window))
COUNTED(Compare_and_swap,
        (const void *data, const void *compared, void *room, MPI_Datatype type, int rank, MPI_Aint place,
         MPI_Win window),
        (data, compared, room, type, rank, place, window))

#if HAS_MPI_4
COUNTED(Psend_init,
        (const void *data, int parts, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm on, MPI_Info info,
         MPI_Request *request),
        (data, parts, count, type, to, tag, on, info, request))
COUNTED(Precv_init,
        (void *data, int parts, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm on, MPI_Info info,
         MPI_Request *request),
        (data, parts, count, type, from, tag, on, info, request))
COUNTED(Pready, (int part, MPI_Request request), (part, request))
COUNTED(Pready_range, (int first, int last, MPI_Request request), (first, last, request))
COUNTED(Parrived, (MPI_Request request, int part, int *has), (request, part, has))
/* Its list is constant in some releases and not in others, so C must not compare this one with what mpi.h declares. */
typedef int pready_list(int length, const int parts[], MPI_Request request);
pready_list counted_pready_list __asm__("MPI_Pready_list");
pready_list counted_pready_list_of_the_library __asm__("PMPI_Pready_list") __attribute__((alias("MPI_Pready_list")));
int counted_pready_list(int length, const int parts[], MPI_Request request)
{
    COUNT(Pready_list);
    depth++;
    int result = ((pready_list *)behind("PMPI_Pready_list"))(length, parts, request);
    depth--;
    return result;
}
#endif

/* Files. */
#define ENDS(name, buffer) COUNTED(name, (MPI_File file, buffer, MPI_Status *status), (file, data, status))
COUNTED(File_open, (MPI_Comm on, const char *path, int mode, MPI_Info info, MPI_File *file),
        (on, path, mode, info, file))
COUNTED(File_close, (MPI_File * file), (file))
COUNTED(File_set_view,
        (MPI_File file, MPI_Offset place, MPI_Datatype type, MPI_Datatype view, const char *form, MPI_Info info),
        (file, place, type, view, form, info))
COUNTED(File_set_size, (MPI_File file, MPI_Offset size), (file, size))
COUNTED(File_preallocate, (MPI_File file, MPI_Offset size), (file, size))
COUNTED(File_sync, (MPI_File file), (file))
ENDS(File_read_all_end, void *data)
ENDS(File_read_at_all_end, void *data)
ENDS(File_read_ordered_end, void *data)
ENDS(File_write_all_end, const void *data)
ENDS(File_write_at_all_end, const void *data)
ENDS(File_write_ordered_end, const void *data)

#define N int
#define UNIT int
#define NAME(name) name
#include "counted_counts.h"
#if HAS_LARGE_COUNTS
#undef N
#undef UNIT
#undef NAME
#define N MPI_Count
#define UNIT MPI_Aint
#define NAME(name) name##_c
#include "counted_counts.h"
#endif
