import { afterEach, describe, expect, test } from 'vitest';
import type { StoredChannel } from '../../src/server/report-delivery/channels/channel.ts';
import { openReportWorld } from '../server/report-delivery/report-world.ts';
import type { ReportWorld } from '../server/report-delivery/report-world.ts';
import { until } from '../support/until.ts';

let world: ReportWorld | undefined;
afterEach(async () => world?.close());

const schedules = 100;

const hostile: readonly (readonly [string, (n: number) => StoredChannel])[] = [
  ['webhook', (n) => ({ kind: 'webhook', url: `https://hangs.example/${n}` })],
  ['team chat', (n) => ({ kind: 'team_chat', webhook_url: `https://hangs.example/${n}` })],
  ['SFTP server', (n) => ({ kind: 'sftp', host: n % 2 ? 'hangs.example' : 'HANGS.example', port: 1_024 + n, username: 'u', path: '/', password_env: 'P' })], // prettier-ignore
  ['storage', (n) => ({ kind: 'object_storage', provider: 's3', bucket: `b${n}`, endpoint: 'https://hangs.example' })], // prettier-ignore
];

describe('a receiver of reports that takes connections and never answers', () => {
  test.each(hostile)('does not delay reports to others: %s', async (_, channelOf) => {
    let hanging = 0;
    const opened = await openReportWorld({
      send: (channel, __, { signal }) => {
        if (channel.kind === 'email') return Promise.resolve({ ok: true });
        hanging += 1;
        return new Promise((___, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    world = opened;
    const report = await opened.addReport();
    for (let n = 0; n < schedules; n += 1) {
      const channel = channelOf(n);
      const { id } = await opened.addSchedule([channel]);
      await opened.queue(report.id, channel, id);
    }
    const email: StoredChannel = { kind: 'email', recipients: ['ann@one.example'] };
    const { id } = await opened.addSchedule([email]);
    const delivery = await opened.queue(report.id, email, id);
    opened.startRunner();
    await until(async () => (await opened.delivery(delivery.id)).status === 'delivered');
    expect(hanging).toBe(8);
  });
});
