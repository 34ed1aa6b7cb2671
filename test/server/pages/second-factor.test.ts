import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { totpAt } from '../../../src/server/sign-in/totp.ts';
import { startLoginService } from '../oauth/login-service.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { secretOf } from '../sign-in/people.ts';

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

const newOne = '/auth/second-factor/new';
const account = '/auth/account';

describe('the page of a second factor', () => {
  it('asks for a code of the one there is before it shows another, and not for one at its first', async () => {
    const tab = service.browser();
    await service.signIn(tab, account);
    const enrol = async (page: Awaited<ReturnType<typeof tab.open>>) => {
      expect(page.title).toBe('Set up a second factor');
      const key = /class="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
      const code = (): string => {
        // Each code is good once.
        service.advance(30_000);
        return totpAt(secretOf(key), service.deps.clock.now());
      };
      expect((await tab.submit(page, { code: code() })).title).toBe('Save your recovery codes');
      return code;
    };
    const codeOfFirst = await enrol(await tab.open(newOne));

    const asked = await tab.open(newOne);
    expect([asked.status, asked.title]).toEqual([200, 'Set up another second factor']);
    const wrong = await tab.submit(asked, { current: '000000' });
    expect([wrong.status, wrong.title]).toEqual([422, 'Set up another second factor']);
    expect(wrong.text).toContain('The code is incorrect');
    const codeOfSecond = await enrol(await tab.submit(wrong, { current: codeOfFirst() }));

    const mine = await tab.open(account);
    expect(mine.text).toContain('Turn off the second factor');

    const other = service.browser();
    const page = await service.signIn(other, account);
    expect(page.title).toBe('Enter your code');
    expect((await other.submit(page, { code: codeOfFirst() })).status).toBe(422);
    expect((await other.submit(page, { code: codeOfSecond() })).title).toBe('Your account');
  });

  it('is not offered to be turned off to who must have one', async () => {
    await service.addUser('max@example.com', ['admin']);
    const page = await service.signIn(service.browser(), account, 'max@example.com');
    expect(page.title).toBe('Your account');
    expect(page.text).not.toContain('Turn off the second factor');
  });

  it('links to an app only what leads to one', async () => {
    const tab = service.browser();
    await service.signIn(tab, account);
    const page = await tab.open(newOne);
    expect(page.text).toMatch(/href="otpauth:\/\/totp\//);
    const wrong = await tab.submit(page, { code: '000000', uri: 'javascript:alert(1)' });
    expect(wrong.text).toMatch(/href="otpauth:\/\/totp\//);
    expect(wrong.text).not.toContain('javascript:');
  });
});
