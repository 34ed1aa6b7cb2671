import { writtenInTemplate } from '../../inventory/written/cloudformation.ts';
import { parseText } from '../../inventory/text/parse.ts';
import type { TextParse } from '../../inventory/text/parsed-text.ts';
import { editText } from '../../inventory/text/edit-text.ts';
import type { ValueEdit } from '../../inventory/text/edit-text.ts';
import { leavesOf } from '../../engine/remediation/patch.ts';
import type { Patch } from '../../engine/remediation/patch.ts';

type Proposal =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/**
 * A template with a policy's patch written at one of its resources.
 * @param at the resource's path in the template
 * @param patch a merge patch of the resource's attributes, such as `{versioning: {enabled: true}}`
 * @param parse may know texts already
 */
export function proposeInTemplate(
  text: string,
  at: readonly (string | number)[],
  type: string,
  patch: Patch,
  parse = parseText,
): Proposal {
  if (typeAt(parse(text), at) !== type)
    return { ok: false, why: 'the template creates the resource with a macro or a loop' };
  const edits: ValueEdit[] = [];
  for (const [attribute, value] of leavesOf(patch)) {
    const written = writtenInTemplate(type, attribute, value);
    if (!written) {
      return {
        ok: false,
        why: `setting ${attribute} of ${type} to ${JSON.stringify(value)} is not supported in templates; change it manually`,
      };
    }
    const path = [...at.map(String), 'Properties', ...written.path];
    edits.push({ path, value: written.value });
  }
  const edit = editText(text, edits, parse);
  if (!edit.ok) return { ok: false, why: edit.refused };
  return edit.text === text
    ? { ok: false, why: 'the template already has this value' }
    : { ok: true, text: edit.text };
}

/** The `Type` that the template itself gives a resource. */
function typeAt(parse: TextParse, at: readonly (string | number)[]): unknown {
  let here: unknown = parse.ok ? parse.parsed.document : undefined;
  for (const step of [...at, 'Type']) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}
