import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { defined } from '../../contract/defined.ts';
import type { EvidenceItem, EvidenceListQuery, EvidenceSource } from '../../contract/evidence.ts';
import { evidenceSources } from '../../contract/evidence.ts';
import type { ControlPolicy } from '../../contract/frameworks.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import { controlKey, splitLabel } from '../../engine/labels.ts';
import type { ExemptionFacts } from '../../report/evidence/facts.ts';
import { chooseControls, standingNow } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { exemptions, namesOf } from '../exemptions/collection.ts';
import { createPace } from '../pace.ts';
import type { Pace } from '../pace.ts';
import { policies } from '../policies/collection.ts';
import type { Reader } from '../store/store.ts';
import type { StoredManual } from './collection.ts';
import { describeChange, describeExemption, describeManual, describePolicy } from './describe.ts';
import type { DescribedPolicy } from './describe.ts';
import { attachedEvidence, invalid, itemId } from './service.ts';
import { byControl, changesOf, manualOf, sinceOf } from './sources.ts';

/** Entries that an item lists; it counts all. */
const mostListed = 100;

interface Control {
  readonly framework: string;
  readonly id: string;
  readonly title?: string;
  readonly policies: readonly ControlPolicy[];
}

/** An item before its data is read. */
interface Place {
  readonly control: Control;
  readonly source: EvidenceSource;
  /** Of `manual`. */
  readonly manual?: StoredManual;
}

interface Found {
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * One page of what is known now of the controls of a framework, in the framework's order: only its items are read.
 * @throws GovctlError invalid_evidence, framework_not_found, control_not_found
 */
export async function listItems(deps: Deps, signal: AbortSignal, query: EvidenceListQuery) {
  const { store: reader, clock } = deps;
  const now = clock.now();
  const since = sinceOf(query.since, now);
  const { framework: name, control } = askedFor(query);
  const framework = chooseControls(name, control === undefined ? undefined : [control]);
  const { controls } = await standingNow(deps, { reader, signal }, framework, attachedEvidence);
  const attached = byControl(await manualOf(reader, { framework: framework.id }, now));
  const sources = query.source ?? evidenceSources;
  const places = controls.flatMap(({ control: { id, title }, policies: mapped }): Place[] => {
    const of = { framework: framework.name, id, ...defined({ title }), policies: mapped };
    const own = attached.get(controlKey(framework.id, id)) ?? [];
    return sources.flatMap((source): Place[] => {
      if (source !== 'manual') return mapped.length > 0 ? [{ control: of, source }] : [];
      return own
        .filter(({ created_at: at }) => query.since === undefined || at >= since)
        .map((manual) => ({ control: of, source, manual }));
    });
  });
  const { limit, offset = 0 } = query;
  const page = places.slice(offset, offset + limit);
  const evidence: EvidenceItem[] = [];
  const pace = createPace(signal);
  for (const place of page) {
    const { summary, data } = await dataOf({ reader, pace }, place, since);
    const { control: of, source, manual } = place;
    evidence.push({
      id: itemId(framework.id, of.id, source, manual?.id ?? ''),
      framework: of.framework,
      control_id: of.id,
      ...defined({ control_title: of.title }),
      source,
      collected_at: manual?.created_at ?? timestamp(now),
      sha256: createHash('sha256').update(canonicalJson(data)).digest('hex'),
      summary,
      data,
    });
  }
  const total = places.length;
  return { evidence, pagination: { total, limit, offset, has_more: offset + page.length < total } };
}

/** @throws GovctlError invalid_evidence where no framework is named */
function askedFor({ framework, control }: EvidenceListQuery) {
  if (framework !== undefined) {
    const label = control === undefined ? undefined : splitLabel(control);
    const id = label && (label.control === '' ? label.framework : label.control);
    return { framework, ...defined({ control: id }) };
  }
  const { framework: name, control: id } = splitLabel(control ?? '');
  if (name === '' || id === '') {
    throw invalid('framework', 'is missing; pass framework=soc2 or control=SOC2:CC6.1');
  }
  return { framework: name, control: id };
}

const counted = (n: number, one: string, many = `${one}s`): string =>
  `${inThrees(n)} ${n === 1 ? one : many}`;

const shortPolicy = ({ description: _long, rules, ...shown }: DescribedPolicy) => ({
  ...shown,
  rules: rules.length,
});
const shortExemption = ({ resources: _long, ...shown }: ExemptionFacts) => shown;

async function dataOf(
  { reader, pace }: { readonly reader: Reader; readonly pace: Pace },
  { control: { policies: mapped }, source, manual }: Place,
  since: string,
): Promise<Found> {
  await pace.spend(mapped.length);
  switch (source) {
    case 'policies': {
      const shown = [];
      for (const { id } of mapped.slice(0, mostListed)) {
        const policy = (await reader.get(policies, id))?.doc;
        if (!policy) continue;
        shown.push(shortPolicy(describePolicy(policy)));
      }
      const data = { total: mapped.length, policies: shown };
      return { summary: counted(mapped.length, 'policy', 'policies'), data };
    }
    case 'tallies': {
      const sum = { evaluated: 0, pass: 0, fail: 0, error: 0, exempt: 0 };
      for (const policy of mapped) {
        for (const name of ['evaluated', 'pass', 'fail', 'error', 'exempt'] as const) {
          sum[name] += policy[name];
        }
      }
      const shown = mapped
        .slice(0, mostListed)
        .map(({ id, evaluated, pass, fail, error, exempt, pending }) => {
          return { id, evaluated, pass, fail, error, exempt, pending };
        });
      const { evaluated, pass, fail, error, exempt } = sum;
      const summary = `${counted(evaluated, 'evaluation')}: ${pass} pass, ${fail} fail, ${error} errors, ${exempt} exempt`;
      return { summary, data: { ...sum, policies: shown } };
    }
    case 'violations': {
      const open = mapped.reduce((all, policy) => all + policy.open, 0);
      const shown = mapped.slice(0, mostListed).map(({ id, open: n }) => ({ id, open: n }));
      return { summary: counted(open, 'open violation'), data: { open, policies: shown } };
    }
    case 'exemptions': {
      const names = [];
      for (const { id } of mapped) {
        await pace.spend(5);
        const policy = (await reader.get(policies, id))?.doc;
        const { key } = readKeyTag(policy?.tags ?? []);
        if (policy) names.push(...namesOf({ policy, id, ...defined({ key }) }));
      }
      const page = await reader.page(exemptions, {
        where: { policy: { any: names }, status: { any: ['active'] } },
        orderBy: 'id',
        direction: 'asc',
        limit: mostListed,
      });
      const shown = page.rows.map(({ doc }) => shortExemption(describeExemption(doc)));
      const data = { total: page.total, exemptions: shown };
      return { summary: counted(page.total, 'active exemption'), data };
    }
    case 'changes': {
      const subjects = mapped.map(({ id }) => id);
      const found = await changesOf(reader, { since, subjects, most: mostListed });
      const changes = found.changes.map(describeChange);
      const more = found.hasMore ? 'more than ' : '';
      return { summary: `${more}${counted(changes.length, 'change')}`, data: { changes } };
    }
    case 'manual': {
      if (!manual) throw new Error('manual evidence has its document');
      const { text, ...rest } = describeManual(manual);
      const data = { ...rest, ...defined({ text }) };
      return { summary: manual.file?.name ?? text?.slice(0, 200) ?? manual.id, data };
    }
  }
}
