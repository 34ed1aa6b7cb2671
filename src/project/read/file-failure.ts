/** Why the file system did not do something with a file, in words: for behind a colon. */
export function whyFileFailed(cause: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    ENOTDIR: 'part of the path is not a directory',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'the path is a directory',
    ELOOP: 'the path is a symbolic link to itself',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
  };
  const code = (cause as NodeJS.ErrnoException).code;
  return (code && reasons[code]) || (cause instanceof Error ? cause.message : String(cause));
}
