import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Log } from '../deps.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Certificates that those of clients must be signed by; absent: clients need none. */
  readonly clientCa?: string;
}

/** The contents of the files, which fit together. */
export interface TlsContents {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

const flags = { cert: '--tls-cert', key: '--tls-key', clientCa: '--tls-client-ca' } as const;

/** What TLS is spoken with; the minimum is no part of the files, but is forgotten where it isn't given again. */
export const tlsOptions = (contents: TlsContents) =>
  ({ ...contents, minVersion: 'TLSv1.2' }) as const;

/** @throws GovctlError file_error, or usage_error where the files don't contain what they should, or don't fit */
export async function readTls(files: TlsFiles): Promise<TlsContents> {
  const [cert, key, ca] = await Promise.all([
    readPem('cert', files.cert),
    readPem('key', files.key),
    files.clientCa === undefined ? undefined : readPem('clientCa', files.clientCa),
  ]);
  const certificates = certificatesIn(cert, `${files.cert} (${flags.cert})`);
  if (ca !== undefined) certificatesIn(ca, `${files.clientCa} (${flags.clientCa})`);
  const contents: TlsContents = { cert, key, ...defined({ ca }) };
  try {
    // OpenSSL takes an RSA certificate with a key of an elliptic curve, and fails at each handshake.
    if (certificates[0]?.checkPrivateKey(createPrivateKey(key)) !== true) {
      throw new Error('the key belongs to a different certificate');
    }
    createSecureContext(tlsOptions(contents));
  } catch (cause) {
    throw new GovctlError(
      'usage_error',
      `The TLS certificate and key do not match: ${messageOf(cause)}`,
      {
        cause,
        hint: 'Set --tls-cert to a PEM certificate (chain) and --tls-key to its unencrypted PEM key.',
      },
    );
  }
  return contents;
}

const readPem = (name: keyof typeof flags, file: string): Promise<Buffer> =>
  readFile(file).catch((cause: unknown) => {
    throw new GovctlError(
      'file_error',
      `${file} (${flags[name]}) cannot be read: ${messageOf(cause)}`,
      { cause },
    );
  });

const block = /-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[^])*-----END \1-----/g;

/** OpenSSL passes over certificates of authorities that it can't read. @throws GovctlError usage_error */
function certificatesIn(pem: Buffer, what: string): readonly X509Certificate[] {
  const text = pem.toString('latin1');
  const blocks = [...text.matchAll(block)];
  const begun = text.match(/-----BEGIN /g)?.length ?? 0;
  try {
    if (blocks.length < begun) throw new Error('the file is truncated');
    const certificates = blocks
      .filter(([, label]) => label?.endsWith('CERTIFICATE'))
      .map(([certificate]) => new X509Certificate(certificate));
    if (certificates.length > 0) return certificates;
    throw new Error('the file contains no PEM certificate');
  } catch (cause) {
    throw new GovctlError('usage_error', `${what} cannot be used: ${messageOf(cause)}`, {
      cause,
      hint: 'Use a file of PEM certificates.',
    });
  }
}

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

export interface TlsReloader {
  /** Reads the files whether they have changed or not, and tells how that went. */
  now(): Promise<void>;
  stop(): void;
}

export interface ReloadOptions {
  readonly files: TlsFiles;
  /** What was read from them at the start. */
  readonly contents: TlsContents;
  /** Uses new ones. */
  readonly apply: (contents: TlsContents, earlier: TlsContents) => void;
  readonly log: Log;
  /** Milliseconds between two looks at the files; default 500. */
  readonly every?: number | undefined;
}

/**
 * Has changed files of TLS used, all of them as of one moment. Looks at them again and again: watchers of files miss
 * renames, links that were pointed elsewhere and network file systems. Files that can't be used change nothing; that is
 * told once, and tried until they can.
 */
export function reloadTls(options: ReloadOptions): TlsReloader {
  const { files, apply, log, every = 500 } = options;
  let { contents } = options;
  /** How the files looked when they were last used; at the start they may have changed since they were read. */
  let used: string | undefined;
  let seen: string | undefined;
  let told: string | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout;

  const read = async (looks: string): Promise<'same' | 'new' | 'changing'> => {
    const found = await readTls(files);
    // Another file was written while one was read: they may be of two pairs that happen to fit.
    if ((await looksOf(files)) !== looks) return 'changing';
    used = looks;
    told = undefined;
    if (isEqual(found, contents) || isStopped) return 'same';
    apply(found, contents);
    contents = found;
    log.info(factsOf(found), 'TLS files reloaded');
    return 'new';
  };
  const tell = (error: unknown): void => {
    const reason = messageOf(error);
    if (reason === told) return;
    told = reason;
    log.error({ reason }, 'TLS files cannot be used; the previous files stay in use');
  };
  const look = async (): Promise<void> => {
    const looks = await looksOf(files);
    // Only once they have stayed the same for a while: whoever writes one of them is about to write the other.
    if (looks !== used && looks === seen) await read(looks);
    seen = looks;
  };
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work).catch(tell);
    last = done;
    return done;
  };
  const lookAgain = (): void => {
    timer = setTimeout(() => void inTurn(look).then(() => isStopped || lookAgain()), every);
    timer.unref();
  };
  lookAgain();
  return {
    now: () =>
      inTurn(async () => {
        told = undefined;
        const outcome = await read(await looksOf(files));
        if (outcome === 'same') log.info(factsOf(contents), 'TLS files have not changed');
        if (outcome === 'changing')
          log.info({}, 'TLS files are being written; they will be reloaded soon');
      }),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Which files they are, and when they were last changed. */
async function looksOf({ cert, key, clientCa }: TlsFiles): Promise<string> {
  const looks = [cert, key, clientCa].map((file) =>
    file === undefined
      ? ''
      : stat(file, { bigint: true }).then(
          ({ dev, ino, size, mtimeNs, ctimeNs }) => `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        ),
  );
  return (await Promise.all(looks)).join('\n');
}

const isEqual = (one: TlsContents, other: TlsContents): boolean =>
  one.cert.equals(other.cert) && one.key.equals(other.key) && isSameCa(one, other);

/** Whether the same clients are let in. */
export const isSameCa = ({ ca: one }: TlsContents, { ca: other }: TlsContents): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);

function factsOf({ cert }: TlsContents): Readonly<Record<string, unknown>> {
  const { subject, validTo, fingerprint256 } = new X509Certificate(cert);
  return { subject, valid_to: new Date(validTo).toISOString(), fingerprint: fingerprint256 };
}
