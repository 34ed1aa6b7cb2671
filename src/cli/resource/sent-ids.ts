import { isFields } from '../../inventory/json.ts';
import { canonicalText } from '../../inventory/canonical-text.ts';
import { providerOf } from '../../contract/resources.ts';
import { hashId } from '../../project/check/id-set.ts';

/** Why a resource is not sent. */
interface Refusal {
  readonly id: string;
  readonly reason: string;
}

/**
 * Remembers what one command has sent: in the inventory an id is one resource. Gives why a line can't be sent, too: its
 * id was sent before, with other content. What is no resource the service refuses by itself.
 */
export function createSentIds(): (line: string, place: string) => Refusal | undefined {
  const sent = new Map<string, { readonly content: string; readonly place: string }>();
  return (line, place) => {
    const resource = parse(line);
    if (!isFields(resource) || typeof resource['id'] !== 'string') return undefined;
    const { id } = resource;
    const content = contentOf(resource);
    const before = sent.get(id);
    if (!before) sent.set(id, { content, place });
    return before && before.content !== content
      ? { id, reason: `same ID as ${before.place}, but different content` }
      : undefined;
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the service says what is wrong with it
  }
}

/** Of what is stored: with its provider, and without what the service says about it in a list. */
function contentOf({ _meta, ...own }: Readonly<Record<string, unknown>>): string {
  const { type } = own;
  const provider = typeof type === 'string' ? providerOf(type) : undefined;
  return hashId(canonicalText({ provider, ...own })).join();
}
