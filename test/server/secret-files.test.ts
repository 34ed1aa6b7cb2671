import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/server/start.ts';

it.skipIf(process.platform === 'win32')(
  'a file with a secret that others can read is a notice; one that only its owner can read is none',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'govctl-secret-files-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [open, closed] = ['open.pem', 'closed.pem'].map((name) => path.join(folder, name));
    for (const [file = '', mode] of [
      [open, 0o644],
      [closed, 0o600],
    ] as const) {
      await writeFile(file, 'secret');
      await chmod(file, mode);
    }
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: path.join(folder, 'data'),
      store: 'lowdb',
      allowTargets: [],
      metrics: false,
      logLevel: 'silent',
      secretFiles: [open ?? '', closed ?? '', path.join(folder, 'none')],
    });
    onTestFinished(async () => void (await server.stop()));
    expect(server.notices).toEqual([
      `${open} contains a secret and is readable by others on this machine. Run chmod 600.`,
    ]);
  },
);
