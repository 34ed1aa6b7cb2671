import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandConfig } from '../../../src/server/config/config.ts';

/** Whether a process is gone; in a container nobody may bury it. */
export function isGone(pid: string): boolean {
  if (!/^\d+\s*$/.test(pid)) return false;
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid.trim()], { encoding: 'utf8' });
  return /^Z|^$/.test(stdout.trim());
}

/** Commands of an operator: real scripts in a folder of their own, and what they leave in it. */
export function scriptFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-scripts-'));
  const at = (name: string): string => path.join(folder, name);
  return {
    at,
    /** @param text of a script for sh, which runs in the folder */
    command(text: string, fields: Partial<CommandConfig> = {}): CommandConfig {
      const file = at(`script-${Math.random().toString(36).slice(2)}.sh`);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o700);
      return { command: [file], env: {}, timeoutMs: 30_000, cwd: folder, ...fields };
    },
    /** What is in a file; empty where there is none. */
    read(name: string): string {
      try {
        return readFileSync(at(name), 'utf8');
      } catch {
        return '';
      }
    },
    write: (name: string, text: string) => writeFileSync(at(name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
