import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GovctlError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { Signer } from '../../report/formats/render.ts';
import { signDigest } from '../../report/sign/detached-signature.ts';
import { serverState } from './collection.ts';
import type { Reader } from '../store/store.ts';
import { makeSelfSigned } from './self-signed.ts';

/** Paths of PEM files: a certificate, with those that vouch for it after it, and its key. */
export interface SigningFiles {
  readonly cert: string;
  readonly key: string;
}

type SigningDeps = Pick<Deps, 'store' | 'secrets' | 'clock' | 'random' | 'log'>;

/** What signs reports: what the operator gave, or what the server made for itself at its first use. */
export type FindSigner = () => Promise<Signer>;

export function createSigner(deps: SigningDeps, given?: Signer): FindSigner {
  let found: Promise<Signer> | undefined;
  return () => {
    if (given) return Promise.resolve(given);
    found ??= ownSigner(deps).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

const own = 'report_signing';

/** Whether it has made a key of its own, which is sealed: what was signed with it should be followed by more of it. */
export const hasOwnSigner = async (store: Reader): Promise<boolean> =>
  (await store.get(serverState, own)) !== undefined;

/** Kept, so that a later start signs with the same; of two that make one at once, the first one stored is both's. */
async function ownSigner(deps: SigningDeps): Promise<Signer> {
  const { store, secrets, log } = deps;
  const kept = (await store.get(serverState, own))?.doc.value;
  const known = kept === undefined ? undefined : openSigner(deps, kept);
  if (known) return known;
  const made = await makeSelfSigned(deps);
  const value = secrets.seal(JSON.stringify(made), own);
  return store.transact(async (tx) => {
    const before = (await tx.get(serverState, own))?.doc.value;
    if (before === undefined) await tx.insert(serverState, { id: own, value });
    else {
      const theirs = openSigner(deps, before);
      if (theirs) return theirs;
      log.warn({}, 'the signing key of reports can no longer be read: a new key was created');
      await tx.replace(serverState, { id: own, value });
    }
    return made;
  });
}

/** Undefined where it was sealed with another key: in another server's snapshot, or data that were put together. */
function openSigner({ secrets }: SigningDeps, sealed: string): Signer | undefined {
  let text: string;
  try {
    text = secrets.open(sealed, own);
  } catch {
    return undefined;
  }
  // Sealed by this file alone.
  return JSON.parse(text) as Signer;
}

/**
 * Reads what signs reports, and tries it.
 * @throws GovctlError file_error, or usage_error where the two don't fit each other or can't sign
 */
export async function readSigner({ cert, key }: SigningFiles): Promise<Signer> {
  const signer = {
    certificate: await read('--signing-cert', cert),
    privateKey: await read('--signing-key', key),
  };
  try {
    if (
      !new X509Certificate(signer.certificate).checkPrivateKey(createPrivateKey(signer.privateKey))
    ) {
      throw new Error('the key does not match the certificate');
    }
    signDigest(Buffer.alloc(32), new Date(0), signer);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GovctlError(
      'usage_error',
      `Reports cannot be signed with ${cert} and ${key}: ${why}`,
      {
        cause,
        hint: 'Set --signing-cert to a PEM certificate (chain), and --signing-key to its unencrypted PEM key, RSA or EC.',
      },
    );
  }
  return signer;
}

async function read(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GovctlError('file_error', `${file} (${flag}) cannot be read: ${why}`, { cause });
  }
}
