import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/server/http/listener.ts';
import { noLog } from '../../support/no-log.ts';
import { makeSelfSigned } from '../../support/self-signed.ts';
import { until } from '../../support/until.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';

const certificate = makeSelfSigned();

test.skipIf(!certificate)(
  'a listener with TLS does not wait for whoever never shakes hands',
  async () => {
    const folder = await tempFolder();
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => path.join(folder.path, name)) as [string, string]; // prettier-ignore
    writeFileSync(cert, certificate?.cert ?? '');
    writeFileSync(key, certificate?.key ?? '');
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      tls: { cert, key, log: noLog },
      fetch: () => new Response(),
      refuse: (status) => new Response(null, { status }),
    });
    const socket = connect(listener.port, '127.0.0.1');
    onTestFinished(async () => {
      socket.destroy();
      await folder.remove();
    });
    let isClosed = false;
    socket
      .on('error', () => undefined)
      .once('close', () => (isClosed = true))
      .resume();
    await new Promise((resolve) => socket.once('connect', resolve));
    await listener.stopListening();
    await listener.close(100);
    await until(() => isClosed);
    expect(isClosed).toBe(true);
  },
);
