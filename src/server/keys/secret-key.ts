import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { createDurably } from '../store/lowdb/checkpoint.ts';
import { nodeFiles, writeWhole } from '../store/lowdb/file-layer.ts';
import { serverState } from './collection.ts';
import { createSecretBox } from './secret-box.ts';
import type { SecretBox } from './secret-box.ts';

/** The variable that a key can be given in. */
const variable = 'GOVCTL_SERVER_SECRET_KEY';
const keyLength = 32;
/** Says which key the secrets were sealed with: a known text, sealed. */
const check = { id: 'secret_key', text: 'govctl' } as const;

export interface SecretKeyOptions {
  readonly dataDir: string;
  /** Base64 of 32 bytes, from the environment; instead of the file in the data folder. */
  readonly given?: string | undefined;
  /** Whether anything is stored that was sealed. */
  readonly isUsed: () => Awaitable<boolean>;
}

/**
 * Finds the key that secrets are sealed with: the given one, or `secret.key` of the data folder, which the first start
 * makes. A key that isn't the one of what is stored is refused, and so is a missing one: no new key is made over old secrets.
 * Only for the process that has the store open.
 * @throws GovctlError usage_error for a given key that is none, data_refused, file_error
 */
export async function openSecretBox(
  { store, random }: Pick<Deps, 'store' | 'random'>,
  { dataDir, given, isUsed }: SecretKeyOptions,
): Promise<SecretBox> {
  const file = path.join(dataDir, 'secret.key');
  const known = (await store.get(serverState, check.id))?.doc;
  const key = given === undefined ? await readKeyFile(file) : parseGiven(given);
  if (key) {
    const box = createSecretBox(key, random);
    if (known && opens(box, known.value)) return box;
    if (known && (await isUsed())) throw otherKey(given === undefined ? file : variable);
    await keepCheck(store, box);
    return box;
  }
  if (await isUsed()) throw missingKey(file);
  const made = random(keyLength);
  await writeKeyFile(file, made);
  const box = createSecretBox(made, random);
  await keepCheck(store, box);
  return box;
}

function opens(box: SecretBox, sealed: string): boolean {
  try {
    return box.open(sealed, check.id) === check.text;
  } catch {
    return false;
  }
}

const keepCheck = (store: Deps['store'], box: SecretBox): Promise<unknown> =>
  store.transact(async (tx) => {
    const doc = { id: check.id, value: box.seal(check.text, check.id) };
    const before = await tx.get(serverState, check.id);
    return before ? tx.replace(serverState, doc) : tx.insert(serverState, doc);
  });

/** The one text of 32 bytes in base64. */
function parseKey(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === keyLength && bytes.toString('base64') === text ? bytes : undefined;
}

function parseGiven(given: string): Uint8Array {
  const key = parseKey(given.trim());
  if (key) return key;
  throw new GovctlError('usage_error', `${variable} must be ${keyLength} bytes in base64`, {
    hint: 'Create one with `openssl rand -base64 32`, or unset the variable to use secret.key in the data directory.',
  });
}

async function readKeyFile(file: string): Promise<Uint8Array | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unusable(file, 'read', cause);
  }
  const key = parseKey(text.trim());
  if (key) return key;
  throw new GovctlError('data_refused', `${file} no longer contains a key`, {
    hint: `The key is ${keyLength} bytes in base64; restore it from a backup, or set the key in ${variable}.`,
  });
}

/** Whole and durable before anything is sealed with it. */
async function writeKeyFile(file: string, key: Uint8Array): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    const text = Buffer.from(`${Buffer.from(key).toString('base64')}\n`);
    await createDurably(nodeFiles, temporary, (open) => writeWhole(open, text));
    await nodeFiles.rename(temporary, file);
    await nodeFiles.syncFolder(path.dirname(file));
  } catch (cause) {
    throw unusable(file, 'written', cause);
  }
}

function unusable(file: string, verb: 'read' | 'written', cause: unknown): GovctlError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GovctlError('file_error', `${file} cannot be ${verb}: ${why}`, { cause });
}

const wayBack =
  'If the key is lost, the stored secrets are lost, too: start over with another --data-dir.';

const missingKey = (file: string): GovctlError =>
  new GovctlError('data_refused', `${file} is missing: the key that encrypts the stored secrets`, {
    hint: `Restore it from a backup, or set the key in ${variable}. ${wayBack}`,
  });

const otherKey = (where: string): GovctlError =>
  new GovctlError(
    'data_refused',
    `The key in ${where} is not the key that encrypts the stored secrets`,
    {
      hint: `Restore secret.key of this data directory from a backup, or set the right key in ${variable}. ${wayBack}`,
    },
  );
