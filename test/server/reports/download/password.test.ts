import { describe, expect, test } from 'vitest';
import { createPasswordTries } from '../../../../src/server/reports/download/password-tries.ts';
import { hashPassword, verifyPassword } from '../../../../src/server/reports/download/password.ts';

const asker = { signal: new AbortController().signal };

describe('the hash of a password', () => {
  test('knows the password and nothing else, and is another one each time', async () => {
    const stored = await hashPassword('correct horse 馬', asker);
    expect(stored).toMatch(/^[\w-]{22}:[\w-]{43}$/);
    expect(await verifyPassword('correct horse 馬', stored)).toBe(true);
    expect(await verifyPassword('correct horse', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
    expect(await hashPassword('correct horse 馬', asker)).not.toBe(stored);
  });

  test('that is none fits no password', async () => {
    for (const stored of ['', ':', 'abc', 'AAAA:AAAA']) {
      expect(await verifyPassword('', stored)).toBe(false);
    }
  });

  test('is the same for the same text, however it was typed', async () => {
    const stored = await hashPassword('pass\u00e9word', asker);
    expect(await verifyPassword('passe\u0301word', stored)).toBe(true);
  });
});

const trier = (id: string, via: 'link' | 'token' = 'link') => ({
  via,
  id,
  reportId: 'rpt_1',
  signal: new AbortController().signal,
});

describe('guessing a password', () => {
  const world = () => {
    const waits: number[] = [];
    let now = 0;
    const tries = createPasswordTries({ now: () => now, monotonic: () => now }, (ms) => {
      waits.push(ms);
      return Promise.resolve();
    });
    const guess = (id: string, right = false, via: 'link' | 'token' = 'link') =>
      tries.check(trier(id, via), () => Promise.resolve(right));
    return { tries, guess, waits, pass: (ms: number) => void (now += ms) };
  };

  test('waits longer with each wrong try beyond five, but never for good', async () => {
    const { guess, waits } = world();
    for (let at = 0; at < 12; at += 1) expect(await guess('a')).toBe(false);
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
    expect(await guess('a', true)).toBe(true);
    expect(waits).toHaveLength(8);
  });

  test('over one link or by one caller holds no other back, and is forgotten in time', async () => {
    const { guess, waits, pass } = world();
    for (let at = 0; at < 5; at += 1) await guess('a');
    expect(await guess('b', true)).toBe(true);
    expect(await guess('a', true, 'token')).toBe(true);
    expect(waits).toEqual([]);
    pass(15 * 60_000);
    await guess('a');
    expect(waits).toEqual([]);
  });

  test('over links leaves the place of those with a token free, and gives each link its turn', async () => {
    const { tries } = world();
    const done: string[] = [];
    let finish = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (finish = resolve));
    const over = (id: string) =>
      tries.check(trier(id), async () => {
        await stuck;
        done.push(id);
        return false;
      });
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map(over);
    expect(await tries.check(trier('owner', 'token'), () => Promise.resolve(true))).toBe(true);
    expect(done).toEqual([]);
    finish();
    await Promise.all(all);
    expect(done.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
  });

  test('of a caller who has left is not checked, and holds nobody up', async () => {
    const { tries, guess } = world();
    const left = AbortSignal.abort(new Error('gone'));
    let checked = 0;
    const tried = tries.check({ ...trier('a'), signal: left }, () => {
      checked += 1;
      return Promise.resolve(true);
    });
    await expect(tried).rejects.toThrow('gone');
    expect(await guess('a', true)).toBe(true);
    expect(checked).toBe(0);
  });

  test('is remembered of the last 10,000 only, so that memory stays bounded', async () => {
    const { guess, waits } = world();
    const wrong = async (id: string): Promise<void> => {
      for (let at = 0; at < 5; at += 1) await guess(id);
    };
    await wrong('first');
    await wrong('second');
    for (let at = 0; at < 9_999; at += 1) await guess(`other ${at}`);
    await guess('second');
    expect(waits).toEqual([250]);
    await guess('first');
    expect(waits).toEqual([250]);
  });

  test('right ones never wait where nobody guesses', async () => {
    const { guess, waits } = world();
    for (let at = 0; at < 20; at += 1) expect(await guess('a', true)).toBe(true);
    expect(waits).toEqual([]);
  });

  test('is done one after another, and refused where many wait', async () => {
    const { tries } = world();
    let running = 0;
    let most = 0;
    const slow = async (): Promise<boolean> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return false;
    };
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, () => tries.check(trier('a'), slow)),
    );
    expect(most).toBe(1);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
    for (const one of all.slice(8)) {
      expect(one).toMatchObject({ reason: { error: 'rate_limit_exceeded', status: 429 } });
    }
    // A failure of the comparison is no wrong try, and lets the next go.
    const failing = tries.check(trier('b'), () => Promise.reject(new Error('no memory')));
    await expect(failing).rejects.toThrow('no memory');
    expect(await tries.check(trier('b'), () => Promise.resolve(true))).toBe(true);
  });
});
