import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readContainer } from '../../../src/report/evidence/container.ts';
import type { Entry } from '../../../src/report/evidence/container.ts';
import {
  bundleOf as madeBundle,
  containerOf,
  signerOf,
  smallFacts,
} from '../../report/evidence/made-facts.ts';
import { bundleOf, collected, fill, startEvidence } from '../../server/evidence/evidence-world.ts';
import type { TestService } from '../../server/test-service.ts';
import type { EvidenceCli } from './evidence-cli.ts';
import { createEvidenceCli, serviceUrl } from './evidence-cli.ts';

let service: TestService;
let cli: EvidenceCli;
let bundle: Buffer;
beforeEach(async () => {
  service = await startEvidence();
  cli = createEvidenceCli(service);
  await fill(service);
  bundle = await bundleOf(service, await collected(service));
});
afterEach(async () => {
  cli.remove();
  await service.close();
});

const verify = (content: Uint8Array, ...flags: string[]) =>
  cli.offline(['evidence', 'verify', cli.write('soc2.zip', content), ...flags]);

const entriesOf = (bytes: Buffer): readonly Entry[] => {
  const read = readContainer(bytes);
  if ('what' in read) throw new Error(read.what);
  return read;
};

describe('govctl evidence verify', () => {
  it('says offline that a bundle is unchanged, and that the key pinned at login signed it', async () => {
    const { stdout: loggedIn } = await cli.logIn();
    expect(loggedIn).toMatch(/^Pinned the server's signing key [0-9a-f]{16}…\.$/m);
    const { exitCode, stdout } = await verify(bundle);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(
      /^✓ soc2\.zip is unchanged: its \d+ entries match their hashes and the signature\.$/m,
    );
    expect(stdout).toMatch(
      new RegExp(`^Signer   [0-9a-f]{16}…  the key pinned for ${serviceUrl}$`, 'm'),
    );
    expect(stdout).toMatch(/^Content {2}SOC2: \d+ controls, 1 policy, changes since 20\d\d-/m);
    expect(stdout).toMatch(
      /^As of {4}20\d\d-\d\d-\d\d \d\d:\d\d UTC: scan_\w+, audit log to entry \d+$/m,
    );
    // As `audit verify --head` takes it.
    expect(stdout).toMatch(/^Audit {4}\d+:[0-9a-f]{64}$/m);
    expect(stdout).toContain(
      'A signature proves who signed the bundle, not that its content is true.',
    );
    const json = await verify(bundle, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'valid',
      signer: { status: 'known', pinned_for: serviceUrl },
      bundle: { framework: 'SOC2', local: true },
      problems: [],
    });
  });

  it('exits with 0 without any key, and says that the signer is unknown', async () => {
    const { exitCode, stdout } = await verify(bundle);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('The signer is unknown');
    expect(stdout).toContain('pass --key FILE');
  });

  it('exits with 5 where another key signed it than --key, or than the pinned one', async () => {
    const foreign = await madeBundle(smallFacts, signerOf(2));
    const pem = cli.write('other.pem', signerOf(2).publicKey);
    const given = await verify(bundle, '--key', pem);
    expect(given.exitCode).toBe(5);
    expect(given.stdout).toContain('not signed with the expected key');
    expect(given.stdout).toContain('not the key in --key');
    expect((await verify(foreign, '--key', pem)).exitCode).toBe(0);
    await cli.logIn();
    const pinned = await verify(foreign);
    expect(pinned.exitCode).toBe(5);
    expect(pinned.stdout).toContain(`not the key pinned for ${serviceUrl}`);
    // A key that is given goes before the pinned one.
    expect((await verify(foreign, '--key', pem)).exitCode).toBe(0);
  });

  it('exits with 2 and names each entry that was changed, removed, added and moved', async () => {
    const entries = entriesOf(bundle);
    const [readme, summary, ...rest] = entries;
    if (!readme || !summary) throw new Error('a bundle has more');
    const made = containerOf([
      { ...readme, bytes: Buffer.from('All is well.') },
      { name: 'more.txt', bytes: Buffer.from('') },
      ...rest,
    ]);
    const { exitCode, stdout } = await verify(made);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('was changed after signing: 3 problems.');
    expect(stdout).toContain('- README.txt: the content was changed');
    expect(stdout).toContain('- more.txt: the entry was added');
    expect(stdout).toContain('- bundle.json: the entry was removed');
    const moved = await verify(containerOf([summary, readme, ...rest]));
    expect(moved.exitCode).toBe(2);
    expect(moved.stdout).toContain('- bundle.json: the entries are in a different order');
    const flipped = Buffer.from(bundle);
    const at = bundle.indexOf(rest[0]?.bytes ?? 'none');
    flipped.writeUInt8(flipped.readUInt8(at) ^ 4, at);
    const json = await verify(flipped, '-o', 'json');
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'invalid',
      problems: [{ entry: rest[0]?.name, message: 'the content was changed' }],
    });
  });

  it('exits with 3 where a file is cut off or no bundle, and says in which entry and at which byte', async () => {
    const at = bundle.indexOf(entriesOf(bundle)[1]?.bytes ?? 'none') + 10;
    const cut = await verify(bundle.subarray(0, at));
    expect(cut.exitCode).toBe(3);
    expect(cut.stderr).toContain(`the file is truncated in entry 2 (bundle.json), at byte`);
    expect((await verify(bundle.subarray(0, bundle.length - 5))).stderr).toContain(
      `truncated after ${entriesOf(bundle).length} entries`,
    );
    const none = await verify(Buffer.from('%PDF-1.7'));
    expect(none.exitCode).toBe(3);
    expect(none.stderr).toContain('the file is not a ZIP');
    expect((await verify(Buffer.alloc(0))).exitCode).toBe(3);
    expect((await cli.offline(['evidence', 'verify', 'absent.zip'])).exitCode).toBe(3);
  });

  it('takes the key of the profile that --profile or --base-url names, and of no repo', async () => {
    await cli.logIn({}, '--profile', 'acme');
    cli.write('govctl.yaml', 'base_url: https://other.example.com\n');
    expect((await verify(bundle)).stdout).toContain('the key pinned for');
    expect((await verify(bundle, '--profile', 'acme')).stdout).toContain('the key pinned for');
    expect((await verify(bundle, '--base-url', serviceUrl)).stdout).toContain('the key pinned for');
    const other = await verify(bundle, '--base-url', 'https://other.example.com');
    expect(other.stdout).toContain('The signer is unknown');
    expect(await verify(bundle, '--profile', 'nobody')).toMatchObject({ exitCode: 4 });
  });

  it('says that a bundle of a local server is one', async () => {
    expect((await verify(bundle)).stdout).toContain('(local: the user can change the data and');
    const shared = await startEvidence({ isLocal: false });
    await fill(shared);
    const { stdout } = await verify(await bundleOf(shared, await collected(shared)));
    await shared.close();
    expect(stdout).not.toContain('local:');
  });
});
