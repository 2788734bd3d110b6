/* The two files of a rank, mapped into memory piece by piece; beginning and end of a recording. */
#include "recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PIECE ((int64_t)4 << 20)
#define MOST_NAMES 256

struct stream {
    int file;
    int64_t length;       /* bytes written */
    int64_t begin, mapped; /* what of the file is in memory */
    char *memory;
};

static struct stream entries = {.file = -1}, lists = {.file = -1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[48];
    int64_t calls;
} unused[MOST_NAMES];
static int names;

__thread int depth;

int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int recording(void)
{
    return entries.file >= 0;
}

void *behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "netplace record: the MPI library has no %s\n", name);
        _exit(70);
    }
    return found;
}

static void stop(const char *why)
{
    perror(why);
    if (entries.file >= 0)
        close(entries.file);
    if (lists.file >= 0)
        close(lists.file);
    entries.file = lists.file = -1;
}

static int open_stream(struct stream *stream, const char *folder, int rank, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%07d.%s", folder, rank, ending);
    stream->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (stream->file < 0)
        stop(path);
    return stream->file >= 0;
}

/* Return where the next bytes of a file are to be written. */
static char *room(struct stream *stream, int64_t bytes)
{
    if (!stream->memory || stream->length + bytes > stream->begin + stream->mapped) {
        int64_t page = sysconf(_SC_PAGESIZE);
        if (stream->memory)
            munmap(stream->memory, stream->mapped);
        stream->begin = stream->length / page * page;
        stream->mapped = (stream->length - stream->begin + bytes + PIECE - 1) / PIECE * PIECE;
        stream->memory = MAP_FAILED;
        /* Space is taken now: writing into a mapped hole of a full disk would end the program. */
        if (posix_fallocate(stream->file, stream->begin, stream->mapped) == 0)
            stream->memory =
                mmap(NULL, stream->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, stream->file, stream->begin);
        if (stream->memory == MAP_FAILED) {
            stream->memory = NULL;
            stop("netplace record: no room for more calls, recording ends here");
            return NULL;
        }
    }
    return stream->memory + (stream->length - stream->begin);
}

static void open_streams(int rank, int ranks)
{
    const char *folder = getenv("NETPLACE_RECORDING");
    if (!folder || recording())
        return;
    if (!open_stream(&lists, folder, rank, "lists") || !open_stream(&entries, folder, rank, "calls"))
        return;
    struct entry first = {.kind = BEGUN, .peer = rank, .size = ranks, .begin = now(), .request = 1};
    memcpy(&first.list, "netplace", 8);
    first.end = first.begin;
    write_entry(first, NULL, 0);
}

static void close_streams(void)
{
    struct stream *both[] = {&entries, &lists};
    if (!recording())
        return;
    for (int i = 0; i < 2; i++) {
        if (both[i]->memory)
            munmap(both[i]->memory, both[i]->mapped);
        if (ftruncate(both[i]->file, both[i]->length) != 0)
            perror("netplace record");
        close(both[i]->file);
        both[i]->file = -1;
    }
}

/* Write an entry and its numbers, and return the entry's place; -1 if it could not be written. */
int64_t write_entry(struct entry entry, const int64_t *numbers, int64_t count)
{
    int64_t place = -1;
    pthread_mutex_lock(&lock);
    if (recording()) {
        char *list = count ? room(&lists, count * 8) : NULL;
        char *here = count && !list ? NULL : room(&entries, sizeof entry);
        if (here) {
            uint8_t kind = entry.kind;
            if (count) {
                memcpy(list, numbers, count * 8);
                entry.list = lists.length / 8;
                entry.numbers = count;
                lists.length += count * 8;
            }
            entry.kind = NOTHING;
            memcpy(here, &entry, sizeof entry);
            /* The kind comes last: an entry that is seen is whole. */
            __atomic_store_n((uint8_t *)here, kind, __ATOMIC_RELEASE);
            place = entries.length;
            entries.length += sizeof entry;
        }
    }
    pthread_mutex_unlock(&lock);
    return place;
}

/* Change an entry that was written before. */
void rewrite_entry(int64_t place, void (*change)(struct entry *, const void *), const void *how)
{
    struct entry entry;
    pthread_mutex_lock(&lock);
    if (recording() && place >= 0) {
        if (place >= entries.begin) {
            change((struct entry *)(entries.memory + (place - entries.begin)), how);
        } else if (pread(entries.file, &entry, sizeof entry, place) == (ssize_t)sizeof entry) {
            change(&entry, how);
            if (pwrite(entries.file, &entry, sizeof entry, place) != (ssize_t)sizeof entry)
                perror("netplace record");
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Count a call that cannot be replayed. */
void left_out(const char *function)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < names && strcmp(unused[i].name, function))
        i++;
    if (i == names && names < MOST_NAMES)
        snprintf(unused[names++].name, sizeof unused[0].name, "%s", function);
    if (i < names)
        unused[i].calls++;
    pthread_mutex_unlock(&lock);
}

static void write_left_out(void)
{
    int64_t name[6];
    for (int i = 0; i < names; i++) {
        memcpy(name, unused[i].name, sizeof name);
        struct entry entry = {.kind = LEFT_OUT, .size = unused[i].calls, .request = -1};
        write_entry(entry, name, 6);
    }
}

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
