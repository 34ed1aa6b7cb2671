import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes a program that notes its arguments and variables in a file of its name, and goes on as `then` says.
 * @returns the program
 */
export function recordingProgram(
  bin: string,
  notes: string,
  { name, then }: { readonly name: string; readonly then: string },
): string {
  const file = path.join(bin, name);
  const note = `{ printf '%s\\n' "$@"; env; echo; } >> '${path.join(notes, name)}'`;
  writeFileSync(file, `#!/bin/sh\n${note}\n${then}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Watches which command lines the processes of this machine have (Linux). @returns ends it, with all of them */
export function watchProcesses(): () => string {
  const lines = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        lines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        // It has ended.
      }
    }
  };
  const timer = setInterval(look, 50);
  return () => {
    clearInterval(timer);
    return [...lines].join('\n');
  };
}
