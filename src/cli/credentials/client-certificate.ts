import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';
import type { Warn } from './private-file.ts';
import type { Profile } from './profiles.ts';

/** PEM files of what a service that requires client certificates (mutual TLS) is shown. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Variables of the environment that name them; files of a repo never do. */
const variables = { cert: 'GOVCTL_CLIENT_CERT', key: 'GOVCTL_CLIENT_KEY' } as const;

/** Those of the environment, else of the profile. @throws GovctlError usage_error for one without the other */
export function certificateFilesOf(
  { env, cwd }: Pick<World, 'env' | 'cwd'>,
  profile?: Pick<Profile, 'client_cert' | 'client_key'>,
): CertificateFiles | undefined {
  return (
    bothOf(cwd, { cert: env[variables.cert], key: env[variables.key] }, variables) ??
    bothOf(
      cwd,
      { cert: profile?.client_cert, key: profile?.client_key },
      { cert: 'client_cert of the profile', key: 'client_key of the profile' },
    )
  );
}

/** @param names of the two, for the error. @throws GovctlError usage_error for one without the other */
export function bothOf(
  cwd: string,
  { cert, key }: { readonly cert: string | undefined; readonly key: string | undefined },
  names: CertificateFiles,
): CertificateFiles | undefined {
  if (cert && key) return { cert: resolve(cwd, cert), key: resolve(cwd, key) };
  if (!cert && !key) return undefined;
  const [given, lacks] = cert ? [names.cert, names.key] : [names.key, names.cert];
  throw new GovctlError('usage_error', `${given} is set, but ${lacks} is not`, {
    hint: 'Set both. If one PEM file contains both the certificate and the key, use its path for both.',
  });
}

/** PEM. */
export interface ClientCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const othersMay = 0o007;

/**
 * Reads a client certificate and its key, which belong together.
 * @throws GovctlError file_error for a file that can't be read, invalid_file for one that doesn't contain what it should
 */
export async function readClientCertificate(
  files: CertificateFiles,
  { warn, now }: { readonly warn: Warn; readonly now: () => number },
): Promise<ClientCertificate> {
  const [cert, key] = await Promise.all([
    readPem(files.cert, 'client certificate'),
    readPem(files.key, 'key of the client certificate'),
  ]);
  const { mode } = await stat(files.key);
  // Mounted secrets often are, and it is not our file: its mode stays.
  if (process.platform !== 'win32' && (mode & othersMay) !== 0) {
    await warn(`${files.key} can be read by every user of this machine; run \`chmod o= ${files.key}\`.`); // prettier-ignore
  }
  const certificate = certificateIn(cert, files.cert);
  const end = Date.parse(certificate.validTo);
  if (end < now()) {
    await warn(`The client certificate ${files.cert} expired on ${new Date(end).toISOString().slice(0, 10)}.`); // prettier-ignore
  }
  let isPair: boolean;
  try {
    isPair = certificate.checkPrivateKey(createPrivateKey(key));
    if (isPair) createSecureContext({ cert, key });
  } catch (cause) {
    throw new GovctlError(
      'invalid_file',
      `The key of the client certificate, ${files.key}, is not an unencrypted PEM key`,
      {
        cause,
        hint: `Convert the key with \`openssl pkey -in ${files.key} -out KEY.pem\`, which also removes a password.`,
      },
    );
  }
  if (isPair) return { cert, key };
  throw new GovctlError(
    'invalid_file',
    `The key ${files.key} does not belong to the client certificate ${files.cert}`,
    {
      hint: 'Pass the key that the certificate was issued for. In a file with a chain, the certificate of the client must come first.',
    },
  );
}

/** @throws GovctlError invalid_file */
function certificateIn(pem: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new GovctlError('invalid_file', `${file} contains no client certificate in PEM format`, {
      cause,
      hint: 'A PEM file begins with -----BEGIN CERTIFICATE-----. Convert a .p12 file with `openssl pkcs12 -in FILE.p12 -nodes -out FILE.pem`.',
    });
  }
}

const readPem = (file: string, what: string): Promise<Buffer> =>
  readFile(file).catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : message;
    throw new GovctlError('file_error', `The ${what}, ${file}, cannot be read: ${why}`, {
      cause,
      hint: `Check ${variables.cert} and ${variables.key}, or set other files with \`govctl auth login --client-cert FILE --client-key FILE\`.`,
    });
  });
