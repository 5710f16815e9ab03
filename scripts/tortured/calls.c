/* A preloaded library that makes system calls fail, or records the calls that change files.

   TORTURE_FAIL=KIND:AFTER:COUNT:WHERE   after AFTER calls of a kind, COUNT of them fail:
       space, io      writes to files, syncs and renames          ENOSPC, EIO
       files          open                                        EMFILE
       memory         mmap of 1 MiB or more, new threads          ENOMEM, EAGAIN
       processes      new processes                               EAGAIN
       interrupted    reads, writes, polls: every third           EINTR
       short          reads and writes: every other, by half      no error
     WHERE is program, worker or compiler.
   TORTURE_RECORD=FOLDER:LOG             every change of a file below FOLDER is appended to LOG.

   Each process counts its own calls. Records are lines of words: `write INODE OFFSET BYTES` (the
   bytes in hexadecimal digits), `length INODE BYTES`, `sync INODE`, `fresh INODE` (a new file or
   folder), and `names FOLDER NAME:INODE:file|folder ...`. The last lists all entries of a folder,
   after each change of the folder and before it is synced. So it also shows renames that bypass
   this library. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { none, space, io, files, memory, processes, interrupted, short_ };
static const char *const kinds[] = {"",       "space",     "io",          "files",
                                    "memory", "processes", "interrupted", "short"};
static enum kind fails;
static long after, count, seen;
static char root[PATH_MAX];
static int record = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* What this process is: program, worker, compiler, or nothing of these. */
static const char *who(void)
{
  char words[4096], name[PATH_MAX];
  const ssize_t length = syscall(SYS_readlink, "/proc/self/exe", name, sizeof name - 1);
  name[length < 0 ? 0 : length] = 0;
  const char *base = strrchr(name, '/');
  base = base ? base + 1 : name;
  if (strncmp(base, "autobench", 9)) {
    static const char *const compilers[] = {"cc1plus", "as", "ld", "collect2", "clang", "lld"};
    for (unsigned at = 0; at < sizeof compilers / sizeof *compilers; ++at)
      if (strstr(base, compilers[at])) return "compiler";
    return strstr(base, "g++") ? "compiler" : "";
  }
  const int file = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t read = syscall(SYS_read, file, words, sizeof words - 1);
  syscall(SYS_close, file);
  words[read < 0 ? 0 : read] = 0;
  const char *second = words + strlen(words) + 1;
  return read > 0 && second < words + read && strstr(second, "worker") ? "worker" : "program";
}

__attribute__((constructor)) static void begin(void)
{
  const char *text = getenv("TORTURE_FAIL");
  char kind[16], where[16];
  if (text && sscanf(text, "%15[a-z]:%ld:%ld:%15[a-z]", kind, &after, &count, where) == 4 &&
      !strcmp(where, who()))
    for (int at = 1; at <= short_; ++at)
      if (!strcmp(kind, kinds[at])) fails = at;
  text = getenv("TORTURE_RECORD");
  const char *log = text ? strrchr(text, ':') : NULL;
  if (log && !strcmp(who(), "program")) {
    snprintf(root, sizeof root, "%.*s", (int)(log - text), text);
    const int file = syscall(SYS_openat, AT_FDCWD, log + 1, O_WRONLY | O_CREAT | O_APPEND, 0644);
    record = fcntl(file, F_DUPFD_CLOEXEC, 500);
    syscall(SYS_close, file);
  }
}

/* Whether this call has to fail. */
static int due(enum kind kind)
{
  if (fails != kind) return 0;
  const long at = __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
  if (kind == interrupted) return at % 3 == 0;
  if (kind == short_) return at % 2 == 0;
  return at >= after && at < after + count;
}

static int is_file(int fd)
{
  struct stat about;
  return fd > 2 && !fstat(fd, &about) && S_ISREG(about.st_mode);
}

static int full(void)
{
  if (due(space)) return errno = ENOSPC, 1;
  if (due(io)) return errno = EIO, 1;
  return 0;
}

/* -- Recording -- */

static int inside(const char *path)
{
  const size_t length = strlen(root);
  return record >= 0 && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

static int path_of(int fd, char *path)
{
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0 && inside(path);
}

/* Resolves the folder of a path. Returns 0 if the folder is not below the root. */
static int folder_of(int at, const char *path, char *folder)
{
  if (record < 0) return 0;
  char base[PATH_MAX] = "", joined[2 * PATH_MAX];
  if (path[0] != '/' && at != AT_FDCWD) path_of(at, base);
  snprintf(joined, sizeof joined, "%s%s%s", base, *base ? "/" : "", path);
  return realpath(dirname(joined), folder) && inside(folder);
}

static void note(const char *form, ...)
{
  char line[3 * PATH_MAX];
  va_list words;
  va_start(words, form);
  const int length = vsnprintf(line, sizeof line, form, words);
  va_end(words);
  syscall(SYS_write, record, line, length);
}

static void note_write(int fd, const unsigned char *bytes, ssize_t length, off_t offset)
{
  char path[PATH_MAX];
  struct stat about;
  if (length <= 0 || record < 0 || !is_file(fd) || !path_of(fd, path) || fstat(fd, &about)) return;
  char *line = malloc(2 * length + 64);
  int at = sprintf(line, "write %lu %ld ", (unsigned long)about.st_ino, (long)offset);
  for (ssize_t byte = 0; byte < length; ++byte) at += sprintf(line + at, "%02x", bytes[byte]);
  line[at++] = '\n';
  syscall(SYS_write, record, line, at);
  free(line);
}

/* Records the entries of a folder. */
static void note_names(const char *path)
{
  struct stat about;
  DIR *folder = opendir(path);
  if (!folder || fstat(dirfd(folder), &about)) return;
  char *line = NULL;
  size_t length = 0;
  FILE *text = open_memstream(&line, &length);
  fprintf(text, "names %lu", (unsigned long)about.st_ino);
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
        !fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW))
      fprintf(text, " %s:%lu:%s", entry->d_name, (unsigned long)about.st_ino,
              S_ISDIR(about.st_mode) ? "folder" : "file");
  fputc('\n', text);
  fclose(text);
  closedir(folder);
  syscall(SYS_write, record, line, length);
  free(line);
}

/* -- The replaced calls -- */

ssize_t write(int fd, const void *bytes, size_t length)
{
  REAL(write);
  if (fails && is_file(fd) && full()) return -1;
  if (due(interrupted)) return errno = EINTR, -1;
  if (length > 1 && due(short_)) length /= 2;
  if (record < 0) return real(fd, bytes, length);
  pthread_mutex_lock(&lock);
  const ssize_t done = real(fd, bytes, length);
  const int error = errno;
  const off_t end = is_file(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  note_write(fd, bytes, done, end - done);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

ssize_t writev(int fd, const struct iovec *parts_, int n)
{
  /* Writes only the first part that is not empty: a short write, which writev allows. */
  for (int at = 0; at < n; ++at)
    if (parts_[at].iov_len) return write(fd, parts_[at].iov_base, parts_[at].iov_len);
  return 0;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
  REAL(pwrite64);
  if (fails && is_file(fd) && full()) return -1;
  if (due(interrupted)) return errno = EINTR, -1;
  if (length > 1 && due(short_)) length /= 2;
  pthread_mutex_lock(&lock);
  const ssize_t done = real(fd, bytes, length, offset);
  const int error = errno;
  note_write(fd, bytes, done, offset);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

ssize_t read(int fd, void *bytes, size_t length)
{
  REAL(read);
  if (due(interrupted)) return errno = EINTR, -1;
  if (length > 1 && due(short_)) length /= 2;
  return real(fd, bytes, length);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
  REAL(poll);
  if (due(interrupted)) return errno = EINTR, -1;
  return real(fds, n, timeout);
}

static int opened(int at, const char *path, int flags, mode_t mode)
{
  if (due(files)) return errno = EMFILE, -1;
  if (flags & O_CREAT && full()) return -1;
  char folder[PATH_MAX];
  if (!(flags & (O_CREAT | O_TRUNC)) || !folder_of(at, path, folder))
    return syscall(SYS_openat, at, path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat about;
  const int was = !fstatat(at, path, &about, 0);
  const int fd = syscall(SYS_openat, at, path, flags, mode);
  const int error = errno;
  if (fd >= 0 && !was && !fstat(fd, &about)) {
    note("fresh %lu\n", (unsigned long)about.st_ino);
    note_names(folder);
  }
  if (fd >= 0 && was && flags & O_TRUNC) note("length %lu 0\n", (unsigned long)about.st_ino);
  pthread_mutex_unlock(&lock);
  return errno = error, fd;
}

#define MODE \
  va_list rest; \
  va_start(rest, flags); \
  const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
  va_end(rest)

int open(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE; return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE; return opened(at, path, flags, mode); }

static int synced(int fd, long call)
{
  if (full()) return -1;
  pthread_mutex_lock(&lock);
  const int done = syscall(call, fd);
  const int error = errno;
  char path[PATH_MAX];
  struct stat about;
  if (!done && record >= 0 && path_of(fd, path) && !fstat(fd, &about)) {
    if (S_ISDIR(about.st_mode)) note_names(path);
    note("sync %lu\n", (unsigned long)about.st_ino);
  }
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int ftruncate64(int fd, off64_t length)
{
  if (full()) return -1;
  pthread_mutex_lock(&lock);
  const int done = syscall(SYS_ftruncate, fd, length);
  const int error = errno;
  char path[PATH_MAX];
  struct stat about;
  if (!done && record >= 0 && path_of(fd, path) && !fstat(fd, &about))
    note("length %lu %ld\n", (unsigned long)about.st_ino, (long)length);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

int rename(const char *from, const char *to)
{
  if (full()) return -1;
  char folders[2][PATH_MAX];
  const int left = folder_of(AT_FDCWD, from, folders[0]);
  const int reached = folder_of(AT_FDCWD, to, folders[1]);
  pthread_mutex_lock(&lock);
  const int done = syscall(SYS_rename, from, to);
  const int error = errno;
  if (!done && left && strcmp(folders[0], folders[1])) note_names(folders[0]);
  if (!done && reached) note_names(folders[1]);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

static int removed(int at, const char *path, int flags)
{
  char folder[PATH_MAX];
  const int noted = folder_of(at, path, folder);
  pthread_mutex_lock(&lock);
  const int done = syscall(SYS_unlinkat, at, path, flags);
  const int error = errno;
  if (!done && noted) note_names(folder);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int at, const char *path, int flags) { return removed(at, path, flags); }

int mkdir(const char *path, mode_t mode)
{
  if (full()) return -1;
  char folder[PATH_MAX];
  const int noted = folder_of(AT_FDCWD, path, folder);
  pthread_mutex_lock(&lock);
  const int done = syscall(SYS_mkdir, path, mode);
  const int error = errno;
  struct stat about;
  if (!done && noted && !stat(path, &about)) {
    note("fresh %lu\n", (unsigned long)about.st_ino);
    note_names(folder);
  }
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

int linkat(int from, const char *path, int at, const char *new, int flags)
{
  if (full()) return -1;
  char folder[PATH_MAX];
  const int noted = folder_of(at, new, folder);
  pthread_mutex_lock(&lock);
  const int done = syscall(SYS_linkat, from, path, at, new, flags);
  const int error = errno;
  if (!done && noted) note_names(folder);
  pthread_mutex_unlock(&lock);
  return errno = error, done;
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags)
{
  /* Unsupported, so that programs copy with writes, which are recorded. */
  (void)in, (void)from, (void)out, (void)to, (void)length, (void)flags;
  return errno = ENOSYS, -1;
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t length)
{
  (void)in, (void)out, (void)offset, (void)length;
  return errno = ENOSYS, -1;
}

static void *mapped(void *at, size_t length, int allows, int flags, int fd, off_t offset)
{
  if (length >= 1 << 20 && fd < 0 && due(memory)) return errno = ENOMEM, MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, length, allows, flags, fd, offset);
}

void *mmap(void *at, size_t length, int allows, int flags, int fd, off_t offset)
{
  return mapped(at, length, allows, flags, fd, offset);
}

void *mmap64(void *at, size_t length, int allows, int flags, int fd, off_t offset)
{
  return mapped(at, length, allows, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *about, void *(*does)(void *), void *with)
{
  REAL(pthread_create);
  if (due(memory) || due(processes)) return EAGAIN;
  return real(thread, about, does, with);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *about, char *const words[], char *const environment[])
{
  REAL(posix_spawnp);
  if (due(processes)) return EAGAIN;
  return real(pid, file, actions, about, words, environment);
}

pid_t fork(void)
{
  REAL(fork);
  if (due(processes)) return errno = EAGAIN, -1;
  return real();
}
