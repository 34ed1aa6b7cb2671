import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { startEvidence } from '../../server/evidence/evidence-world.ts';
import type { TestService } from '../../server/test-service.ts';
import type { EvidenceCli } from '../evidence/evidence-cli.ts';
import { createEvidenceCli, serviceUrl } from '../evidence/evidence-cli.ts';

let service: TestService;
let cli: EvidenceCli;
beforeEach(async () => {
  service = await startEvidence();
  cli = createEvidenceCli(service);
});
afterEach(async () => {
  cli.remove();
  await service.close();
});

const otherPem = generateKeyPairSync('ed25519')
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

/** The service, which shows another signing key. */
const withKey =
  (answer: () => Response): Fetch =>
  async (url, init) =>
    new URL(url).pathname.endsWith('/evidence/key')
      ? answer()
      : service.app.fetch(new Request(url, init), {});
const another = withKey(() => Response.json({ key: { id: 'x', public_key: otherPem } }));

const verifyLog = (setup: FakeWorldSettings = {}) =>
  cli.offline(['audit', 'verify', '-o', 'json'], {
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });

const signerStatus = async (): Promise<unknown> =>
  (JSON.parse((await verifyLog()).stdout) as { signer: { status: string } }).signer.status;

describe("the server's signing key", () => {
  it('is pinned at the first login, and compared by audit verify', async () => {
    const { stdout } = await cli.logIn({}, '-o', 'json');
    const { server_key_id: id } = JSON.parse(stdout) as { server_key_id: string };
    expect(JSON.parse((await verifyLog()).stdout)).toMatchObject({
      signer: { key_id: id, status: 'known', pinned_for: serviceUrl },
    });
  });

  it('that is another at a later login is not pinned unless a person says so', async () => {
    await cli.logIn();
    const kept = await cli.logIn({ fetch: another });
    expect(kept.exitCode).toBe(0);
    expect(kept.stderr).toMatch(
      /now signs with key [0-9a-f]{16}…; an earlier login pinned key [0-9a-f]{16}…/,
    );
    expect(await signerStatus()).toBe('known');
    const asking = { fetch: another, tty: true, stdin: '' };
    const argv = ['auth', 'login', '--base-url', serviceUrl];
    const answers = ['key', service.key];
    await cli.offline(argv, { ...asking, answers: [...answers, false] });
    expect(await signerStatus()).toBe('known');
    await cli.offline(argv, { ...asking, answers: [...answers, true] });
    expect(await signerStatus()).toBe('other');
    expect(await verifyLog()).toMatchObject({ exitCode: 5 });
  });

  it('is pinned anew after a logout', async () => {
    await cli.logIn({ fetch: another });
    expect(await signerStatus()).toBe('other');
    await cli.offline(['auth', 'logout']);
    await cli.logIn();
    expect(await signerStatus()).toBe('known');
  });

  it.each([
    ['none', () => new Response('{"error":"not_found"}', { status: 404 })],
    ['no key', () => Response.json({ key: { id: 'x', public_key: 'none' } })],
    ['no JSON', () => new Response('none')],
  ])('stays what it was where a server shows %s', async (_, answer) => {
    const first = await cli.logIn({ fetch: withKey(answer) });
    expect(first.exitCode).toBe(0);
    expect(await signerStatus()).toBe('unknown');
    await cli.logIn();
    await cli.logIn({ fetch: withKey(answer) });
    expect(await signerStatus()).toBe('known');
  });

  it('of a profile says nothing of a server at another address', async () => {
    await cli.logIn();
    const env = { GOVCTL_BASE_URL: `${serviceUrl}/other`, GOVCTL_TOKEN: service.key };
    const { stdout } = await verifyLog({
      env,
      fetch: async (url, init) =>
        service.app.fetch(new Request(url.replace('/other', ''), init), {}),
    });
    expect(JSON.parse(stdout)).toMatchObject({ signer: { status: 'unknown' } });
  });
});
