import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { defined } from '../../contract/defined.ts';
import type { EvidenceItem, EvidenceListQuery, EvidenceSource } from '../../contract/evidence.ts';
import { evidenceSources } from '../../contract/evidence.ts';
import { exemptionStatuses } from '../../contract/exemptions.ts';
import type { ControlPolicy } from '../../contract/frameworks.ts';
import type { ScanSample } from '../../contract/scans.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import { controlKey, frameworkKey, readLabels, splitLabel } from '../../engine/labels.ts';
import type { ExemptionFacts } from '../../report/evidence/facts.ts';
import { chooseControls, standingNow } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { exemptionsOf, namesOf } from '../exemptions/collection.ts';
import type { PolicyName } from '../exemptions/collection.ts';
import { createPace } from '../pace.ts';
import type { Pace } from '../pace.ts';
import { policies } from '../policies/collection.ts';
import type { StoredScan } from '../scans/collection.ts';
import { lastWholeScan, readSamples } from '../scans/service.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
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
  /** IDs of disabled policies: what they find counts for nothing, but that they were disabled is a change. */
  readonly disabled: readonly string[];
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
  /** ISO 8601; absent: now. */
  readonly at?: string;
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
  const only = control === undefined ? undefined : [control];
  const framework = await chooseControls(reader, name, only);
  const { controls } = await standingNow(deps, { reader, signal }, framework, attachedEvidence);
  const attached = byControl(await manualOf(reader, { framework: framework.id }, now));
  const from = await sourcesOf(reader, signal);
  const disabledByControl = await disabledOf(from, framework.id);
  const sources = query.source ?? evidenceSources;
  const places = controls.flatMap(({ control: { id, title }, policies: mapped }): Place[] => {
    const key = controlKey(framework.id, id);
    const disabled = disabledByControl.get(key) ?? [];
    const of = { framework: framework.name, id, ...defined({ title }), policies: mapped, disabled };
    return sources.flatMap((source): Place[] => {
      if (source === 'manual') {
        return (attached.get(key) ?? [])
          .filter(({ created_at: at }) => query.since === undefined || at >= since)
          .map((manual) => ({ control: of, source, manual }));
      }
      const isTold = mapped.length > 0 || (source === 'changes' && disabled.length > 0);
      return isTold ? [{ control: of, source }] : [];
    });
  });
  const { limit, offset = 0 } = query;
  const page = places.slice(offset, offset + limit);
  const evidence: EvidenceItem[] = [];
  for (const place of page) {
    const { summary, data, at = timestamp(now) } = await dataOf(from, place, since);
    const { control: of, source, manual } = place;
    evidence.push({
      id: itemId(framework.id, of.id, source, manual?.id ?? ''),
      framework: of.framework,
      control_id: of.id,
      ...defined({ control_title: of.title }),
      source,
      collected_at: at,
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

/** What items are read from. */
interface Sources {
  readonly reader: Reader;
  readonly pace: Pace;
  /** The newest of the whole inventory. */
  readonly scan: StoredScan | undefined;
  /** Samples of the scan; a policy of many controls is read once. */
  readonly sampled: Sampled;
}

async function sourcesOf(reader: Reader, signal: AbortSignal): Promise<Sources> {
  const scan = await lastWholeScan(reader);
  const read = new Map<string, Promise<readonly ScanSample[]>>();
  const sampled: Sampled = (policyId) => {
    const found = read.get(policyId) ?? readSamples(reader, scan?.id ?? '', policyId);
    read.set(policyId, found);
    return found;
  };
  return { reader, pace: createPace(signal), scan, sampled };
}

async function dataOf(
  of: Sources,
  { control: { policies: mapped, disabled }, source, manual }: Place,
  since: string,
): Promise<Found> {
  const { reader, pace } = of;
  const ids = mapped.map(({ id }) => id);
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
    case 'samples':
      return samplesOf(of, mapped);
    case 'violations': {
      const open = mapped.reduce((all, policy) => all + policy.open, 0);
      const shown = mapped.slice(0, mostListed).map(({ id, open: n }) => ({ id, open: n }));
      const resolved = await countRows(reader, violations, {
        policy_id: { any: ids },
        status: { any: ['RESOLVED'] },
      });
      const summary = `${counted(open, 'open violation')}, ${inThrees(resolved)} resolved`;
      return { summary, data: { open, resolved, policies: shown } };
    }
    case 'exemptions': {
      const active = await exemptionsOf(reader, await policyNames(of, ids));
      const shown = active
        .slice(0, mostListed)
        .map((one) => shortExemption(describeExemption(one)));
      const data = { total: active.length, exemptions: shown };
      return { summary: counted(active.length, 'active exemption'), data };
    }
    case 'changes': {
      const own = [...ids, ...disabled];
      const its = await exemptionsOf(reader, await policyNames(of, own), exemptionStatuses);
      const subjects = [...own, ...its.map(({ id }) => id)];
      const found = await changesOf(reader, { since, subjects, most: mostListed });
      const changes = found.changes.map(describeChange);
      const more = found.hasMore ? 'more than ' : '';
      return { summary: `${more}${counted(changes.length, 'change')}`, data: { changes } };
    }
    case 'manual': {
      if (!manual) throw new Error('manual evidence has its document');
      const { text, ...rest } = describeManual(manual);
      const data = { ...rest, ...defined({ text }) };
      const summary = manual.file?.name ?? text?.slice(0, 200) ?? manual.id;
      return { summary, data, at: manual.created_at };
    }
  }
}

/** How exemptions may name these policies. */
async function policyNames(
  { reader, pace }: Sources,
  ids: readonly string[],
): Promise<readonly PolicyName[]> {
  const names: PolicyName[] = [];
  for (const id of ids) {
    await pace.spend(5);
    const policy = (await reader.get(policies, id))?.doc;
    const { key } = readKeyTag(policy?.tags ?? []);
    if (policy) names.push(...namesOf({ policy, id, ...defined({ key }) }));
  }
  return names;
}

/** IDs of the disabled policies of a framework, by the key of each control that they are mapped to. */
async function disabledOf(
  { reader, pace }: Sources,
  framework: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const key = frameworkKey(framework);
  const where = { framework: { any: [key] }, enabled: { any: ['false'] } };
  for await (const { doc } of allRows(reader, policies, where)) {
    const { id, compliance_frameworks: labels = [] } = doc;
    const mapping = readLabels(labels).find((one) => one.key === key);
    for (const control of mapping?.controls ?? []) {
      const own = controlKey(framework, control);
      const known = found.get(own);
      if (known) known.push(id);
      else found.set(own, [id]);
    }
    await pace.spend(labels.length);
  }
  return found;
}

type Sampled = (policyId: string) => Promise<readonly ScanSample[]>;

/** Resources that passed, of the newest scan of the whole inventory, with the values that the policies read. */
async function samplesOf(
  { scan, pace, sampled }: Sources,
  mapped: readonly ControlPolicy[],
): Promise<Found> {
  if (!scan) return { summary: 'no completed scan of the whole inventory', data: { samples: [] } };
  const samples = [];
  let total = 0;
  for (const { id } of mapped) {
    await pace.spend(25);
    const its = await sampled(id);
    total += its.length;
    for (const { policy_id, resource_id, resource_type, values } of its) {
      if (samples.length >= mostListed) break;
      samples.push({ policy_id, resource_id, resource_type, values });
    }
  }
  return {
    summary: `${counted(total, 'sample')} of passing resources in ${scan.id}`,
    at: scan.completed_at ?? scan.created_at,
    data: { scan_id: scan.id, total, samples },
  };
}
