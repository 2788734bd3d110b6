/* Calls that are counted only and have a count, of type N, or units of a window, of type UNIT. */

COUNTED(NAME(Win_create), (void *base, MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm on, MPI_Win *window),
        (base, size, unit, info, on, window))
COUNTED(NAME(Win_allocate), (MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm on, void *base, MPI_Win *window),
        (size, unit, info, on, base, window))
COUNTED(NAME(Win_allocate_shared), (MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm on, void *base, MPI_Win *window),
        (size, unit, info, on, base, window))

#define ORIGIN const void *data, N count, MPI_Datatype type
#define ROOM void *room, N room_count, MPI_Datatype room_type
#define TARGET int rank, MPI_Aint place, N most, MPI_Datatype its_type
COUNTED(NAME(Put), (ORIGIN, TARGET, MPI_Win window), (data, count, type, rank, place, most, its_type, window))
COUNTED(NAME(Get), (ROOM, TARGET, MPI_Win window), (room, room_count, room_type, rank, place, most, its_type, window))
COUNTED(NAME(Accumulate), (ORIGIN, TARGET, MPI_Op op, MPI_Win window),
        (data, count, type, rank, place, most, its_type, op, window))
COUNTED(NAME(Get_accumulate), (ORIGIN, ROOM, TARGET, MPI_Op op, MPI_Win window),
        (data, count, type, room, room_count, room_type, rank, place, most, its_type, op, window))
COUNTED(NAME(Rput), (ORIGIN, TARGET, MPI_Win window, MPI_Request *request),
        (data, count, type, rank, place, most, its_type, window, request))
COUNTED(NAME(Rget), (ROOM, TARGET, MPI_Win window, MPI_Request *request),
        (room, room_count, room_type, rank, place, most, its_type, window, request))
COUNTED(NAME(Raccumulate), (ORIGIN, TARGET, MPI_Op op, MPI_Win window, MPI_Request *request),
        (data, count, type, rank, place, most, its_type, op, window, request))
COUNTED(NAME(Rget_accumulate), (ORIGIN, ROOM, TARGET, MPI_Op op, MPI_Win window, MPI_Request *request),
        (data, count, type, room, room_count, room_type, rank, place, most, its_type, op, window, request))

/* Reads and writes: those that block, those that do not, and beginnings of collective ones. */
#define OF_FILE(name, buffer, last, result)                                                                        \
    COUNTED(name, (MPI_File file, buffer void *data, N count, MPI_Datatype type last), (file, data, count, type result))
#define OF_FILE_AT(name, buffer, last, result)                                                                     \
    COUNTED(name, (MPI_File file, MPI_Offset place, buffer void *data, N count, MPI_Datatype type last),           \
            (file, place, data, count, type result))
#define COMMA ,
#define STATUS COMMA MPI_Status *status
#define REQUEST COMMA MPI_Request *request
#define READS_OR_WRITES(name, iname, buffer)                                                                       \
    OF_FILE(NAME(File_##name), buffer, STATUS, COMMA status)                                                       \
    OF_FILE(NAME(File_##name##_all), buffer, STATUS, COMMA status)                                                 \
    OF_FILE(NAME(File_##name##_shared), buffer, STATUS, COMMA status)                                              \
    OF_FILE(NAME(File_##name##_ordered), buffer, STATUS, COMMA status)                                             \
    OF_FILE_AT(NAME(File_##name##_at), buffer, STATUS, COMMA status)                                               \
    OF_FILE_AT(NAME(File_##name##_at_all), buffer, STATUS, COMMA status)                                           \
    OF_FILE(NAME(File_##iname), buffer, REQUEST, COMMA request)                                                    \
    OF_FILE(NAME(File_##iname##_all), buffer, REQUEST, COMMA request)                                              \
    OF_FILE(NAME(File_##iname##_shared), buffer, REQUEST, COMMA request)                                           \
    OF_FILE_AT(NAME(File_##iname##_at), buffer, REQUEST, COMMA request)                                            \
    OF_FILE_AT(NAME(File_##iname##_at_all), buffer, REQUEST, COMMA request)                                        \
    OF_FILE(NAME(File_##name##_all_begin), buffer, , )                                                             \
    OF_FILE(NAME(File_##name##_ordered_begin), buffer, , )                                                         \
    OF_FILE_AT(NAME(File_##name##_at_all_begin), buffer, , )
READS_OR_WRITES(read, iread, )
READS_OR_WRITES(write, iwrite, const)

#undef ORIGIN
#undef ROOM
#undef TARGET
#undef OF_FILE
#undef OF_FILE_AT
#undef COMMA
#undef STATUS
#undef REQUEST
#undef READS_OR_WRITES
