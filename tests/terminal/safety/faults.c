/* Injects faults into system calls: a library that is preloaded between a program and the C library.
 *
 *   MYRIAD_FAULTS       what fails: RULE;RULE;… with RULE = CALL:WHICH:WHAT[@PART]
 *                         CALL   a function or a family of them, see FAMILY at each
 *                         WHICH  3 (the third), 3+ (the third and all later ones), * (each); each rule counts separately
 *                         WHAT   EIO and others (fails), delay=500ms (is delayed), short (does half), note (is only logged)
 *                         PART   only calls on paths that contain this count
 *   MYRIAD_FAULTS_WHEN  a path: calls count only while this file exists
 *   MYRIAD_FAULT_LOG    each fault that occurs appends a line to this file: RULE, a blank, FUNCTION, a blank, the path
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define RULES 64
#define TEXT 512

enum what { FAILS, LATE, SHORT, NOTE };

struct rule {
    char said[TEXT];
    char call[64];
    char part[TEXT];
    long which; /* 0: each */
    int onwards;
    enum what what;
    long value; /* of errno, or milliseconds */
    long seen;
};

static struct rule rules[RULES];
static int count;
static const char *when, *log_path;
static long (*kernel)(long, ...);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
    const char *name;
    int value;
} errors[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EBADF", EBADF},   {"EBUSY", EBUSY},   {"EDQUOT", EDQUOT},
    {"EEXIST", EEXIST}, {"EFBIG", EFBIG},   {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"EIO", EIO},
    {"EISDIR", EISDIR}, {"ELOOP", ELOOP},   {"EMFILE", EMFILE}, {"EMLINK", EMLINK}, {"ENAMETOOLONG", ENAMETOOLONG},
    {"ENFILE", ENFILE}, {"ENOENT", ENOENT}, {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
    {"ENOSYS", ENOSYS}, {"ENOTDIR", ENOTDIR}, {"ENOTSUP", ENOTSUP}, {"ENXIO", ENXIO}, {"EPERM", EPERM},
    {"EROFS", EROFS},   {"ESTALE", ESTALE}, {"ETXTBSY", ETXTBSY}, {"EXDEV", EXDEV},
};

/* With an invalid rule a test would pass without testing anything. */
static void wrong(const char *rule) {
    fprintf(stderr, "MYRIAD_FAULTS: what is `%s`?\n", rule);
    _exit(99);
}

static void read_rule(const char *said) {
    struct rule *rule = &rules[count];
    char copy[TEXT];
    if (count == RULES || strlen(said) >= TEXT) wrong(said);
    strcpy(rule->said, said);
    strcpy(copy, said);
    char *part = strchr(copy, '@');
    if (part) {
        *part = 0;
        strcpy(rule->part, part + 1);
    }
    char *which = strchr(copy, ':');
    char *what = which ? strchr(which + 1, ':') : NULL;
    if (!what || which - copy >= (long)sizeof rule->call) wrong(said);
    *which++ = 0;
    *what++ = 0;
    strcpy(rule->call, copy);
    if (strcmp(which, "*") != 0) {
        char *rest;
        rule->which = strtol(which, &rest, 10);
        rule->onwards = *rest == '+';
        if (rule->which < 1 || rest[rule->onwards]) wrong(said);
    }
    if (strncmp(what, "delay=", 6) == 0) {
        char *rest;
        rule->what = LATE;
        rule->value = strtol(what + 6, &rest, 10);
        if (strcmp(rest, "ms") != 0) wrong(said);
    } else if (strcmp(what, "short") == 0) {
        rule->what = SHORT;
    } else if (strcmp(what, "note") == 0) {
        rule->what = NOTE;
    } else {
        rule->what = FAILS;
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
            if (strcmp(what, errors[i].name) == 0) rule->value = errors[i].value;
        if (!rule->value) wrong(said);
    }
    count++;
}

static void begin(void) {
    const char *faults = getenv("MYRIAD_FAULTS");
    when = getenv("MYRIAD_FAULTS_WHEN");
    log_path = getenv("MYRIAD_FAULT_LOG");
    kernel = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (!faults) return;
    char *copy = strdup(faults), *rest = copy, *said;
    while ((said = strsep(&rest, ";")))
        if (*said) read_rule(said);
    free(copy);
}

/* Direct system calls, so that logging is not subject to faults. */
static void note(const struct rule *rule, const char *function, const char *path) {
    char line[3 * TEXT];
    if (!log_path) return;
    int length = snprintf(line, sizeof line, "%s %s %.500s\n", rule->said, function, path);
    int file = kernel(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    kernel(SYS_write, file, line, length);
    kernel(SYS_close, file);
}

static void path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = kernel(SYS_readlinkat, AT_FDCWD, link, path, TEXT - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* The object of a call: one or two paths, or an open file (-1: none). */
struct on {
    const char *path, *other;
    int file;
};

/* Returns the error that a call fails with, or 0. Sets `less` if the call should do half of its work. */
static int strikes(const char *function, const char *family, struct on on, int *less) {
    int error = 0, known = 0;
    long late = 0;
    char open_path[TEXT] = "";
    int before = errno;
    pthread_once(&once, begin);
    for (int i = 0; i < count && !error; i++) {
        struct rule *rule = &rules[i];
        if (strcmp(rule->call, function) != 0 && strcmp(rule->call, family) != 0) continue;
        if (on.file >= 0 && !known) path_of(on.file, open_path);
        known = 1;
        const char *path = on.path ? on.path : open_path;
        if (*rule->part && !strstr(path, rule->part) && !(on.other && strstr(on.other, rule->part))) continue;
        if (when && kernel(SYS_faccessat, AT_FDCWD, when, F_OK) != 0) continue;
        pthread_mutex_lock(&lock);
        long now = ++rule->seen;
        int hit = !rule->which || now == rule->which || (rule->onwards && now > rule->which);
        if (hit) {
            note(rule, function, path);
            if (rule->what == FAILS) error = rule->value;
            if (rule->what == LATE) late += rule->value;
            if (rule->what == SHORT && less) *less = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    if (late) {
        struct timespec time = {late / 1000, late % 1000 * 1000000};
        nanosleep(&time, NULL);
    }
    errno = error ? error : before;
    return error;
}

static struct on at(const char *path) { return (struct on){path, NULL, -1}; }
static struct on from_to(const char *path, const char *other) { return (struct on){path, other, -1}; }
static struct on file_of(int file) { return (struct on){NULL, NULL, file}; }

/* The wrapped function. */
#define REAL(result, name, ...)                                                                                       \
    static result (*real)(__VA_ARGS__);                                                                               \
    if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define PASS(name, family, on, ...)                                                                                   \
    if (strikes(#name, family, on, NULL)) return -1;                                                                  \
    return real(__VA_ARGS__)

/* FAMILY open */
#define MODE(flags)                                                                                                   \
    mode_t mode = 0;                                                                                                  \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {                                                                          \
        va_list more;                                                                                                 \
        va_start(more, flags);                                                                                        \
        mode = va_arg(more, int);                                                                                     \
        va_end(more);                                                                                                 \
    }
int open(const char *path, int flags, ...) {
    MODE(flags)
    REAL(int, open, const char *, int, ...);
    PASS(open, "open", at(path), path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags)
    REAL(int, open64, const char *, int, ...);
    PASS(open64, "open", at(path), path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    REAL(int, openat, int, const char *, int, ...);
    PASS(openat, "open", at(path), folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    REAL(int, openat64, int, const char *, int, ...);
    PASS(openat64, "open", at(path), folder, path, flags, mode);
}

/* FAMILY write */
ssize_t write(int file, const void *bytes, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    int less = 0;
    if (strikes("write", "write", file_of(file), &less)) return -1;
    return real(file, bytes, less ? (size + 1) / 2 : size);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    int less = 0;
    if (strikes("pwrite64", "write", file_of(file), &less)) return -1;
    return real(file, bytes, less ? (size + 1) / 2 : size, place);
}
ssize_t writev(int file, const struct iovec *parts, int many) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    int less = 0;
    if (strikes("writev", "write", file_of(file), &less)) return -1;
    return real(file, parts, less ? (many + 1) / 2 : many);
}
ssize_t copy_file_range(int from, off64_t *there, int to, off64_t *here, size_t size, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
    int less = 0;
    if (strikes("copy_file_range", "write", file_of(to), &less)) return -1;
    return real(from, there, to, here, less ? (size + 1) / 2 : size, flags);
}

/* FAMILY fsync */
int fsync(int file) {
    REAL(int, fsync, int);
    PASS(fsync, "fsync", file_of(file), file);
}
int fdatasync(int file) {
    REAL(int, fdatasync, int);
    PASS(fdatasync, "fsync", file_of(file), file);
}

/* FAMILY truncate */
int ftruncate(int file, off_t size) {
    REAL(int, ftruncate, int, off_t);
    PASS(ftruncate, "truncate", file_of(file), file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    PASS(ftruncate64, "truncate", file_of(file), file, size);
}

/* FAMILY rename */
int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    PASS(rename, "rename", from_to(from, to), from, to);
}
int renameat(int there, const char *from, int here, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    PASS(renameat, "rename", from_to(from, to), there, from, here, to);
}
int renameat2(int there, const char *from, int here, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    PASS(renameat2, "rename", from_to(from, to), there, from, here, to, flags);
}

/* FAMILY link */
int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    PASS(link, "link", from_to(from, to), from, to);
}
int linkat(int there, const char *from, int here, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    PASS(linkat, "link", from_to(from, to), there, from, here, to, flags);
}

/* FAMILY unlink */
int unlink(const char *path) {
    REAL(int, unlink, const char *);
    PASS(unlink, "unlink", at(path), path);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    PASS(unlinkat, "unlink", at(path), folder, path, flags);
}

/* FAMILY mkdir */
int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    PASS(mkdir, "mkdir", at(path), path, mode);
}

/* FAMILY chmod */
int chmod(const char *path, mode_t mode) {
    REAL(int, chmod, const char *, mode_t);
    PASS(chmod, "chmod", at(path), path, mode);
}
int fchmod(int file, mode_t mode) {
    REAL(int, fchmod, int, mode_t);
    PASS(fchmod, "chmod", file_of(file), file, mode);
}
int fchmodat(int folder, const char *path, mode_t mode, int flags) {
    REAL(int, fchmodat, int, const char *, mode_t, int);
    PASS(fchmodat, "chmod", at(path), folder, path, mode, flags);
}

/* FAMILY chown */
int chown(const char *path, uid_t owner, gid_t group) {
    REAL(int, chown, const char *, uid_t, gid_t);
    PASS(chown, "chown", at(path), path, owner, group);
}
int lchown(const char *path, uid_t owner, gid_t group) {
    REAL(int, lchown, const char *, uid_t, gid_t);
    PASS(lchown, "chown", at(path), path, owner, group);
}
int fchown(int file, uid_t owner, gid_t group) {
    REAL(int, fchown, int, uid_t, gid_t);
    PASS(fchown, "chown", file_of(file), file, owner, group);
}
int fchownat(int folder, const char *path, uid_t owner, gid_t group, int flags) {
    REAL(int, fchownat, int, const char *, uid_t, gid_t, int);
    PASS(fchownat, "chown", at(path), folder, path, owner, group, flags);
}

/* FAMILY xattr */
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
    REAL(int, setxattr, const char *, const char *, const void *, size_t, int);
    PASS(setxattr, "xattr", at(path), path, name, value, size, flags);
}
int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    REAL(int, fsetxattr, int, const char *, const void *, size_t, int);
    PASS(fsetxattr, "xattr", file_of(file), file, name, value, size, flags);
}

/* FAMILY allocate; the POSIX form returns its error */
int fallocate(int file, int how, off_t from, off_t size) {
    REAL(int, fallocate, int, int, off_t, off_t);
    PASS(fallocate, "allocate", file_of(file), file, how, from, size);
}
int fallocate64(int file, int how, off64_t from, off64_t size) {
    REAL(int, fallocate64, int, int, off64_t, off64_t);
    PASS(fallocate64, "allocate", file_of(file), file, how, from, size);
}
int posix_fallocate(int file, off_t from, off_t size) {
    REAL(int, posix_fallocate, int, off_t, off_t);
    int error = strikes("posix_fallocate", "allocate", file_of(file), NULL);
    return error ? error : real(file, from, size);
}
int posix_fallocate64(int file, off64_t from, off64_t size) {
    REAL(int, posix_fallocate64, int, off64_t, off64_t);
    int error = strikes("posix_fallocate64", "allocate", file_of(file), NULL);
    return error ? error : real(file, from, size);
}

/* FAMILY close: the file is closed even on an error, as by the kernel */
int close(int file) {
    REAL(int, close, int);
    int error = strikes("close", "close", file_of(file), NULL);
    int done = real(file);
    if (!error) return done;
    errno = error;
    return -1;
}

/* FAMILY flock */
int flock(int file, int how) {
    REAL(int, flock, int, int);
    PASS(flock, "flock", file_of(file), file, how);
}

/* Some libraries make these calls by number. */
long syscall(long number, ...) {
    long value[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) value[i] = va_arg(more, long);
    va_end(more);
    pthread_once(&once, begin);
    int file = value[0];
    const char *path = (const char *)value[1];
    int error = 0;
    switch (number) {
    case SYS_fchmod: error = strikes("fchmod", "chmod", file_of(file), NULL); break;
    case SYS_fchown: error = strikes("fchown", "chown", file_of(file), NULL); break;
    case SYS_fchownat: error = strikes("fchownat", "chown", at(path), NULL); break;
    case SYS_fchmodat: error = strikes("fchmodat", "chmod", at(path), NULL); break;
    case SYS_renameat2: error = strikes("renameat2", "rename", from_to(path, (const char *)value[3]), NULL); break;
    case SYS_copy_file_range: error = strikes("copy_file_range", "write", file_of(value[2]), NULL); break;
    }
    return error ? -1 : kernel(number, value[0], value[1], value[2], value[3], value[4], value[5]);
}
