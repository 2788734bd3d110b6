/* Collectives whose functions have counts, of type N, and displacements, of type D. */

#define OUT const void *data, N count, MPI_Datatype type
#define IN void *room, N most, MPI_Datatype room_type
#define OUTS const void *data, const N counts[], const D places[], MPI_Datatype type
#define INS void *room, const N mosts[], const D room_places[], MPI_Datatype room_type

FORMS(Bcast, Ibcast, (void *data, N count, MPI_Datatype type, int root, MPI_Comm on), (data, count, type, root, on),
      broadcasts(&acts, root, role_of(root, on), bytes_of(count, type)))

/* What is given or got counts only where it is said to: at the root, or elsewhere. */
FORMS(Gather, Igather, (OUT, IN, int root, MPI_Comm on), (data, count, type, room, most, room_type, root, on),
      enum role role = role_of(root, on);
      gathers(&acts, GATHER, root, role, role == OTHER ? bytes_of(count, type) : 0,
              role == ROOT ? EACH(most, room_type) : NULL))
FORMS(Gatherv, Igatherv, (OUT, INS, int root, MPI_Comm on),
      (data, count, type, room, mosts, room_places, room_type, root, on), enum role role = role_of(root, on);
      gathers(&acts, GATHERV, root, role, role == OTHER ? bytes_of(count, type) : 0, LIST(mosts, room_type)))
FORMS(Scatter, Iscatter, (OUT, IN, int root, MPI_Comm on), (data, count, type, room, most, room_type, root, on),
      enum role role = role_of(root, on);
      scatters(&acts, SCATTER, root, role, role == OTHER ? bytes_of(most, room_type) : 0,
               role == ROOT ? EACH(count, type) : NULL))
FORMS(Scatterv, Iscatterv, (OUTS, IN, int root, MPI_Comm on),
      (data, counts, places, type, room, most, room_type, root, on), enum role role = role_of(root, on);
      scatters(&acts, SCATTERV, root, role, role == OTHER ? bytes_of(most, room_type) : 0, LIST(counts, type)))

/* In place nothing is said of what is given, which is not allowed between two groups. */
#define GIVEN(count, type, most, room_type) (data == MPI_IN_PLACE ? EACH(most, room_type) : EACH(count, type))
FORMS(Allgather, Iallgather, (OUT, IN, MPI_Comm on), (data, count, type, room, most, room_type, on),
      exchanges(&acts, ALLGATHER, EACH(most, room_type), GIVEN(count, type, most, room_type)))
FORMS(Allgatherv, Iallgatherv, (OUT, INS, MPI_Comm on), (data, count, type, room, mosts, room_places, room_type, on),
      exchanges(&acts, ALLGATHERV, LIST(mosts, room_type), GIVEN(count, type, 0, room_type)))
FORMS(Alltoall, Ialltoall, (OUT, IN, MPI_Comm on), (data, count, type, room, most, room_type, on),
      exchanges(&acts, ALLTOALL, EACH(most, room_type), GIVEN(count, type, most, room_type)))
FORMS(Alltoallv, Ialltoallv, (OUTS, INS, MPI_Comm on),
      (data, counts, places, type, room, mosts, room_places, room_type, on),
      exchanges(&acts, ALLTOALLV, LIST(mosts, room_type),
                data == MPI_IN_PLACE ? LIST(mosts, room_type) : LIST(counts, type)))
FORMS(Alltoallw, Ialltoallw,
      (const void *data, const N counts[], const D places[], const MPI_Datatype types[], void *room, const N mosts[],
       const D room_places[], const MPI_Datatype room_types[], MPI_Comm on),
      (data, counts, places, types, room, mosts, room_places, room_types, on),
      exchanges(&acts, ALLTOALLW, LIST_OF_TYPES(mosts, room_types),
                data == MPI_IN_PLACE ? LIST_OF_TYPES(mosts, room_types) : LIST_OF_TYPES(counts, types)))

#define REDUCES const void *data, void *room, N count, MPI_Datatype type, MPI_Op op
FORMS(Reduce, Ireduce, (REDUCES, int root, MPI_Comm on), (data, room, count, type, op, root, on),
      reduces(&acts, root, role_of(root, on), bytes_of(count, type)))
#define REDUCTION(name, iname, operation)                                                                          \
    FORMS(name, iname, (REDUCES, MPI_Comm on), (data, room, count, type, op, on),                                  \
          reduces_for_all(&acts, operation, EACH(count, type)))
REDUCTION(Allreduce, Iallreduce, ALLREDUCE)
REDUCTION(Scan, Iscan, SCAN)
REDUCTION(Exscan, Iexscan, EXSCAN)
REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK)
FORMS(Reduce_scatter, Ireduce_scatter,
      (const void *data, void *room, const N counts[], MPI_Datatype type, MPI_Op op, MPI_Comm on),
      (data, room, counts, type, op, on), reduces_for_all(&acts, REDUCE_SCATTER, LIST(counts, type)))

FORMS(Neighbor_allgather, Ineighbor_allgather, (OUT, IN, MPI_Comm on), (data, count, type, room, most, room_type, on),
      exchanges_with_neighbours(&acts, on, EACH(most, room_type), EACH(count, type)))
FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, (OUT, INS, MPI_Comm on),
      (data, count, type, room, mosts, room_places, room_type, on),
      exchanges_with_neighbours(&acts, on, LIST(mosts, room_type), EACH(count, type)))
FORMS(Neighbor_alltoall, Ineighbor_alltoall, (OUT, IN, MPI_Comm on), (data, count, type, room, most, room_type, on),
      exchanges_with_neighbours(&acts, on, EACH(most, room_type), EACH(count, type)))
FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, (OUTS, INS, MPI_Comm on),
      (data, counts, places, type, room, mosts, room_places, room_type, on),
      exchanges_with_neighbours(&acts, on, LIST(mosts, room_type), LIST(counts, type)))
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
      (const void *data, const N counts[], const MPI_Aint places[], const MPI_Datatype types[], void *room,
       const N mosts[], const MPI_Aint room_places[], const MPI_Datatype room_types[], MPI_Comm on),
      (data, counts, places, types, room, mosts, room_places, room_types, on),
      exchanges_with_neighbours(&acts, on, LIST_OF_TYPES(mosts, room_types), LIST_OF_TYPES(counts, types)))

#undef OUT
#undef IN
#undef OUTS
#undef INS
#undef GIVEN
#undef REDUCES
#undef REDUCTION
