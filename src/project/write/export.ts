import { stringifyYaml } from './yaml-text.ts';
import { policyFields } from '../../contract/policies.ts';
import { keyPattern, makeKey, maxKeyLength } from '../key.ts';
import { withoutOwnership } from '../compare/ownership.ts';
import type { Body, Kind } from '../kinds/kind.ts';
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
  const document = { kind: kind.name, key, ...Object.fromEntries(fields) };
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

export interface ExportFile {
  /** Relative to the folder that is exported into. */
  readonly file: string;
  readonly text: string;
  readonly name: string;
}

/** One file for each policy, named after its key. Two that want the same file name get numbers. */
export function exportPolicies(
  policies: readonly { readonly policy: PolicyLike; readonly key?: string | undefined }[],
): ExportFile[] {
  const taken = new Set<string>();
  return policies.map(({ policy, key: given }) => {
    // The key comes from a tag that anybody may have edited, and it becomes a file name.
    const key = given !== undefined && isKey(given) ? given : undefined;
    const wanted = key ?? makeKey(policy.name);
    let slug = wanted;
    for (let number = 2; taken.has(slug.toLowerCase()); number++) slug = `${wanted}-${number}`;
    taken.add(slug.toLowerCase());
    // A key taken by another name's slug would be a duplicate in the repo.
    const written = key ?? (slug === wanted ? undefined : slug);
    return { file: `${slug}.yaml`, text: policyToYaml(policy, written), name: policy.name };
  });
}
