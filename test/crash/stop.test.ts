import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder, serverKey, startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { freePort } from '../support/free-port.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import { until } from '../support/until.ts';
import { sendWithoutPause } from './keep-alive-clients.ts';

const rounds = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2);

async function start(args: readonly string[] = []): Promise<BuiltServer> {
  const server = await startBuiltServer({ args: ['--rate-limit', 'off', ...args] });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

const certificate = makeSelfSigned();

test.each([
  ['HTTP', undefined],
  ['HTTPS', certificate],
])(
  'from its start to its stop, a server answers at %s each request that comes, or refuses its connection',
  async (scheme, tls) => {
    if (scheme === 'HTTPS' && !tls) return;
    const folder = makeTempFolder();
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    writeFileSync(cert, tls?.cert ?? '');
    writeFileSync(key, tls?.key ?? '');
    for (let round = 0; round < rounds; round++) {
      const port = await freePort();
      const baseUrl = `${scheme.toLowerCase()}://127.0.0.1:${port}`;
      const clients = sendWithoutPause({ baseUrl, key: serverKey }, 8, tls?.cert);
      const server = await start([
        ...['--port', String(port)],
        ...(tls ? ['--tls-cert', cert, '--tls-key', key] : []),
      ]);
      const { outcomes } = clients;
      await until(() => outcomes.answered > 300 + round * 20);
      expect(await server.stop('SIGTERM')).toBe(0);
      await clients.end();
      expect(outcomes.broken).toEqual([]);
    }
  },
  180_000,
);
