import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { compileRule } from '../../engine/compile-rule.ts';
import { explainCondition } from '../../engine/condition/explain.ts';
import type { Explained } from '../../engine/condition/explain.ts';
import { matchesId } from '../../engine/exempt.ts';
import type { ReadResource } from '../../inventory/model.ts';
import { looksSecret, maskSecrets, secretsOf, showsSecret } from '../../project/check/secrets.ts';
import type { LocalPolicy } from '../../project/model.ts';
import type { PlacedLeftOut } from '../../project/check/left-out.ts';
import type { ExplainedPart, ExplainedRule, PlacedFinding } from './placed-finding.ts';

/** Explains findings while their resources are at hand. */
export interface Explainer {
  /** Left out: every resource. */
  readonly wants?: (read: ReadResource) => boolean;
  complete(finding: PlacedFinding, read: ReadResource): PlacedFinding;
  /** @throws GovctlError usage_error where the resource that was asked for is not among those seen */
  requireMet(leftOut: readonly PlacedLeftOut[]): void;
}

/** Names that are kept to suggest one of them. */
const mostSeen = 10_000;

/**
 * @param resource an id, an address or a glob; true: every finding that does not pass
 * @param now of the evaluation, in milliseconds since the epoch
 */
export function createExplainer(
  resource: string | true,
  policies: readonly LocalPolicy[],
  now: number,
): Explainer {
  const byName = new Map(policies.map(({ policy }) => [policy.name, policy]));
  const seen = new Set<string>();
  let met = resource === true;
  const isWanted = ({ resource: { id }, address }: ReadResource): boolean => {
    const fits = resource === true || matchesId(resource, id) || matchesId(resource, address);
    met ||= fits;
    if (seen.size < mostSeen) seen.add(address);
    return fits;
  };
  return {
    ...(resource === true ? {} : { wants: isWanted }),
    complete(finding, read) {
      const secrets = secretsOf(read.resource);
      const rules = byName.get(finding.policy)?.rules ?? [];
      const explanation = rules.flatMap((rule, index): ExplainedRule[] => {
        const compiled = compileRule(rule);
        if (!compiled.ok) return []; // files with one that does not compile were refused
        const explained = explainCondition(compiled.condition, read.resource, now);
        return [{ index, effect: rule.effect, condition: toPart(explained, secrets) }];
      });
      return { ...finding, explanation };
    },
    requireMet(leftOut) {
      if (met || resource === true) return;
      const one = leftOut.find((each) => matchesId(resource, each.resource));
      if (one) {
        throw new GovctlError(
          'usage_error',
          `--explain ${resource}: ${one.resource} was excluded because its condition is false: ${one.condition}`,
          {
            hint: 'Use --all-conditions to check the resource anyway, or --parameters to set the values in its condition.',
          },
        );
      }
      const nearest = nearestWord(resource, seen);
      throw new GovctlError(
        'usage_error',
        `--explain ${resource}: no resource in the input has this ID or address`,
        nearest ? { hint: `Did you mean ${nearest}?` } : {},
      );
    },
  };
}

const hidden = '(hidden)';

/** Without what explains itself: the resource as a whole, and `now`'s name. */
function toPart(explained: Explained, secrets: ReadonlySet<string>): ExplainedPart {
  const { text, result, item, parts } = explained;
  const shown = (value: string): string => {
    if (value === 'true' || value === 'false') return value;
    if (looksSecret(text)) return hidden;
    const masked = maskSecrets(value, secrets);
    return masked === `"${hidden}"` || showsSecret(masked, secrets) ? hidden : masked;
  };
  return {
    expression: text.replace(/\s+/g, ' ').trim(),
    ...('value' in result
      ? { value: shown(result.value) }
      : { undecided: result.undecided.message }),
    ...(item === undefined ? {} : { item: shown(item) }),
    parts: parts.filter((part) => part.text !== 'resource').map((part) => toPart(part, secrets)),
  };
}
