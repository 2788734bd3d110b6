/* A program that counts its own messages, for the tests of the recorder: wildcards, all ways to complete requests,
 * probes, cancelled and persistent requests, messages to nobody and to oneself. It prints, for each rank,
 * "P2P source destination messages bytes" of what it sent and "GOT receiver source messages bytes" of what it received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int me, ranks;
static long sent[64], sent_bytes[64], got[64], got_bytes[64];

static void out(int to, long bytes)
{
    sent[to]++;
    sent_bytes[to] += bytes;
}

static void in(MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    got[status->MPI_SOURCE]++;
    got_bytes[status->MPI_SOURCE] += bytes;
}

int main(int count, char **words)
{
    char data[4000], room[4000];
    MPI_Request requests[80];
    MPI_Status status, statuses[80];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;

    /* Rank 0 takes from anybody, shorter messages than it has room for; half of them after a probe. */
    if (me == 0) {
        for (int i = 1; i < ranks; i++) {
            if (i % 2) {
                MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
                MPI_Recv(room, 4000, MPI_CHAR, status.MPI_SOURCE, 5, MPI_COMM_WORLD, &status);
            } else {
                MPI_Recv(room, 4000, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
            }
            in(&status);
        }
    } else {
        MPI_Send(data, 10 * me, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
        out(0, 10 * me);
    }

    /* A matched probe, and any tag. */
    MPI_Isend(data, 7 + me, MPI_CHAR, next, 30 + me, MPI_COMM_WORLD, &requests[0]);
    out(next, 7 + me);
    MPI_Message message;
    MPI_Mprobe(last, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(room, 4000, MPI_CHAR, &message, &status);
    in(&status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    /* All with all, completed by Waitany, Waitsome, Testall and statuses that nobody wants, in turn. */
    for (int way = 0; way < 4; way++) {
        int open = 0;
        for (int i = 0; i < ranks; i++) {
            MPI_Irecv(room + 100 * i, 100, MPI_CHAR, way == 3 ? i : MPI_ANY_SOURCE, way, MPI_COMM_WORLD,
                      &requests[open++]);
        }
        for (int i = 0; i < ranks; i++) {
            if (way % 2)
                MPI_Issend(data, 20 + way, MPI_CHAR, i, way, MPI_COMM_WORLD, &requests[open++]);
            else
                MPI_Isend(data, 20 + way, MPI_CHAR, i, way, MPI_COMM_WORLD, &requests[open++]);
            out(i, 20 + way);
        }
        requests[open++] = MPI_REQUEST_NULL;
        MPI_Irecv(room, 4, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[open++]);
        if (way == 0) {
            for (int index, i = 0; i < open - 1; i++) {
                MPI_Waitany(open, requests, &index, &status);
                if (index < ranks)
                    in(&status);
            }
        } else if (way == 1) {
            int done, indices[80];
            while (MPI_Waitsome(open, requests, &done, indices, statuses), done != MPI_UNDEFINED)
                for (int i = 0; i < done; i++)
                    if (indices[i] < ranks)
                        in(&statuses[i]);
        } else if (way == 2) {
            int done = 0;
            while (!done)
                MPI_Testall(open, requests, &done, statuses);
            for (int i = 0; i < ranks; i++)
                in(&statuses[i]);
        } else {
            MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < ranks; i++) {
                got[i]++;
                got_bytes[i] += 23;
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    /* A receive that is cancelled, a send to nobody, a persistent pair started three times. */
    int cancelled;
    MPI_Irecv(room, 4, MPI_CHAR, next, 999, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Send(data, 9, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Send_init(data, 50, MPI_INT, last, 2, twin, &requests[0]);
    MPI_Recv_init(room, 900, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        out(last, 200);
        int done = 0;
        while (!done)
            MPI_Test(&requests[1], &done, &status);
        in(&status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Barrier(twin);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&twin);

    MPI_Sendrecv(data, 5, MPI_DOUBLE, next, 1, room, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    out(next, 40);
    in(&status);
    MPI_Finalize();
    for (int i = 0; i < ranks; i++) {
        if (sent[i])
            printf("P2P %d %d %ld %ld\n", me, i, sent[i], sent_bytes[i]);
        if (got[i])
            printf("GOT %d %d %ld %ld\n", me, i, got[i], got_bytes[i]);
    }
    return cancelled ? 0 : 3;
}
