/** Why the file system did not do something with a file, in words: for behind a colon. */
export function whyFileFailed(cause: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    ENOTDIR: 'a part of its path is not a folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a folder',
    ELOOP: 'it is a link that leads back to itself',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
  };
  const code = (cause as NodeJS.ErrnoException).code;
  return (code && reasons[code]) || (cause instanceof Error ? cause.message : String(cause));
}
