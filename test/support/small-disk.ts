import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isAllowed, runTool } from './system-tool.ts';

/** Whether this machine lets a test mount a disk of its own. */
export const canMount = isAllowed('the right to mount a tmpfs', () => {
  runTool('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');
});

/** A real disk of a few megabytes, which a test can fill up and turn read-only. */
export interface SmallDisk {
  readonly dir: string;
  /** Leaves no room. */
  fill(): void;
  /** Takes away what filled it. */
  makeRoom(): void;
  resize(size: string): void;
  /** Only while nothing is open for writing. */
  setReadOnly(isReadOnly: boolean): void;
  unmount(): void;
}

export const mountSmallDisk = (dir: string, size: string): SmallDisk => {
  mkdirSync(dir, { mode: 0o700, recursive: true });
  runTool('mount', '-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', dir);
  const filler = path.join(dir, 'filler');
  return {
    dir,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (let piece = Buffer.alloc(1 << 20); ;) {
          try {
            writeSync(file, piece);
          } catch {
            if (piece.length <= 1) return;
            piece = piece.subarray(0, piece.length >> 1);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => unlinkSync(filler),
    resize: (to) => runTool('mount', '-o', `remount,size=${to}`, dir),
    setReadOnly: (isReadOnly) => runTool('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, dir),
    // Lazily: a test that failed may have left files open.
    unmount: () => runTool('umount', '-l', dir),
  };
};
