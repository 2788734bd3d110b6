
program ring
  use mpi
  implicit none
  integer :: code, rank, ranks, status(MPI_STATUS_SIZE), request
  double precision :: out(100), in(100), total
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  out = rank
  call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, request, code)
  call MPI_Send(out, 100, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 5, MPI_COMM_WORLD, code)
  call MPI_Wait(request, status, code)
  call MPI_Allreduce(in(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
end program
