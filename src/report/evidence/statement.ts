import { createHash, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '../../contract/canonical-json.ts';

/** Signs for the server: Ed25519 over a text as UTF-8, as base64. */
export interface StatementSigner {
  /** Lower-case hex of the SHA-256 over the public key as DER. */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  sign(text: string): string;
}

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

const Cut = z.strictObject({
  id: z.string(),
  at: z.string(),
  scan_id: z.string(),
  scan_completed_at: z.string(),
  audit_sequence: z.int(),
  audit_hash: z.string(),
});

/** What is signed besides the hashes of the entries. */
export const Predicate = z.strictObject({
  cut: Cut,
  framework: z.string(),
  base_url: z.string(),
  local: z.boolean(),
  key_id: z.string(),
});
export type Predicate = z.infer<typeof Predicate>;

const payloadType = 'application/vnd.in-toto+json';
const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://govctl.dev/evidence/v1';

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** An in-toto statement about all entries, in their order, in a DSSE envelope. */
export function envelopeOf(
  signer: StatementSigner,
  subjects: readonly Subject[],
  predicate: Predicate,
): string {
  const payload = statementText(subjects, predicate);
  return canonicalJson({
    payload: Buffer.from(payload).toString('base64'),
    payloadType,
    signatures: [{ keyid: signer.id, sig: signer.sign(preAuthEncoding(payload)) }],
  });
}

const statementText = (subjects: readonly Subject[], predicate: Predicate): string =>
  canonicalJson({
    _type: statementType,
    subject: subjects.map(({ name, sha256: hash }) => ({ name, digest: { sha256: hash } })),
    predicateType,
    predicate,
  });

/** What DSSE signs. */
function preAuthEncoding(payload: string): string {
  const length = (text: string): number => Buffer.byteLength(text);
  return `DSSEv1 ${length(payloadType)} ${payloadType} ${length(payload)} ${payload}`;
}

export interface ReadEnvelope {
  readonly key_id: string;
  readonly subjects: readonly Subject[];
  readonly predicate: Predicate;
  isSignedBy(key: KeyObject): boolean;
}

const Envelope = z.strictObject({
  payload: z.string(),
  payloadType: z.literal(payloadType),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.string() })]),
});

const Statement = z.strictObject({
  _type: z.literal(statementType),
  subject: z.array(
    z.strictObject({ name: z.string(), digest: z.strictObject({ sha256: z.string() }) }),
  ),
  predicateType: z.literal(predicateType),
  predicate: Predicate,
});

/** @returns undefined where a text is not what `envelopeOf` writes, to the byte */
export function readEnvelope(text: string): ReadEnvelope | undefined {
  const envelope = parse(Envelope, text);
  if (!envelope) return undefined;
  const [{ keyid, sig }] = envelope.signatures;
  const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const signature = Buffer.from(sig, 'base64');
  const statement = parse(Statement, payload);
  if (!statement) return undefined;
  const { predicate } = statement;
  const subjects = statement.subject.map(({ name, digest }) => ({ name, sha256: digest.sha256 }));
  const written = canonicalJson({
    payload: Buffer.from(statementText(subjects, predicate)).toString('base64'),
    payloadType,
    signatures: [{ keyid, sig: signature.toString('base64') }],
  });
  if (written !== text) return undefined;
  return {
    key_id: keyid,
    subjects,
    predicate,
    isSignedBy: (key) => verify(null, Buffer.from(preAuthEncoding(payload)), key, signature),
  };
}

function parse<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    // No JSON.
    return undefined;
  }
}
