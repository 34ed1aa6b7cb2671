// Files that claim to be bundles of evidence: `govctl evidence verify` is what an auditor runs on them.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readContainer } from '../../src/report/evidence/container.ts';
import type { Entry } from '../../src/report/evidence/container.ts';
import { bundleOf, containerOf, signerOf, smallFacts } from '../report/evidence/made-facts.ts';
import { startCpuTime } from '../support/cpu-time.ts';
import { runCommandLine } from '../support/fake-world.ts';
import { actingIn, hostile } from '../support/hostile.ts';
import { makeRepo } from '../support/temp-repo.ts';

const bundle = await bundleOf(smallFacts, signerOf(1));

function entriesOf(bytes: Buffer): readonly Entry[] {
  const read = readContainer(bytes);
  if ('what' in read) throw new Error(read.what);
  return read;
}

/** Verifies a file with the key of the true signer. */
async function verify(bytes: Uint8Array, ...flags: string[]) {
  const folder = makeRepo({ 'key.pem': signerOf(1).publicKey });
  writeFileSync(path.join(folder, 'x.zip'), bytes);
  const argv = ['evidence', 'verify', 'x.zip', '--key', 'key.pem', ...flags];
  const outcome = await runCommandLine(argv, {
    cwd: folder,
    env: { GOVCTL_CONFIG_DIR: folder, NO_COLOR: '1' },
  });
  return { ...outcome, files: readdirSync(folder, { recursive: true }).sort() };
}

interface RawEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly size?: number;
  readonly method?: number;
  readonly crc?: number;
}

/** A ZIP with anything in its headers. */
function zipOf(entries: Iterable<RawEntry>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let [offset, count] = [0, 0];
  for (const { name, bytes, size = bytes.length, method = 0, crc = crc32(bytes) } of entries) {
    const encoded = Buffer.from(name, 'latin1');
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(encoded.length, 22);
    local.push(Buffer.from('PK\x03\x04'), common, encoded, Buffer.from(bytes));
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, encoded);
    offset += 30 + encoded.length + bytes.length;
    count += 1;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count % 0x1_00_00, 4);
  end.writeUInt16LE(count % 0x1_00_00, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06'), end]);
}

it('a ZIP that is written as a bundle is, is one', async () => {
  expect(zipOf(entriesOf(bundle)).equals(bundle)).toBe(true);
  expect(await verify(bundle)).toMatchObject({ exitCode: 0 });
});

it.each([
  '../../../evil',
  '/etc/passwd',
  'a/../../evil',
  '..\\evil',
  'C:\\evil',
  './README.txt',
  'policies/',
  'a//b',
  '.hidden',
  'a\u0000b',
  'a'.repeat(60_000),
  '',
  hostile,
])('an entry named %j is refused by its name, and no file is written', async (name) => {
  const bytes = Buffer.from('x');
  const { exitCode, stdout, files } = await verify(zipOf([{ name, bytes }, ...entriesOf(bundle)]));
  expect(exitCode).toBe(2);
  expect(stdout).toContain('not a valid name for an entry of a bundle');
  expect(actingIn(stdout)).toEqual([]);
  expect(stdout.length).toBeLessThan(2_000);
  expect(files).toEqual(['key.pem', 'x.zip']);
  expect(existsSync('/tmp/evil')).toBe(false);
});

it('two entries with one name are refused, whichever comes first', async () => {
  const [first, second, ...rest] = entriesOf(bundle);
  if (!first || !second) throw new Error('a bundle has more');
  const double = { name: first.name, bytes: Buffer.from('another') };
  for (const made of [
    [first, double, second, ...rest],
    [double, first, second, ...rest],
  ]) {
    const { exitCode, stdout } = await verify(zipOf(made));
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`${first.name}, byte `);
    expect(stdout).toContain('two entries have this name');
  }
});

it('a wrong checksum is found, also where the content is as it was signed', async () => {
  const [first, ...rest] = entriesOf(bundle);
  if (!first) throw new Error('a bundle has more');
  const { exitCode, stdout } = await verify(zipOf([{ ...first, crc: 1 }, ...rest]));
  expect(exitCode).toBe(2);
  expect(stdout).toMatch(/- README\.txt, byte \d+: the content does not match the checksum/);
});

it('a bomb is refused as compressed, and never unpacked', async () => {
  const bomb = deflateRawSync(Buffer.alloc(200 * 1024 * 1024));
  const size = 0xff_ff_ff_ff;
  const made = zipOf([
    { name: 'README.txt', bytes: bomb, size, method: 8, crc: 0 },
    ...entriesOf(bundle).slice(1),
  ]);
  const { exitCode, stdout } = await verify(made);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('the entry is compressed');
  const before = process.memoryUsage().rss;
  await verify(made);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

it('more entries than a ZIP counts are refused in little time', async () => {
  const none = Buffer.alloc(0);
  const many = function* () {
    for (let nth = 0; nth < 70_000; nth++) yield { name: `e${nth}`, bytes: none };
    yield* entriesOf(bundle);
  };
  const made = zipOf(many());
  const spent = startCpuTime();
  const { exitCode, stdout } = await verify(made);
  expect(spent()).toBeLessThan(3_000);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('the file has too many entries');
});

it.each([
  ['that says it is longer than the file', { size: 0xff_ff_ff_f0 }],
  ['with another size beside it', { size: 3 }],
])('an entry %s is refused', async (_, { size }) => {
  const [first, ...rest] = entriesOf(bundle);
  if (!first) throw new Error('a bundle has more');
  const made = zipOf([{ ...first, size }, ...rest]);
  if (size > 1_000) made.writeUInt32LE(size, 18);
  const { exitCode, stdout } = await verify(made);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('README.txt');
});

it('a second ZIP before, after or inside of a bundle is found: other programs would read that one', async () => {
  const other = zipOf([{ name: 'README.txt', bytes: Buffer.from('another') }]);
  const withComment = Buffer.from(bundle);
  withComment.writeUInt16LE(other.length, bundle.length - 2);
  for (const [made, exit] of [
    [Buffer.concat([bundle, other]), 2],
    [Buffer.concat([other, bundle]), 2],
    [Buffer.concat([withComment, other]), 2],
    [Buffer.concat([Buffer.from('#!/bin/sh\n'), bundle]), 3],
  ] as const) {
    expect(await verify(made)).toMatchObject({ exitCode: exit });
  }
});

const replaced = (name: string, bytes: Uint8Array): Buffer =>
  containerOf(entriesOf(bundle).map((entry) => (entry.name === name ? { name, bytes } : entry)));

it.each([
  ['of 40 MiB', () => Buffer.alloc(40 * 1024 * 1024, '{')],
  ['nested a million times', () => Buffer.from('['.repeat(1_000_000))],
  ['with a payload that is nested a million times', nestedPayload],
  ['that is no UTF-8', () => Buffer.from([0xff, 0xfe, 0x00])],
  ['that is empty', () => Buffer.alloc(0)],
  ['with a prototype', () => Buffer.from('{"__proto__":{"payload":"","signatures":[]}}')],
])('a statement %s is refused', async (_, statement) => {
  const { exitCode, stdout } = await verify(replaced('statement.dsse.json', statement()));
  expect(exitCode).toBe(2);
  expect(stdout).toContain('- statement.dsse.json: the content is not a signed statement');
});

function nestedPayload(): Buffer {
  const payload = Buffer.from('{"a":'.repeat(1_000_000)).toString('base64');
  const payloadType = 'application/vnd.in-toto+json';
  return Buffer.from(
    JSON.stringify({ payload, payloadType, signatures: [{ keyid: 'x', sig: 'AA==' }] }),
  );
}

it.each([
  ['an RSA key', () => pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey)],
  ['an Ed448 key', () => pemOf(generateKeyPairSync('ed448').publicKey)],
  ['two keys', () => signerOf(1).publicKey + signerOf(2).publicKey],
  ['no key', () => 'none'],
])('a bundle with %s is refused', async (_, pem) => {
  const { exitCode, stdout } = await verify(replaced('server-key.pem', Buffer.from(pem())));
  expect(exitCode).toBe(2);
  expect(stdout).toContain('- server-key.pem: the content is not an Ed25519 public key');
});

const pemOf = (key: { export(options: { type: 'spki'; format: 'pem' }): string | Buffer }) =>
  key.export({ type: 'spki', format: 'pem' }).toString();

it('who signs changed evidence with a key of their own is told from the true signer', async () => {
  const forged = { ...smallFacts, controls: [] };
  const foreign = await bundleOf(forged, signerOf(2));
  const { exitCode, stdout } = await verify(foreign);
  expect(exitCode).toBe(5);
  expect(stdout).toContain('not the key in --key');
  // With the true key in it, or the ID of the true key, its signature is no longer that of its key.
  const pretending = await bundleOf(forged, { ...signerOf(2), publicKey: signerOf(1).publicKey });
  expect(await verify(pretending)).toMatchObject({ exitCode: 2 });
  const named = await bundleOf(forged, { ...signerOf(2), id: signerOf(1).id });
  expect(await verify(named)).toMatchObject({ exitCode: 2 });
  const both = { ...signerOf(1), sign: signerOf(2).sign };
  expect(await verify(await bundleOf(forged, both))).toMatchObject({ exitCode: 2 });
});

it('a signature that is another spelling of the true one is refused', async () => {
  const order = (1n << 252n) + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
  const malleable = {
    ...signerOf(1),
    sign: (text: string) => {
      const signature = Buffer.from(signerOf(1).sign(text), 'base64');
      const s =
        BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
      const hex = s.toString(16).padStart(64, '0');
      return Buffer.concat([signature.subarray(0, 32), Buffer.from(hex, 'hex').reverse()]).toString(
        'base64',
      );
    },
  };
  const { exitCode, stdout } = await verify(await bundleOf(smallFacts, malleable));
  expect(exitCode).toBe(2);
  expect(stdout).toContain('the signature does not match the key');
});

it('what a bundle says of itself does nothing to a terminal', async () => {
  const made = await bundleOf({
    ...smallFacts,
    cut: { ...smallFacts.cut, at: hostile, scan_id: hostile },
    server: { ...smallFacts.server, base_url: hostile },
    framework: { name: hostile },
    since: hostile,
    missing: Array.from({ length: 1_000 }, () => hostile),
  });
  const { exitCode, stdout } = await verify(made);
  expect(exitCode, stdout).toBe(0);
  expect(actingIn(stdout)).toEqual([]);
  expect(stdout.split('\n').length).toBeLessThan(30);
  const json = await verify(made, '-o', 'json');
  expect(actingIn(json.stdout)).toEqual([]);
  expect(JSON.parse(json.stdout)).toMatchObject({ bundle: { base_url: hostile } });
});

it('what is no file is read no further than a bundle can be long', async () => {
  const folder = makeRepo({ 'a/b.txt': 'x' });
  const run = (file: string) =>
    runCommandLine(['evidence', 'verify', file], {
      cwd: folder,
      env: { GOVCTL_CONFIG_DIR: folder },
    });
  expect(await run('a')).toMatchObject({ exitCode: 3 });
  expect((await run('a')).stderr).toContain('a could not be read');
});
