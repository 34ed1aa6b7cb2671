import { defined } from '../../contract/defined.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import type { EvaluatedPolicy } from '../../engine/evaluate.ts';
import type { Exemption } from '../../engine/exempt.ts';
import type { LiveDocument } from '../compare/live.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Body, KindName } from '../kinds/kind.ts';
import { documentOf } from '../kinds/kind.ts';
import { policyKind } from '../kinds/policy.ts';
import type { Change } from './change.ts';
import { isOfPolicy } from './change.ts';
import type { Plan } from './plan.ts';

/** A policy before or after the plan, with the exemptions that name it then. */
export interface Side extends NamedPolicy {
  readonly exemptions: readonly Exemption[];
}

interface NamedPolicy extends EvaluatedPolicy {
  /** The project that its key is of. */
  readonly owner?: string;
}

/** A policy whose verdicts the plan may change. */
export interface Subject {
  readonly key: string;
  /** Absent: the plan changes only exemptions of the policy. */
  readonly action?: Change['action'];
  readonly before: Side | undefined;
  readonly after: Side | undefined;
}

/** An exemption of the service says what it names the policy by; one of the plan has the plan's project. */
type NamingExemption = Exemption & {
  readonly named_by?: 'key' | 'id' | 'name';
  readonly project?: string;
};

/** The policies that the plan changes, then those of which it changes only exemptions. */
export function subjectsOf({ changes, project }: Plan, live: readonly LiveDocument[]): Subject[] {
  const changed = new Set(changes.map(({ id }) => id));
  const liveOf = (name: KindName) =>
    live.flatMap(({ kind, item }) => (kind.name === name ? [item] : []));
  const named = (body: Body, id: string | null, key?: string): NamedPolicy => {
    const ownership = readOwnership((body.tags ?? []) as string[]);
    const document = documentOf(policyKind, body);
    return {
      // Not validated here: the evaluation checks it.
      policy: { ...document, enabled: document.enabled ?? true } as PolicyInput,
      ...(id === null ? {} : { id }),
      ...defined({
        key: ownership.key ?? key,
        owner: ownership.owner ?? (key === undefined ? undefined : project),
      }),
    };
  };
  const pairs = [
    ...changes.filter(isOfPolicy).map(({ key, action, id, before, after }) => ({
      key,
      action,
      before: before ? named(before, id, key) : undefined,
      after: after ? named(after, id, key) : undefined,
    })),
    ...liveOf('Policy')
      .filter(({ id }) => !changed.has(id))
      .map((item) => {
        const same = named(item, item.id);
        return { key: same.key ?? same.policy.name, before: same, after: same };
      }),
  ];

  // An exemption has the shape that the service or the plan gave it.
  const valid = liveOf('Exemption').filter(({ status }) => status !== 'expired');
  const kept = valid.filter(({ id }) => !changed.has(id)) as unknown as NamingExemption[];
  const gone = valid.filter(({ id }) => changed.has(id)) as unknown as NamingExemption[];
  const brought = changes.flatMap((change): NamingExemption[] =>
    change.kind === 'Exemption' && change.after ? [{ ...change.after, project }] : [],
  );
  const before = exemptionsOn(pairs.flatMap((pair) => pair.before ?? []));
  const after = exemptionsOn(pairs.flatMap((pair) => pair.after ?? []));
  const [lost, won] = [before(gone), after(brought)];
  const [all, next] = [before([...kept, ...gone]), after([...kept, ...brought])];
  const sideOf = (one: NamedPolicy | undefined, exemptions: typeof all): Side | undefined =>
    one && { ...one, exemptions: exemptions.get(one) ?? [] };
  return pairs.flatMap((pair) => {
    if (!('action' in pair || lost.has(pair.before) || won.has(pair.after))) return [];
    return [{ ...pair, before: sideOf(pair.before, all), after: sideOf(pair.after, next) }];
  });
}

/** Finds the exemptions of each policy. Those of a plan name it as the service will understand them. */
function exemptionsOn(policies: readonly NamedPolicy[]) {
  const byText = new Map<string, Set<NamedPolicy>>();
  for (const one of policies) {
    for (const text of [one.policy.name, one.id, one.key]) {
      if (text !== undefined) byText.set(text, (byText.get(text) ?? new Set()).add(one));
    }
  }
  const namedBy = ({ policy: text, named_by: by, project }: NamingExemption) => {
    const found = [...(byText.get(text) ?? [])];
    const ways = {
      key: found.filter(({ key, owner }) => key === text && owner === project),
      id: found.filter(({ id }) => id === text),
      name: found.filter(({ policy }) => policy.name === text),
    };
    return by ? ways[by] : (Object.values(ways).find(({ length }) => length > 0) ?? found);
  };
  return (exemptions: readonly NamingExemption[]) => {
    const of = new Map<NamedPolicy | undefined, Exemption[]>();
    for (const exemption of exemptions) {
      for (const one of namedBy(exemption)) {
        const known = of.get(one);
        if (known) known.push(exemption);
        else of.set(one, [exemption]);
      }
    }
    return of;
  };
}
