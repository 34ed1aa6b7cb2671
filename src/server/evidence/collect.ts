import { defined } from '../../contract/defined.ts';
import type { ControlPolicy } from '../../contract/frameworks.ts';
import { controlKey } from '../../engine/labels.ts';
import type {
  ControlFacts,
  EvidenceFacts,
  PolicyFacts,
  ViolationFacts,
} from '../../report/evidence/facts.ts';
import { chooseControls, standingNow } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { exemptions, namesAny, namesOf } from '../exemptions/collection.ts';
import type { PolicyName } from '../exemptions/collection.ts';
import { nextTurn } from '../next-turn.ts';
import { createPace } from '../pace.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import { readSamples } from '../scans/service.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import type { StoredBundle } from './collection.ts';
import {
  describeChange,
  describeExemption,
  describeManual,
  describePolicy,
  describeViolation,
} from './describe.ts';
import { attachedEvidence } from './service.ts';
import { byControl, changesOf, manualOf, rowsOf } from './sources.ts';

/** What a bundle lists at most: violations of a policy in each status, and in all; changes; exemptions; bytes of files. */
const mostOfPolicy = 1_000;
const mostViolations = 50_000;
const mostChanges = 10_000;
const mostExemptions = 5_000;
const mostAttachedBytes = 256 * 1024 * 1024;

/** What cannot go into a bundle as it was asked for, in a sentence with the way out. */
export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/** Gathers what is known of the controls of a bundle, in turns with all other work. */
export async function collectFacts(
  deps: Deps,
  bundle: StoredBundle,
  signal: AbortSignal,
): Promise<EvidenceFacts> {
  const { store: reader, clock } = deps;
  const { framework: id, since, cut } = bundle;
  const framework = await chooseControls(reader, id, bundle.controls);
  const standing = await standingNow(deps, { reader, signal }, framework, attachedEvidence);
  const chosen = new Set(framework.controls.map((control) => controlKey(id, control.id)));
  const manual = (await manualOf(reader, { framework: id }, clock.now())).filter((one) =>
    chosen.has(controlKey(id, one.control_id)),
  );
  const attached = byControl(manual);
  checkAttached(manual);
  const missing: string[] = [];

  const pace = createPace(signal);
  const tallies = new Map<string, ControlPolicy>();
  for (const { policies: mapped } of standing.controls) {
    for (const policy of mapped) tallies.set(policy.id, policy);
    await pace.spend(mapped.length);
  }
  const described: PolicyFacts[] = [];
  const listed = new Map<string, readonly ViolationFacts[]>();
  const names: PolicyName[] = [];
  let left = mostViolations;
  for (const tally of tallies.values()) {
    signal.throwIfAborted();
    const policy = (await reader.get(policies, tally.id))?.doc;
    // It was deleted meanwhile.
    if (!policy) continue;
    names.push(...namesOfPolicy(policy));
    const found = await violationsOf(reader, policy.id, since, left);
    left -= found.listed.length;
    if (found.listed.length > 0) listed.set(policy.id, found.listed);
    const samples = await readSamples(reader, cut.scan_id, policy.id);
    const { evaluated, pass, fail, error, exempt } = tally;
    described.push({
      ...describePolicy(policy),
      ...(tally.pending ? {} : { tally: { evaluated, pass, fail, error, exempt } }),
      samples: samples.map(({ resource_id, resource_type, values }) => {
        return { resource_id, resource_type, values };
      }),
      violations: { ...found.counts, listed: found.listed.length },
    });
    if (found.hasMore) missing.push(`violations of ${policy.name}: only some are included`);
    if (samples.length === 0 && tally.pass > 0) {
      missing.push(
        `samples of ${policy.name}: the scan stored no samples, or newer samples replaced them`,
      );
    }
    if (tally.pending)
      missing.push(`outcomes of ${policy.name}: the policy is being evaluated again`);
    await nextTurn();
  }
  const known = new Set(described.map((policy) => policy.id));
  const controls: ControlFacts[] = [];
  for (const { control, key, status, policies: mapped } of standing.controls) {
    await pace.spend(mapped.length);
    controls.push({
      id: control.id,
      ...defined({ title: control.title }),
      status,
      policies: mapped.map((policy) => policy.id).filter((one) => known.has(one)),
      manual: (attached.get(key) ?? []).map((one) => one.id),
    });
  }
  const { changes, hasMore } = await changesOf(reader, {
    since,
    upTo: cut.audit_sequence,
    most: mostChanges,
  });
  if (hasMore) missing.push(`changes: only the newest ${mostChanges} are included`);
  const covering = await exemptionsOf(reader, names);
  if (covering.hasMore) missing.push(`exemptions: only the first ${mostExemptions} are included`);
  return {
    cut: { id: bundle.id, ...cut },
    server: { base_url: bundle.base_url, local: bundle.local, version: deps.version },
    framework: { name: framework.name, ...defined({ version: framework.version }) },
    since,
    controls,
    policies: described,
    violations: listed,
    exemptions: covering.list,
    manual: manual.map(describeManual),
    changes: changes.map(describeChange),
    missing,
  };
}

/** @throws TooMuch */
function checkAttached(manual: readonly { readonly file?: { readonly size: number } }[]): void {
  const bytes = manual.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
  if (bytes <= mostAttachedBytes) return;
  throw new TooMuch(
    `The files attached to these controls exceed ${mostAttachedBytes >> 20} MiB in total; collect evidence for fewer controls at a time`,
  );
}

const namesOfPolicy = (policy: StoredPolicy): readonly PolicyName[] =>
  namesOf({ policy, id: policy.id, ...defined({ key: readKeyTag(policy.tags ?? []).key }) });

async function violationsOf(reader: Reader, policyId: string, since: string, most: number) {
  const where = (status: string) => ({ policy_id: { any: [policyId] }, status: { any: [status] } });
  const counts = {
    open: await countRows(reader, violations, where('OPEN')),
    exempt: await countRows(reader, violations, where('EXEMPT')),
    resolved: await countRows(reader, violations, where('RESOLVED')),
  };
  const listed: ViolationFacts[] = [];
  let hasMore = false;
  for (const [status, orderBy] of [
    ['OPEN', 'detected_at'],
    ['EXEMPT', 'detected_at'],
    ['RESOLVED', 'resolved_at'],
  ] as const) {
    let of = 0;
    const query = { where: where(status), orderBy, direction: 'desc' } as const;
    for await (const doc of rowsOf(reader, violations, query)) {
      if (status === 'RESOLVED' && (doc.resolved_at ?? '') < since) break;
      if (of >= mostOfPolicy || listed.length >= most) {
        hasMore = true;
        break;
      }
      of += 1;
      listed.push(describeViolation(doc));
    }
  }
  return { counts, listed, hasMore };
}

async function exemptionsOf(reader: Reader, names: readonly PolicyName[]) {
  const list = [];
  const isAmong = namesAny(names);
  for await (const { doc } of allRows(reader, exemptions, {
    policy: { any: names.map(({ policy }) => policy) },
  })) {
    if (!isAmong(doc)) continue;
    if (list.length >= mostExemptions) return { list, hasMore: true };
    list.push(describeExemption(doc));
  }
  return { list, hasMore: false };
}
