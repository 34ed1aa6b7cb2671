import { createHash, createPublicKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContainer } from '../../../src/report/evidence/container.ts';
import type { Entry } from '../../../src/report/evidence/container.ts';
import { verifyBundle } from '../../../src/report/evidence/verify.ts';
import { hasTool, readTool, runTool } from '../../support/system-tool.ts';
import { anyFacts, bundleOf, containerOf, signerOf, smallFacts } from './made-facts.ts';

const keyOf = (seed: number) => createPublicKey(signerOf(seed).publicKey);

function entriesOf(bundle: Buffer): readonly Entry[] {
  const read = readContainer(bundle);
  if ('kind' in read) throw new Error(read.what);
  return read;
}

const verdictOf = (bytes: Buffer): string => verifyBundle(bytes, []).verdict;

describe('a bundle of evidence', () => {
  it('is valid, whatever its facts say, and the same facts give the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(anyFacts, async (facts) => {
        const bundle = await bundleOf(facts);
        expect(verifyBundle(bundle, [])).toMatchObject({ verdict: 'valid', problems: [] });
        expect((await bundleOf(facts)).equals(bundle)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('has the same bytes on every version of Node', async () => {
    const hash = createHash('sha256')
      .update(await bundleOf(smallFacts))
      .digest('hex');
    expect(hash).toBe('c35ccb7f34774f4766b118d5041dd7e01d37c7a2f43f8c308da540474e3e3ebd');
  });

  it('says who signed it: a key that is known, another one, or nobody can tell', async () => {
    const bundle = await bundleOf(smallFacts, signerOf(1));
    expect(verifyBundle(bundle, [keyOf(2), keyOf(1)])).toMatchObject({ signer: 'known' });
    expect(verifyBundle(bundle, [keyOf(2)])).toMatchObject({ signer: 'other' });
    expect(verifyBundle(bundle, [])).toMatchObject({ signer: 'unknown' });
  });

  it('says that a local server made it', async () => {
    const local = { ...smallFacts, server: { ...smallFacts.server, local: true } };
    const bundle = await bundleOf(local);
    expect(verifyBundle(bundle, [])).toMatchObject({ summary: { local: true } });
    const [readme] = entriesOf(bundle);
    expect(Buffer.from(readme?.bytes ?? []).toString()).toContain('Created by a LOCAL SERVER');
  });

  it('is invalid with any bit of any byte flipped', async () => {
    const bundle = await bundleOf(smallFacts);
    expect(bundle.length).toBeLessThan(16_384);
    const unnoticed: number[] = [];
    for (let at = 0; at < bundle.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const before = bundle.readUInt8(at);
        bundle.writeUInt8(before ^ (1 << bit), at);
        // Which entry it is in takes longer to find out than that it is: that is asked of some.
        const found = (at * 8 + bit) % 127 === 0 ? verifyBundle(bundle, []) : readContainer(bundle);
        const isNoticed = 'verdict' in found ? found.verdict !== 'valid' : 'what' in found;
        if (!isNoticed) unnoticed.push(at);
        bundle.writeUInt8(before, at);
      }
    }
    expect(unnoticed).toEqual([]);
    expect(verdictOf(bundle)).toBe('valid');
  });

  it('is invalid with an entry removed, added, doubled or moved, although the ZIP is whole', async () => {
    const entries = entriesOf(await bundleOf(smallFacts));
    expect(entries.length).toBeGreaterThan(8);
    for (const [at, entry] of entries.entries()) {
      const without = entries.toSpliced(at, 1);
      expect(verdictOf(containerOf(without)), `without ${entry.name}`).toBe('invalid');
      const moved = without.toSpliced((at + 3) % entries.length, 0, entry);
      expect(verdictOf(containerOf(moved)), `${entry.name} moved`).toBe('invalid');
      const added = entries.toSpliced(at, 0, { name: 'added.txt', bytes: Buffer.from('x') });
      expect(verdictOf(containerOf(added)), `added before ${entry.name}`).toBe('invalid');
      const doubled = entries.toSpliced(at, 0, { ...entry, name: `${entry.name}2` });
      expect(verdictOf(containerOf(doubled)), `${entry.name} doubled`).toBe('invalid');
      const changed = entries.with(at, {
        ...entry,
        bytes: Buffer.concat([entry.bytes, Buffer.from(' ')]),
      });
      expect(verdictOf(containerOf(changed)), `${entry.name} changed`).toBe('invalid');
    }
  });

  it('names the entries that were changed, added and removed', async () => {
    const entries = entriesOf(await bundleOf(smallFacts));
    const made = containerOf([
      { name: 'more.txt', bytes: Buffer.from('more') },
      ...entries
        .filter(({ name }) => name !== 'controls.ndjson')
        .map((entry) =>
          entry.name === 'README.txt' ? { ...entry, bytes: Buffer.from('') } : entry,
        ),
    ]);
    expect(verifyBundle(made, []).problems).toEqual([
      { entry: 'more.txt', message: 'the entry was added' },
      { entry: 'README.txt', message: 'the content was changed' },
      { entry: 'controls.ndjson', message: 'the entry was removed' },
    ]);
  });

  it('is invalid where somebody signs the changed entries with another key', async () => {
    const entries = entriesOf(await bundleOf(smallFacts, signerOf(1)));
    const other = entriesOf(await bundleOf({ ...smallFacts, missing: [] }, signerOf(2)));
    const statement = other.at(-1);
    if (!statement) throw new Error('there is one');
    expect(verdictOf(containerOf([...entries.slice(0, -1), statement]))).toBe('invalid');
  });

  it('names every entry whose content was changed in place, and the entry that a cut is in', async () => {
    const bundle = await bundleOf(smallFacts);
    const entries = entriesOf(bundle);
    const contentAt = (entry: Entry | undefined): number => bundle.indexOf(entry?.bytes ?? 'none');
    for (const entry of entries) {
      const [at, { name }] = [contentAt(entry), entry];
      const changed = Buffer.from(bundle);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const { verdict, problems } = verifyBundle(changed, []);
      expect(verdict).toBe('invalid');
      expect(problems.map(({ entry: named }) => named)).toEqual([name]);
      const cut = verifyBundle(bundle.subarray(0, at), []);
      expect(cut).toMatchObject({ verdict: 'unreadable', problems: [{ entry: name, offset: at }] });
    }
    const [first, second] = entries;
    const two = Buffer.from(bundle);
    for (const entry of [first, second]) two.writeUInt8(0, contentAt(entry));
    expect(verifyBundle(two, []).problems).toEqual([
      { entry: first?.name, message: 'the content was changed' },
      { entry: second?.name, message: 'the content was changed' },
    ]);
  });

  it('says where bytes were added after the end of the bundle, and that its directory was changed', async () => {
    const bundle = await bundleOf(smallFacts);
    expect(verifyBundle(Buffer.concat([bundle, Buffer.from('xy')]), [])).toEqual({
      verdict: 'invalid',
      problems: [
        { offset: bundle.length, message: '2 bytes were added after the end of the bundle' },
      ],
    });
    const changed = Buffer.from(bundle);
    const at = bundle.length - 30;
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(verifyBundle(changed, [])).toEqual({
      verdict: 'invalid',
      problems: [{ offset: at, message: 'the ZIP directory was changed' }],
    });
  });

  it('cannot be read where it is cut at any byte', async () => {
    const bundle = await bundleOf(smallFacts);
    for (let length = 0; length < bundle.length; length += 7) {
      expect(verdictOf(bundle.subarray(0, length)), String(length)).toBe('unreadable');
    }
  });
});

const hasOpenssl = hasTool('openssl 3', () => {
  if (!/^OpenSSL 3/.test(readTool('openssl', 'version'))) throw new Error('an older openssl');
});

describe.skipIf(!hasOpenssl)('the envelope of a bundle', () => {
  it('is verified by openssl, and is not once its payload is another', async () => {
    const entries = entriesOf(await bundleOf(smallFacts));
    const contentOf = (name: string): Buffer =>
      Buffer.from(entries.find((entry) => entry.name === name)?.bytes ?? []);
    const { payload, payloadType, signatures } = JSON.parse(
      contentOf('statement.dsse.json').toString(),
    ) as { payload: string; payloadType: string; signatures: { sig: string }[] };
    const folder = await mkdtemp(path.join(tmpdir(), 'govctl-dsse-'));
    const file = (name: string): string => path.join(folder, name);
    try {
      const signed = async (body: Buffer): Promise<void> => {
        const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `;
        await writeFile(file('signed'), Buffer.concat([Buffer.from(head), body]));
      };
      await writeFile(file('key.pem'), contentOf('server-key.pem'));
      await writeFile(file('sig'), Buffer.from(signatures[0]?.sig ?? '', 'base64'));
      const verify = (): void =>
        runTool(
          'openssl',
          'pkeyutl',
          '-verify',
          '-pubin',
          '-inkey',
          file('key.pem'),
          '-rawin',
          '-in',
          file('signed'),
          '-sigfile',
          file('sig'),
        );
      await signed(Buffer.from(payload, 'base64'));
      expect(verify).not.toThrow();
      await signed(Buffer.from('another payload'));
      expect(verify).toThrow();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const hasUnzip = hasTool('unzip', () => readTool('unzip', '-v'));

describe.skipIf(!hasUnzip)('the container of a bundle', () => {
  it('opens in other programs', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'govctl-zip-'));
    try {
      const file = path.join(folder, 'bundle.zip');
      await writeFile(file, await bundleOf(smallFacts));
      expect(readTool('unzip', '-t', file)).toContain('No errors detected');
      expect(readTool('unzip', '-p', file, 'bundle.json')).toContain('"format_version": 1');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
