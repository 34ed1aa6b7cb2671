import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '../../src/server/reports/download/password.ts';
import { create, idOf, startReports } from '../server/reports/report-world.ts';
import type { Got, TestService } from '../server/test-service.ts';

// Somebody with a link to a protected report tries passwords, from wherever they like; its owner has a token.

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(() => service.close());

const passwordHeader = 'X-Service-Report-Password';
const sharedAddress = '198.51.100.4';

async function protectedReport(): Promise<string> {
  const id = idOf(
    await create(service, { format_options: { security: { password: 'correct horse' } } }),
  );
  await service.reportWork.idle();
  return id;
}

async function linkTo(id: string): Promise<string> {
  const body = { format: 'pdf' };
  const made = await service.send('POST', `/v1/reports/${id}/download-link`, { body });
  return String(made.json.url).replace('https://govctl.test', '');
}

const follow = (url: string, password: string, from = sharedAddress): Promise<Got> =>
  service.send('GET', url, { key: null, headers: { [passwordHeader]: password }, from });

const download = (id: string, password: string, key = service.key): Promise<Got> =>
  service.send('GET', `/v1/reports/${id}/download/pdf`, {
    headers: { [passwordHeader]: password },
    from: sharedAddress,
    key,
  });

const statusOf = ({ status }: Got): number => status;
const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

test('wrong passwords over a link lock out neither its owner nor another link, from the same address', async () => {
  const id = await protectedReport();
  const [leaked, other] = [await linkTo(id), await linkTo(id)];
  const strangers = times(12, (at) => follow(leaked, `guess ${at}`));
  expect(statusOf(await download(id, 'correct horse'))).toBe(200);
  expect(statusOf(await follow(other, 'correct horse'))).toBe(200);
  const statuses = (await strangers).map(statusOf).sort();
  expect(statuses).toEqual([...Array<number>(8).fill(403), ...Array<number>(4).fill(429)]);
});

test('wrong passwords over a link count together, from however many addresses they come', async () => {
  const leaked = await linkTo(await protectedReport());
  const got = await times(12, (at) => follow(leaked, 'guess', `203.0.113.${at}`));
  expect(got.map(statusOf).filter((status) => status === 429)).toHaveLength(4);
  const refused = got.find(({ status }) => status === 429);
  expect(refused?.headers.get('retry-after')).toBe('4');
  expect(refused?.json).toMatchObject({ error: 'rate_limit_exceeded', retry_after: 4 });
});

test('wrong passwords of one caller lock out no other', async () => {
  const id = await protectedReport();
  const [link, reader] = [await linkTo(id), await service.keyWith('governance:read')];
  const guesses = times(12, () => download(id, 'guess', reader));
  expect(statusOf(await download(id, 'correct horse'))).toBe(200);
  expect(statusOf(await follow(link, 'correct horse'))).toBe(200);
  expect((await guesses).filter(({ status }) => status === 429)).toHaveLength(4);
});

test('a link that strangers guess at opens for who knows the password, once they stop', async () => {
  const leaked = await linkTo(await protectedReport());
  await times(8, () => follow(leaked, 'guess'));
  expect(statusOf(await follow(leaked, 'correct horse'))).toBe(200);
});

test('a request without a password, or over a link that is none, costs no check and is not counted', async () => {
  const id = await protectedReport();
  const link = await linkTo(id);
  for (let at = 0; at < 20; at += 1) {
    const none = await service.send('GET', link, { key: null });
    expect(none.json.error).toBe('report_password_required');
    expect(statusOf(await follow(link.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'x'))).toBe(404); // prettier-ignore
  }
  expect(statusOf(await follow(link, 'correct horse'))).toBe(200);
});

test('however many protected reports one caller asks for, another waits for one of them', async () => {
  const flooder = await service.keyWith('compliance:write');
  const owner = await service.keyWith('compliance:write');
  const answered: string[] = [];
  const ask = async (who: string, key: string): Promise<number> => {
    const body = {
      name: who,
      type: 'compliance',
      scope: {},
      format_options: { security: { password: 'correct horse' } },
    };
    const { status } = await service.send('POST', '/v1/reports', { body, key });
    answered.push(who);
    return status;
  };
  const flood = times(12, () => ask('flooder', flooder));
  const own = ask('owner', owner);
  expect([...(await flood), await own]).toEqual(Array<number>(13).fill(201));
  expect(answered.indexOf('owner')).toBeLessThan(6);
});

test('a password is hashed for nobody who has left', async () => {
  const left = AbortSignal.abort(new Error('left'));
  await expect(hashPassword('correct horse', { signal: left })).rejects.toThrow('left');
});
