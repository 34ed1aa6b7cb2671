import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entered, Later, Refused, SignIn } from '../../src/server/sign-in/service.ts';
import { createHashing } from '../../src/server/sign-in/hashing.ts';
import { createTries } from '../../src/server/sign-in/tries.ts';
import { from, entered, join, password, signInOf } from '../server/sign-in/people.ts';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

let service: TestService;
let signIn: SignIn;
beforeEach(async () => {
  service = await startTestService();
  signIn = signInOf(service.deps);
});
afterEach(() => service.close());

const guess = (email: string, at: number): Promise<Entered | Refused | Later> =>
  signIn.tryPassword({ email, password: `guess ${at}`, visitor: from(`198.51.100.${at % 100}`) });
/** @returns how many got an answer to their guess, which is what costs a hash */
const answered = (outcomes: readonly { readonly kind: string }[]): number =>
  outcomes.filter(({ kind }) => kind !== 'later').length;
const flood = (email: (at: number) => string, many: number) =>
  Promise.all(Array.from({ length: many }, (_, at) => guess(email(at), at)));

describe('wrong passwords', () => {
  it('by the thousand from 100 addresses are few hashes, one line of the audit log a minute, and hold up the owner nowhere', async () => {
    const { email, device = '', code, id } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    for (let second = 0; second < 10; second++) {
      expect(answered(await flood(() => email, 1_000))).toBeLessThanOrEqual(second === 0 ? 5 : 1);
      const known = { email, password, visitor: from('203.0.113.9', device) };
      const { token, session } = entered(await signIn.tryPassword(known));
      expect(session.needs).toBe('second_factor');
      if (second === 0) {
        const visitor = from('203.0.113.9', device);
        entered(await signIn.trySecondFactor({ token, code: code(), visitor }));
      }
      service.advance(1_000);
    }
    service.advance(60_000);
    await signIn.saveFailures();
    await signIn.saveFailures();
    const { json } = await service.send('GET', `/v1/audit-log?subject=${id}&action=user.login.failed&order=asc`); // prettier-ignore
    const lines = json.audit_log as { actor: string; changes: string[] }[];
    expect(lines.map(({ changes }) => changes)).toEqual([
      ['failures: 1', 'networks: 1'],
      ['failures: 9999', 'networks: 100'],
    ]);
  });

  it('hold back others who sign in from elsewhere, but not for good', async () => {
    const { email } = await join(service, signIn, 'ann', 'editor');
    await flood(() => email, 1_000);
    const stranger = () => signIn.tryPassword({ email, password, visitor: from('203.0.113.9') });
    const held = await stranger();
    expect(held).toEqual({ kind: 'later', retry_after: expect.any(Number) });
    service.advance((held as Later).retry_after * 1_000);
    expect((await stranger()).kind).toBe('signed_in');
  });

  it('for many users from one address are held back, too, whether the users exist or not', async () => {
    const { email } = await join(service, signIn, 'ann', 'editor');
    const outcomes = [];
    for (let at = 0; at < 200; at++) {
      outcomes.push(
        await signIn.tryPassword({
          email: at % 50 === 0 ? email : `nobody-${at}@example.com`,
          password: 'guess',
          visitor: from('198.51.100.1'),
        }),
      );
    }
    expect(answered(outcomes)).toBe(20);
    const { json } = await service.send('GET', '/v1/audit-log?action=user.login.failed');
    expect((json.audit_log as unknown[]).length).toBe(1);
  });

  it('from very many addresses and for very many users leave no more than 10,000 in memory', () => {
    const now = 0;
    const tries = createTries({ now: () => now, monotonic: () => now });
    const under = (name: string) => [{ as: 'account', name } as const];
    for (let at = 0; at < 5; at++) tries.begin(under('first'));
    expect(tries.begin(under('first'))).toBe(1);
    for (let at = 0; at < 9_999; at++) tries.begin(under(`a${at}`));
    expect(tries.begin(under('first'))).toBe(1);
    tries.begin(under('last'));
    expect(tries.begin(under('first'))).not.toBe(1);
  });

  it('with a code of a device that was never used count as those of strangers', async () => {
    const { email } = await join(service, signIn, 'ann', 'editor');
    const bob = await join(service, signIn, 'bob', 'editor');
    const outcomes = [];
    for (const device of [
      'gdv_x',
      '',
      bob.device,
      ...Array.from({ length: 10 }, (_, n) => `gdv_${n}`),
    ]) {
      // prettier-ignore
      const visitor = from('198.51.100.1', device);
      outcomes.push(await signIn.tryPassword({ email, password: 'guess', visitor }));
    }
    expect(answered(outcomes)).toBe(5);
  });

  it('and right ones of one account leave room for other accounts', async () => {
    const hashing = createHashing({ now: () => 0, monotonic: () => 0 });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const hash = (account: string) =>
      hashing.run({ queue: 'known', account }, () => held.then(() => account));
    const flooding = Array.from({ length: 20 }, () => hash('mallory'));
    const others = ['ann', 'bob'].map(hash);
    release();
    const done = await Promise.all(flooding);
    expect(done.filter((one) => one !== undefined)).toHaveLength(2);
    expect(await Promise.all(others)).toEqual(['ann', 'bob']);
    expect(await hash('mallory')).toBe('mallory');
  });

  it('of a device that was used before are held back as well, and hold back only that device', async () => {
    const { email, device } = await join(service, signIn, 'ann', 'editor');
    const visitor = from('198.51.100.1', device);
    const outcomes = [];
    for (let at = 0; at < 100; at++) {
      outcomes.push(await signIn.tryPassword({ email, password: 'guess', visitor }));
    }
    expect(answered(outcomes)).toBe(10);
    const elsewhere = from('198.51.100.1');
    expect((await signIn.tryPassword({ email, password, visitor: elsewhere })).kind).toBe('signed_in'); // prettier-ignore
  });
});

describe('guessed codes of a second factor', () => {
  it('are held back for each user, however often the password is given anew', async () => {
    const { email, code } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    const outcomes = [];
    for (let at = 0; at < 40; at++) {
      const visitor = from(`198.51.100.${at}`);
      const { token } = entered(await signIn.tryPassword({ email, password, visitor }));
      outcomes.push(await signIn.trySecondFactor({ token, code: '000000', visitor }));
    }
    expect(answered(outcomes)).toBe(5);
    service.advance(60_000);
    const visitor = from('198.51.100.200');
    const { token } = entered(await signIn.tryPassword({ email, password, visitor }));
    expect((await signIn.trySecondFactor({ token, code: code(), visitor })).kind).toBe('signed_in');
  });

  it('at once are counted before any of them is looked at', async () => {
    const { email } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    const visitor = from('198.51.100.1');
    const { token } = entered(await signIn.tryPassword({ email, password, visitor }));
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, at) =>
        signIn.trySecondFactor({ token, code: String(100_000 + at), visitor }),
      ),
    );
    expect(answered(outcomes)).toBe(5);
  });
});

describe('hashes of passwords', () => {
  it('are made one at a time; of strangers eight wait, and a known browser waits for one of them', async () => {
    const done: string[] = [];
    const begun: (() => void)[] = [];
    const hashing = createHashing({ now: () => 0, monotonic: () => 0 });
    const hash = (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(() => {
          done.push(name);
          resolve(name);
        });
      });
    const strangers = Array.from({ length: 20 }, (_, at) =>
      hashing.run({ queue: 'stranger', account: `s${at}` }, hash(`s${at}`)),
    );
    expect(await Promise.all(strangers.slice(8))).toEqual(
      Array.from({ length: 12 }, () => undefined),
    );
    const known = hashing.run({ queue: 'known', account: 'known' }, hash('known'));
    const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
    await settle();
    expect(begun).toHaveLength(1);
    begun[0]?.();
    await settle();
    expect(begun).toHaveLength(2);
    begun[1]?.();
    await known;
    expect(done).toEqual(['s0', 'known']);
    for (let at = 2; at < 9; at++) {
      while (begun.length <= at) await settle();
      begun[at]?.();
    }
    await Promise.all(strangers);
    expect(done).toHaveLength(9);
  });
});
