import { stringifyYaml } from './yaml-text.ts';
import { policyFields } from '../../contract/policies.ts';
import { keyPattern, makeKey, maxKeyLength } from '../key.ts';
import { withoutOwnership } from '../compare/ownership.ts';
import { kindField } from '../kinds/kind.ts';
import type { Body, Kind, Kinded } from '../kinds/kind.ts';
import type { PolicyLike } from '../kinds/policy.ts';

/**
 * A policy as a tidy YAML document: fields in the order files have them, what says nothing left out, govctl's own
 * tags stripped. `key` is written only where the name does not give it.
 */
function policyToYaml(policy: PolicyLike, key?: string): string {
  const document: Record<string, unknown> =
    key !== undefined && key !== makeKey(policy.name) ? { key } : {};
  for (const field of policyFields) {
    const value = tidyField(policy, field);
    if (value !== undefined) document[field] = value;
  }
  return stringifyYaml(document);
}

/** What a document says, as a file would say it. @param body as a plan may show it */
export function documentToYaml(kind: Kind, body: Body, key: string): string {
  const content = kind.content(body);
  // The kind's own content is of its shape.
  if (kind.name === 'Policy') return policyToYaml(content as unknown as PolicyLike, key);
  const fields = kind.fields.flatMap((field) =>
    content[field] === undefined ? [] : [[field, content[field]] as const],
  );
  // A framework's ID is its key.
  const head = kind.identity === 'id' ? { kind: kind.name } : { kind: kind.name, key };
  const document = { ...head, ...Object.fromEntries(fields) };
  return stringifyYaml(document);
}

function tidyField(policy: PolicyLike, field: (typeof policyFields)[number]): unknown {
  switch (field) {
    case 'rules':
      return policy.rules.map(({ condition, effect, message }) => ({
        condition,
        effect,
        ...(message ? { message } : {}),
      }));
    case 'tags': {
      const tags = withoutOwnership(policy.tags ?? []);
      return tags.length > 0 ? tags : undefined;
    }
    case 'compliance_frameworks':
      return policy.compliance_frameworks?.length ? policy.compliance_frameworks : undefined;
    case 'enabled':
      // On is what a file means that doesn't say.
      return policy.enabled === false ? false : undefined;
    case 'auto_remediation':
      return policy.auto_remediation ? true : undefined;
    default:
      return policy[field] || undefined;
  }
}

const isKey = (text: string): boolean => text.length <= maxKeyLength && keyPattern.test(text);

export interface ExportFile extends Kinded {
  /** Relative to the folder that is exported into. */
  readonly file: string;
  readonly text: string;
  readonly name: string;
}

/** A live document, and its key where this project owns it. */
interface Exported {
  readonly document: Body;
  readonly key?: string | undefined;
}

/** One file for each document of a kind, named after its key. Two that want the same file name get numbers. */
export function exportDocuments(kind: Kind, documents: readonly Exported[]): ExportFile[] {
  const folder = kind.name === 'Policy' ? '' : `${kind.noun.many}/`;
  const taken = new Set<string>();
  return documents.map(({ document, key }) => {
    // A key comes from a tag that anybody may have edited, an ID from a server, and it becomes a file name.
    const own = key !== undefined && isKey(key) ? key : kind.keyOf(document);
    const wanted = isKey(own) ? own : makeKey(own);
    let slug = wanted;
    for (let number = 2; taken.has(slug.toLowerCase()); number++) slug = `${wanted}-${number}`;
    taken.add(slug.toLowerCase());
    return {
      ...kindField(kind.name),
      file: `${folder}${slug}.yaml`,
      text: documentToYaml(kind, document, slug),
      name: kind.titleOf(document),
    };
  });
}
