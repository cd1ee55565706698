/* Calls of the C library that fail, or kill the process, when a test says so: loaded before it (LD_PRELOAD).

   faults_arm(n, code) lets the nth call from now on fail with that errno, faults_arm(n, -code) all of that name from
   there on as well, and faults_arm(n, 0) kills the process just before it. Standard streams are left alone. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct report { long calls; char name[16]; };

static struct report *report; /* shared with the parent, which reads it when a child has ended */
static volatile long left;
static int error;

__attribute__((constructor)) static void begin(void)
{
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void faults_arm(long n, int code)
{
    left = n;
    error = code;
    if (n > 0) {
        report->calls = 0;
        report->name[0] = 0;
    }
}

long faults_calls(void) { return report->calls; }
const char *faults_name(void) { return report->name; }

static int fails(const char *name)
{
    if (left == 0)
        return 0;
    if (left < 0) { /* it has failed once */
        if (error < 0 && !strcmp(report->name, name)) {
            errno = -error;
            return 1;
        }
        return 0;
    }
    report->calls++;
    if (--left)
        return 0;
    left = -1;
    strncpy(report->name, name, sizeof report->name - 1);
    if (error == 0)
        kill(getpid(), SIGKILL);
    errno = error < 0 ? -error : error;
    return 1;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define CALL(type, failure, name, shown, parameters, arguments) \
    type name parameters { REAL(name); return fails(shown) ? failure : real arguments; }
#define STREAMS(type, name, shown, parameters, arguments) \
    type name parameters { REAL(name); return fd > 2 && fails(shown) ? -1 : real arguments; }
#define OPEN(name, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return fails(flags & O_CREAT ? "create" : "open") ? -1 : real arguments; \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
STREAMS(ssize_t, read, "read", (int fd, void *to, size_t n), (fd, to, n))
STREAMS(ssize_t, pread, "read", (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
STREAMS(ssize_t, pread64, "read", (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
STREAMS(ssize_t, write, "write", (int fd, const void *from, size_t n), (fd, from, n))
STREAMS(ssize_t, pwrite, "write", (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
STREAMS(ssize_t, pwrite64, "write", (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
STREAMS(ssize_t, writev, "write", (int fd, const struct iovec *from, int n), (fd, from, n))
STREAMS(int, fsync, "fsync", (int fd), (fd))
STREAMS(int, fdatasync, "fsync", (int fd), (fd))
STREAMS(int, ftruncate, "truncate", (int fd, off_t size), (fd, size))
STREAMS(int, ftruncate64, "truncate", (int fd, off64_t size), (fd, size))
STREAMS(int, flock, "flock", (int fd, int how), (fd, how))
STREAMS(int, fchmod, "chmod", (int fd, mode_t mode), (fd, mode))
STREAMS(int, fstat, "stat", (int fd, struct stat *to), (fd, to))
STREAMS(int, fstat64, "stat", (int fd, struct stat64 *to), (fd, to))
STREAMS(off_t, lseek, "seek", (int fd, off_t at, int from), (fd, at, from))
STREAMS(off64_t, lseek64, "seek", (int fd, off64_t at, int from), (fd, at, from))
CALL(int, -1, rename, "rename", (const char *from, const char *to), (from, to))
CALL(int, -1, unlink, "unlink", (const char *path), (path))
CALL(int, -1, mkdir, "mkdir", (const char *path, mode_t mode), (path, mode))
CALL(int, -1, chmod, "chmod", (const char *path, mode_t mode), (path, mode))
CALL(int, -1, fchmodat, "chmod", (int folder, const char *path, mode_t mode, int how), (folder, path, mode, how))
CALL(int, -1, stat, "stat", (const char *path, struct stat *to), (path, to))
CALL(int, -1, stat64, "stat", (const char *path, struct stat64 *to), (path, to))
CALL(int, -1, lstat, "lstat", (const char *path, struct stat *to), (path, to))
CALL(int, -1, lstat64, "lstat", (const char *path, struct stat64 *to), (path, to))
CALL(int, -1, fstatat64, "stat", (int at, const char *path, struct stat64 *to, int how), (at, path, to, how))
CALL(ssize_t, -1, readlink, "readlink", (const char *path, char *to, size_t n), (path, to, n))
CALL(struct dirent64 *, NULL, readdir64, "readdir", (DIR *folder), (folder))
CALL(DIR *, NULL, opendir, "opendir", (const char *path), (path))

/* A file that is closed is closed, whatever is said of it. */
int close(int fd)
{
    REAL(close);
    int failed = fd > 2 && fails("close"), code = errno, done = real(fd);
    if (failed)
        errno = code;
    return failed ? -1 : done;
}

void *mmap64(void *at, size_t n, int how, int flags, int fd, off64_t from)
{
    REAL(mmap64);
    return fd > 2 && fails("mmap") ? MAP_FAILED : real(at, n, how, flags, fd, from);
}
