import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';

const answer = (status: number, body: unknown, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const list = { policies: [], pagination: { total: 0, limit: 1, offset: 0, has_more: false } };
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** The first request meets with this, the others with a list. */
function once(first: () => Response): Fetch {
  let asked = 0;
  return async () => (asked++ === 0 ? first() : answer(200, list));
}
const refusing = (): Fetch =>
  once(() => {
    throw refused;
  });

async function talk(fetch: Fetch, more: FakeWorldSettings = {}, ...flags: string[]) {
  const { exitCode, stderr } = await runCommandLine(
    ['policy', 'list', '--base-url', 'http://127.0.0.1:1', '--no-color', ...flags],
    { env: { GOVCTL_TOKEN: 'token' }, fetch, ...more },
  );
  expect(exitCode).toBe(0);
  return stderr.split('\n')[0];
}

describe('a service that has to be asked again', () => {
  it('is named in a pipe, so that a log says what is waited for', async () => {
    expect(await talk(refusing())).toBe(
      'http://127.0.0.1:1 cannot be reached: connection refused; retrying for a few seconds',
    );
    const busy = once(() => answer(429, { error: 'rate_limit_exceeded' }, { 'retry-after': '1' }));
    expect(await talk(busy)).toMatch(
      /^http:\/\/127\.0\.0\.1:1 returned HTTP 429; retrying in [12] seconds?$/,
    );
  });

  it('is not named to those who asked for quiet, nor where a spinner shows', async () => {
    expect(await talk(refusing(), {}, '--quiet')).toBe('');
    expect(await talk(refusing(), { tty: true })).not.toContain('again');
  });
});
