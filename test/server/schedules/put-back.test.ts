import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { schedules } from '../../../src/server/schedules/collection.ts';
import type { StoredSchedule } from '../../../src/server/schedules/collection.ts';
import type { Got } from '../test-service.ts';
import { fieldsOf } from '../test-service.ts';
import { startSchedules } from './schedule-world.ts';
import type { Json, ScheduleWorld } from './schedule-world.ts';

/** What is done while a name server is asked. */
let meanwhile: () => Promise<void>;
let world: ScheduleWorld;
beforeEach(async () => {
  meanwhile = () => Promise.resolve();
  world = await startSchedules({
    withoutReports: true,
    config: {
      secrets: { PW: { value: 'x', hosts: ['sftp.example.com', '10.0.0.2'], buckets: [] } },
    },
    resolve: async () => {
      await meanwhile();
      return [{ address: '93.184.216.34', family: 4 }];
    },
  });
});
afterEach(() => world.close());

const path = '/v1/reports/schedules';
const url = 'https://hooks.example.com/x';
const put = (id: string, body: unknown): Promise<Got> =>
  world.service.send('PUT', `${path}/${id}`, { body });
const template = (security?: Json): Json => ({
  name: 'R',
  type: 'audit',
  ...(security ? { format_options: { security } } : {}),
});
const protectedField = 'report_template.format_options.security.protected';

async function stored(id: string): Promise<StoredSchedule> {
  const found = await world.service.deps.store.get(schedules, id);
  if (!found) throw new Error('it is gone');
  return found.doc;
}

const passwordOf = async (id: string): Promise<string> => {
  const sealed = (await stored(id)).report_template.format_options?.security?.password;
  return sealed === undefined ? '' : world.service.deps.secrets.open(sealed, id);
};

/** As if something of it had been stored by another server. */
const rewrite = (id: string, change: (doc: StoredSchedule) => StoredSchedule): Promise<unknown> =>
  world.service.deps.store.transact(async (tx) => {
    const found = await tx.get(schedules, id);
    return found && tx.replace(schedules, change(found.doc));
  });

describe('a password that is to stay', () => {
  it('is refused where there is none, so that no report goes out unprotected', async () => {
    const id = await world.create({ report_template: template({ password: 'open sesame' }) });
    const shown = await world.read(id);
    await world.update(id, { report_template: template() });
    const got = await put(id, { report_template: shown.report_template });
    expect([got.status, fieldsOf(got)]).toEqual([400, [protectedField]]);
    expect((await stored(id)).report_template).toEqual(template());
  });

  it('is the one that is stored when the change is, not when its addresses were looked up', async () => {
    const id = await world.create({ report_template: template({ password: 'open sesame' }) });
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await world.update(id, { report_template: template({ password: 'another word' }) });
    };
    const kept = template({ protected: true, watermark: 'DRAFT' });
    await world.update(id, { report_template: kept, delivery: { webhook: { url } } });
    expect(await passwordOf(id)).toBe('another word');
    expect((await stored(id)).report_template.format_options?.security?.watermark).toBe('DRAFT');
  });
});

describe('the secret of a webhook', () => {
  it('is not lost to a hint that is not its own', async () => {
    const id = await world.create({
      delivery: { webhook: { url, secret: 'a-long-enough-secret' } },
    });
    const got = await put(id, { delivery: { webhook: { url, secret_hint: 'zzzz' } } });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['delivery.webhook.secret_hint']]);
    expect((await world.read(id)).delivery).toEqual({ webhook: { url, secret_hint: 'cret' } });
    await world.update(id, { delivery: { webhook: { url } } });
    const none = await put(id, { delivery: { webhook: { url, secret_hint: 'cret' } } });
    expect([none.status, fieldsOf(none)]).toEqual([400, ['delivery.webhook.secret_hint']]);
  });

  it('stays where it was sealed with another key', async () => {
    const id = await world.create({
      delivery: { webhook: { url, secret: 'a-long-enough-secret' } },
    });
    const { random } = world.service.deps;
    const secret = createSecretBox(random(32), random).seal('a-long-enough-secret', id);
    await rewrite(id, (doc) => ({ ...doc, channels: [{ kind: 'webhook', url, secret }] }));
    const shown = await world.read(id);
    expect(shown.delivery).toEqual({ webhook: { url, secret_hint: '????' } });
    expect(await world.update(id, { ...shown, name: 'Other' })).toMatchObject({
      name: 'Other',
      delivery: shown.delivery as Json,
    });
    expect((await stored(id)).channels).toEqual([{ kind: 'webhook', url, secret }]);
    const { delivery } = await world.update(id, { delivery: { webhook: { url } } });
    expect(delivery).toEqual({ webhook: { url } });
  });
});

it('a channel that was allowed once can be sent back as it was read', async () => {
  const sftp = { host: 'sftp.example.com', username: 'u', path: '/in', password_env: 'PW' };
  const id = await world.create({ delivery: { sftp } });
  await rewrite(id, (doc) => ({
    ...doc,
    channels: [{ kind: 'sftp', ...sftp, host: '10.0.0.1' }],
  }));
  const shown = await world.read(id);
  expect(await world.update(id, shown)).toEqual(shown);
  const other = await put(id, { delivery: { sftp: { ...sftp, host: '10.0.0.2' } } });
  expect([other.status, fieldsOf(other)]).toEqual([400, ['delivery.sftp.host']]);
});

it('the runs of several schedules are paged through with the same query', async () => {
  const ids = [await world.create(), await world.create({ name: 'B' })];
  for (const id of [...ids, ...ids]) await world.ok('POST', `${path}/${id}/run`);
  for (const id of ids) {
    const first = await world.ok('GET', `${path}/${id}/runs?limit=1`);
    const { next_cursor: cursor } = first.json.pagination as { next_cursor: string };
    const next = await world.ok('GET', `${path}/${id}/runs?limit=1&cursor=${cursor}`);
    expect(next.json.runs).toMatchObject([{ schedule_id: id }]);
  }
});
