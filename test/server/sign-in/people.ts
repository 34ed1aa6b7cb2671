import { expect } from 'vitest';
import { createSignIn } from '../../../src/server/sign-in/service.ts';
import type { Entered, SignIn, Visitor } from '../../../src/server/sign-in/service.ts';
import { totpAt } from '../../../src/server/sign-in/totp.ts';
import type { Deps } from '../../../src/server/deps.ts';
import { belongings } from '../../../src/server/wiring/modules.ts';
import type { TestService } from '../test-service.ts';

export const password = 'correct horse battery';

/** Hashes that cost next to nothing. */
const cost = { logN: 4, r: 1, p: 1 };

export const signInOf = (
  deps: Deps,
  more: { readonly cost?: typeof cost; readonly isLocal?: boolean } = {},
): SignIn =>
  createSignIn(deps, {
    belongings,
    baseUrl: () => 'https://govctl.test/base',
    isLocal: true,
    cost,
    ...more,
  });

export const from = (address: string, device?: string): Visitor => ({
  address,
  device,
  requestId: 'req_1',
});

/** The token of a new user's invitation link. */
export async function invite(service: TestService, name: string, ...roles: string[]) {
  const { json, status } = await service.send('POST', '/v1/users', {
    body: { email: `${name}@example.com`, roles },
  });
  expect(status).toBe(201);
  const invitation = String(json.invitation_url).split('/').at(-1) ?? '';
  return { id: String(json.id), email: String(json.email), invitation };
}

export function entered<T extends { readonly kind: string }>(
  outcome: T,
): Extract<T, { readonly kind: 'signed_in' }> {
  expect(outcome).toMatchObject({ kind: 'signed_in' });
  return outcome as Extract<T, { readonly kind: 'signed_in' }>; // just checked
}

/** Decodes Base32, as an app does. */
export function secretOf(text: string): Uint8Array {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** An app with a second factor. */
export const appWith = (service: TestService, secret: string) => () =>
  totpAt(secretOf(secret), service.deps.clock.now());

/** A person who has accepted their invitation, and has a second factor if they must. */
export async function join(service: TestService, signIn: SignIn, name: string, ...roles: string[]) {
  const { id, email, invitation } = await invite(service, name, ...roles);
  const visitor = from('192.0.2.1');
  let last: Entered = entered(await signIn.acceptInvitation({ invitation, password, visitor }));
  let code = (): string => '';
  let recovery: readonly string[] = [];
  if (last.session.needs === 'enrolment') {
    const begun = await signIn.enrol({ token: last.token, visitor });
    if (begun.kind !== 'enrolling') throw new Error(begun.kind);
    code = appWith(service, begun.secret);
    const confirmed = entered(await signIn.confirm({ token: last.token, code: code(), visitor }));
    recovery = confirmed.recovery_codes;
    last = confirmed;
  }
  expect(last.session.needs).toBeUndefined();
  return { id, email, token: last.token, device: last.device, code, recovery };
}
