import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startReceiver } from '../../../src/cli/webhook/receiver.ts';
import { until } from '../../support/until.ts';

test('a delivery whose sender does not wait for its answer is answered all the same', async () => {
  let answered = 0;
  const socket = { gone: false };
  const receiver = await startReceiver(
    { port: 0, path: '/hook' },
    async () => {
      sender.destroy();
      await until(() => socket.gone);
      // The receiver has noticed, too.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { status: 200 };
    },
    () => (answered += 1),
  );
  const sender = connect(receiver.port, '127.0.0.1');
  sender.once('close', () => (socket.gone = true));
  sender.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  await until(() => answered === 1);
  await receiver.close();
  expect(answered).toBe(1);
});
