import { ContainerWriter } from './container.ts';
import type { Entry } from './container.ts';
import type { EvidenceFacts, ManualFacts } from './facts.ts';
import { assessmentResults } from './oscal.ts';
import { envelopeOf, sha256 } from './statement.ts';
import type { StatementSigner, Subject } from './statement.ts';

export const statementName = 'statement.dsse.json';
export const keyName = 'server-key.pem';
export const bundleName = 'bundle.json';

export interface BuildOptions {
  readonly signer: StatementSigner;
  /** The bytes of a file that was attached. */
  readonly attachment: (manual: ManualFacts) => Promise<Uint8Array>;
  /** Lets others have their turn. */
  readonly turn: () => Promise<void>;
}

/**
 * The bytes of a bundle, entry by entry. The same facts and the same key give the same bytes: neither a clock nor anything
 * random is involved.
 * @throws ContainerFull where it would be too large
 */
export async function* buildBundle(
  facts: EvidenceFacts,
  { signer, attachment, turn }: BuildOptions,
): AsyncGenerator<Uint8Array> {
  const writer = new ContainerWriter();
  const subjects: Subject[] = [];
  const add = (entry: Entry): readonly Uint8Array[] => {
    subjects.push({ name: entry.name, sha256: sha256(entry.bytes) });
    return writer.add(entry);
  };
  for (const [name, pieces] of textEntries(facts, signer)) {
    yield* add({ name, bytes: await join(pieces, turn) });
  }
  for (const manual of attachedFiles(facts)) {
    yield* add({ name: `attachments/${manual.file.sha256}`, bytes: await attachment(manual) });
    await turn();
  }
  yield* add({ name: keyName, bytes: Buffer.from(signer.publicKey) });
  const { cut, framework, server } = facts;
  const predicate = {
    cut,
    framework: framework.name,
    base_url: server.base_url,
    local: server.local,
    key_id: signer.id,
  };
  const envelope = envelopeOf(signer, subjects, predicate);
  yield* writer.add({ name: statementName, bytes: Buffer.from(envelope) });
  yield writer.end();
}

type AttachedFile = ManualFacts & { readonly file: NonNullable<ManualFacts['file']> };

/** Each once: several controls may have the same file. */
function attachedFiles({ manual }: EvidenceFacts): Iterable<AttachedFile> {
  const withFile = manual.filter((one): one is AttachedFile => one.file !== undefined);
  return new Map(withFile.map((one) => [one.file.sha256, one])).values();
}

function* textEntries(
  facts: EvidenceFacts,
  signer: StatementSigner,
): Generator<readonly [name: string, pieces: Iterable<string>]> {
  yield ['README.txt', [readme(facts)]];
  yield [bundleName, [pretty(summaryOf(facts, signer))]];
  yield ['controls.ndjson', lines(facts.controls)];
  for (const policy of facts.policies) {
    yield [`policies/${policy.id}.json`, [pretty(policy)]];
    const violations = facts.violations.get(policy.id) ?? [];
    if (violations.length > 0) yield [`violations/${policy.id}.ndjson`, lines(violations)];
  }
  if (facts.exemptions.length > 0) yield ['exemptions.ndjson', lines(facts.exemptions)];
  if (facts.manual.length > 0) yield ['manual.ndjson', lines(facts.manual)];
  if (facts.changes.length > 0) yield ['changes.ndjson', lines(facts.changes)];
  yield ['oscal/assessment-results.json', assessmentResults(facts)];
}

const summaryOf = (
  { cut, server, framework, since, controls, policies, missing }: EvidenceFacts,
  signer: StatementSigner,
) => ({
  format_version: 1,
  cut,
  server: { ...server, key_id: signer.id },
  framework,
  since,
  controls: controls.length,
  policies: policies.length,
  missing,
});

const pretty = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

function* lines(values: Iterable<object>): Generator<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** Characters of an entry that are put together in one turn: some milliseconds. */
const perTurn = 1 << 17;

async function join(pieces: Iterable<string>, turn: () => Promise<void>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    parts.push(Buffer.from(piece));
    if ((length += piece.length) < perTurn) continue;
    length = 0;
    await turn();
  }
  return Buffer.concat(parts);
}

const readme = ({ cut, server, framework, controls, missing }: EvidenceFacts): string =>
  [
    `Evidence for ${oneLine(framework.name)}: ${controls.length} controls, as of ${cut.at}`,
    '',
    server.local
      ? 'Created by a LOCAL SERVER, which is reachable only from its own machine and whose operator can set the clock and the data.'
      : `Created by ${oneLine(server.base_url)}.`,
    '',
    'bundle.json                     the bundle: its content and the time it describes',
    'controls.ndjson                 each control with its status and policies',
    'policies/                       each policy with its counts and samples of passing resources',
    'violations/                     violations by policy',
    'exemptions.ndjson               exemptions from these policies',
    'manual.ndjson, attachments/     attached evidence; files are named by SHA-256',
    'changes.ndjson                  changes of policies and exemptions, from the audit log',
    'oscal/assessment-results.json   the results in OSCAL 1.0.4',
    'server-key.pem                  the public key of the server',
    'statement.dsse.json             the signed hashes of all entries above',
    '',
    'To verify this bundle, run: govctl evidence verify FILE --key KEY',
    'The signature proves who wrote this bundle and that it was not changed, not that its content is true.',
    ...(missing.length > 0 ? ['', 'Not in this bundle:', ...missing.map((one) => `- ${one}`)] : []),
    '',
  ].join('\n');

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
