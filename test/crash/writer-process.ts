import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

/** Builds writer.ts, which Node can't run as it is. @returns the path of the script */
export const buildWriter = async (): Promise<string> => {
  // Below the project, where it finds the library that locks files.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'govctl-writer-'));
  await build({
    entry: { writer: fileURLToPath(new URL('writer.ts', import.meta.url)) },
    outDir,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    config: false,
    silent: true,
    noExternal: [/^(?!fs-native-extensions$)/],
    external: ['fs-native-extensions'],
  });
  return join(outDir, 'writer.mjs');
};

export interface Writer {
  readonly process: ChildProcess;
  /** What it said so far, whole lines only. */
  lines(): string[];
  /** The numbers that were acknowledged to its callers. */
  acknowledged(): number[];
  /** Resolves when a line begins with `start`, or the process ends. */
  said(start: string): Promise<void>;
  readonly ended: Promise<void>;
}

export const startWriter = (command: string, args: readonly string[]): Writer => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => process.stderr.write(chunk));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const lines = (): string[] => text.split('\n').slice(0, -1);
  return {
    process: child,
    ended,
    lines,
    acknowledged: () =>
      lines().flatMap((line) => (line.startsWith('ack ') ? [Number(line.slice(4))] : [])),
    said: (start) =>
      Promise.race([
        ended,
        new Promise<void>((resolve) => {
          const listener = (): void => {
            if (!lines().some((line) => line.startsWith(start))) return;
            listeners.delete(listener);
            resolve();
          };
          listeners.add(listener);
          listener();
        }),
      ]),
  };
};
