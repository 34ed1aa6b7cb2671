import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../../src/contract/policies.ts';
import type { FrameworkWithControls } from '../../../src/contract/frameworks.ts';
import type { GovernanceOverview } from '../../../src/contract/governance.ts';
import type { Severity } from '../../../src/contract/policies.ts';
import type { Violation } from '../../../src/contract/violations.ts';
import { matchesType } from '../../../src/contract/resources.ts';
import { exemptionEnd, matchesId } from '../../../src/engine/exempt.ts';
import { evaluate, preparePolicy } from '../../../src/engine/evaluate.ts';
import { complianceScore, emptyTally, tally } from '../../../src/engine/score.ts';
import { testEvaluator } from './test-evaluator.ts';
import { events } from '../../../src/server/events/collection.ts';
import { exemptions } from '../../../src/server/exemptions/collection.ts';
import { policies } from '../../../src/server/policies/collection.ts';
import type { StoredPolicy } from '../../../src/server/policies/collection.ts';
import { outcomes } from '../../../src/server/posture/collection.ts';
import { resources } from '../../../src/server/resources/collection.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import type { CollectionSpec, Document } from '../../../src/server/store/store.ts';
import { violations } from '../../../src/server/violations/collection.ts';
import { webhookLanes } from '../../../src/server/webhooks/collection.ts';
import { eventsOf } from '../events/events-service.ts';
import { recompute } from '../../support/recompute.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const hour = 3_600_000;
/** The webhook is there after the first event, which tells of the folder's key. */
const heardFrom = 1;
/** Mostly one, so that policies and resources meet. */
const type = fc.oneof(
  { weight: 6, arbitrary: fc.constant('AWS::S3::Bucket') },
  { weight: 1, arbitrary: fc.constantFrom('Azure::Storage::Accounts', 'azure::storage::ACCOUNTS') },
);
/** A type or a pattern. */
const policyType = fc.oneof(
  { weight: 3, arbitrary: type },
  { weight: 2, arbitrary: fc.constantFrom('AWS::S3::*', 'AZURE::*', '*', 'AWS::*::Bucket') },
);
const ids = ['r0', 'r1', 'r2', 'r3', 'r4'];
const names = ['p0', 'p1', 'p2'];
const conditions = [
  'resource.public == true',
  'resource.public',
  '!has(resource.public)',
  'resource.port == 22',
  'timestamp(resource.until) < now',
  'now - timestamp(resource.until) > duration("30h")',
];

const resource = fc.record(
  {
    id: fc.constantFrom(...ids),
    type,
    public: fc.constantFrom(true, false, null),
    port: fc.constantFrom(22, 443, 'ssh'),
    until: fc.constantFrom('2026-03-01T20:00:00Z', '2026-03-03T00:00:00Z', 'soon'),
    region: fc.constantFrom('eu-west-1', 'us-east-1'),
    account_id: fc.constantFrom('111', '222'),
    environment: fc.constantFrom('production', 'staging'),
  },
  { requiredKeys: ['id', 'type', 'until'] },
);
const plainFields = fc.record({
  resource_type: policyType,
  enabled: fc.constantFrom(true, true, true, false),
  severity: fc.constantFrom('LOW', 'HIGH'),
  compliance_frameworks: fc.subarray(['SOC2:CC6.1', 'soc2:cc6.2', 'Soc2', 'SOC2:CC6', 'PCI:8.3.1']),
  rules: fc.array(
    fc.record({
      condition: fc.constantFrom(...conditions),
      effect: fc.constantFrom('DENY', 'DENY', 'ALLOW'),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});
/** Some have a patch of an attribute that a condition reads. */
const policyFields = fc.tuple(plainFields, fc.boolean()).map(([fields, isPatched]) => {
  const reads = (name: string) => fields.rules.some(({ condition }) => condition.includes(name));
  const patch = reads('.public') ? '{"public":false}' : reads('.port') ? '{"port":443}' : undefined;
  return isPatched && patch !== undefined
    ? { ...fields, remediation_action: `patch:${patch}` }
    : fields;
});
const exemption = fc.record({
  policy: fc.constantFrom(...names),
  resources: fc.constantFrom(['r0'], ['*'], ['r*1', 'r2'], ['r3', 'r4']),
  expires: fc.constantFrom('2026-03-01', '2026-03-02', '2026-03-04'),
});
const violationFilter = fc.constantFrom(
  { severity: ['HIGH'] },
  { account_id: ['111'] },
  { environment: ['production', 'staging'] },
  { severity: ['LOW', 'HIGH'] },
);
const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), resource }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      many: fc.array(resource, { maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.constantFrom(...ids) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('policy' as const),
      name: fc.constantFrom(...names),
      fields: policyFields,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('rename' as const),
      from: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('drop' as const), name: fc.constantFrom(...names) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('exempt' as const), exemption }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('amend' as const),
      at: fc.nat(3),
      fields: fc.oneof(fc.constant(null), exemption),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      steps: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 5, 30) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scan' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('resolve' as const), filter: violationFilter }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('remediate' as const), filter: violationFilter }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const seed = fc.tuple(
  ...names.map((name) =>
    fc.record({
      do: fc.constant('policy' as const),
      name: fc.constant(name),
      fields: policyFields,
    }),
  ),
  fc.record({ do: fc.constant('import' as const), many: fc.array(resource, { minLength: 6 }) }),
  fc.record({ do: fc.constant('exempt' as const), exemption }),
  fc.record({ do: fc.constant('work' as const), steps: fc.constant(20) }),
);
const history = fc
  .tuple(seed, fc.array(change, { maxLength: 30 }))
  .map(([first, rest]): Change[] => [...first, ...rest]);

async function all<T extends Document>(
  { deps }: TestService,
  collection: CollectionSpec<T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const { doc } of allRows(deps.store, collection, {})) found.push(doc);
  return found;
}

/** Does a change; what the service refuses (a taken name, a date that is over) changes nothing. */
async function perform(
  service: TestService,
  evaluator: ReturnType<typeof testEvaluator>,
  what: Change,
) {
  const idOf = async (name: string) =>
    (await all(service, policies)).find((policy) => policy.name === name)?.id;
  switch (what.do) {
    case 'put':
      return service.send('PUT', `/v1/resources/${what.resource.id}`, { body: what.resource });
    case 'import':
      return service.send('POST', '/v1/resources/import', {
        text: what.many.map((each) => JSON.stringify(each)).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      });
    case 'remove':
      return service.send('DELETE', `/v1/resources/${what.id}`);
    case 'policy': {
      const id = await idOf(what.name);
      const body = { ...what.fields, name: what.name };
      return id === undefined
        ? service.send('POST', '/v1/policies', { body })
        : service.send('PUT', `/v1/policies/${id}`, { body });
    }
    case 'rename':
      return service.send('PUT', `/v1/policies/${(await idOf(what.from)) ?? 'none'}`, {
        body: { name: what.to },
      });
    case 'drop':
      return service.send('DELETE', `/v1/policies/${(await idOf(what.name)) ?? 'none'}`);
    case 'exempt':
      return service.send('POST', '/v1/exemptions', {
        body: { ...what.exemption, reason: 'r', owner: 'o' },
      });
    case 'amend': {
      const { id = 'none' } = (await all(service, exemptions))[what.at] ?? {};
      return what.fields
        ? service.send('PUT', `/v1/exemptions/${id}`, { body: what.fields })
        : service.send('DELETE', `/v1/exemptions/${id}`);
    }
    case 'work':
      for (let at = 0; at < what.steps; at++) await evaluator.step();
      return;
    case 'wait':
      return service.advance(what.hours * hour);
    case 'resolve':
      return service.send('POST', '/v1/violations/resolve', {
        body: { filter: what.filter, reason: 'agreed' },
      });
    case 'remediate':
      await service.send('POST', '/v1/compliance/remediate', {
        body: { filter: what.filter, dry_run: false },
      });
      return service.remediate();
    case 'scan':
      return service.send('POST', '/v1/scans', { body: {} });
  }
}

async function checkViolations(service: TestService): Promise<void> {
  const expected = recompute(
    {
      policies: (await all(service, policies)) as (StoredPolicy & PolicyInput)[],
      resources: (await all(service, resources)).map(({ resource }) => resource),
      exemptions: await all(service, exemptions),
    },
    service.deps.clock.now(),
  );
  const stored = await all(service, violations);
  const pairs = stored.map((each) => `${each.policy_id} ${each.resource_id}`);
  expect(new Set(pairs).size).toBe(pairs.length);
  const standing = new Map(
    stored
      .filter(({ status }) => status !== 'RESOLVED')
      .map((each) => [`${each.policy_id} ${each.resource_id}`, each.status as string]),
  );
  // It is opened again when the next evaluation still fails.
  const resolvedByHand = new Set(
    stored
      .filter(({ history }) => history.at(-1)?.cause === 'manual')
      .map((each) => `${each.policy_id} ${each.resource_id}`),
  );
  for (const [pair, status] of expected) {
    if (!standing.has(pair) && resolvedByHand.has(pair)) continue;
    const found = standing.get(pair) ?? 'none';
    if (status.startsWith('any')) expect(['none', status.slice(5)], pair).toContain(found);
    else expect(found, pair).toBe(status);
  }
  for (const pair of standing.keys()) expect(expected.get(pair) ?? 'gone', pair).not.toBe('gone');
  const byId = new Map((await all(service, policies)).map((each) => [each.id, each]));
  for (const { status, policy_id: id, policy_name: name, history } of stored) {
    expect(history.at(-1)?.status).toBe(status);
    if (status !== 'RESOLVED') expect(byId.get(id)?.name ?? name).toBe(name);
  }
}

/** The findings of every enabled policy on every resource, evaluated anew. */
async function findAll(service: TestService) {
  const waivers = await all(service, exemptions);
  const now = service.deps.clock.now();
  const stored = await all(service, resources);
  const findings: {
    policy: StoredPolicy;
    severity: Severity;
    status: string;
    of: Record<string, unknown>;
  }[] = [];
  for (const policy of (await all(service, policies)).filter(({ enabled }) => enabled)) {
    const prepared = preparePolicy({
      policy: policy as typeof policy & PolicyInput,
      id: policy.id,
    });
    for (const { resource: of } of stored) {
      if (!matchesType(policy.resource_type, of.type)) continue;
      const { status } = evaluate(prepared, of, now);
      const isCovered = waivers.some(
        (waiver) =>
          waiver.policy === policy.name &&
          exemptionEnd(waiver.expires) > now &&
          waiver.resources.some((pattern) => matchesId(pattern, of.id)),
      );
      const covered = status === 'FAIL' && isCovered ? 'EXEMPT' : status;
      findings.push({ policy, severity: policy.severity ?? 'MEDIUM', status: covered, of });
    }
  }
  return findings;
}

/** The percentage of what was resolved on the last 30 days that a remediation resolved. */
function automationOf({ deps }: TestService, found: readonly Violation[]): number {
  const days = new Set(
    Array.from({ length: 30 }, (_, ago) =>
      new Date(deps.clock.now() - ago * 24 * hour).toISOString().slice(0, 10),
    ),
  );
  const resolved = found.filter(
    ({ status, resolved_at: at = '' }) => status === 'RESOLVED' && days.has(at.slice(0, 10)),
  );
  const remediated = resolved.filter(({ remediation_id: id }) => id !== undefined).length;
  return resolved.length === 0 ? 0 : Math.round((remediated / resolved.length) * 10_000) / 100;
}

/** What the overview must say of each part of the inventory. */
async function checkOverview(service: TestService): Promise<void> {
  const findings = await findAll(service);
  for (const [query, field, value] of [
    ['', '', ''],
    ['?environments=production', 'environment', 'production'],
    ['?cloud_providers=AWS', 'provider', 'aws'],
    ['?account_ids=111', 'account_id', '111'],
  ] as const) {
    const some = findings.filter(({ of }) => field === '' || of[field] === value);
    const expected = tally(
      emptyTally,
      some.map(({ status, severity }) => ({ status: status as 'PASS', severity })),
    );
    const answer = await service.send('GET', `/v1/governance/overview${query}`);
    const { governance_overview: overview } = answer.json as {
      governance_overview: GovernanceOverview;
    };
    expect(overview.evaluated, query).toBe(expected.evaluated);
    expect(overview.compliance_score, query).toBe(complianceScore(expected) ?? 0);
    const found = (await all(service, violations)).filter(
      (one) => field === '' || one[field] === value,
    );
    const open = (severity: Severity) =>
      found.filter((one) => one.status === 'OPEN' && one.severity === severity).length;
    expect(overview.policy_violations, query).toEqual({
      critical: open('CRITICAL'),
      high: open('HIGH'),
      medium: open('MEDIUM'),
      low: open('LOW'),
    });
    expect(overview.automation_level, query).toBe(automationOf(service, found));
  }
  const listed = await all(service, outcomes);
  expect(listed.map(({ status }) => status).sort()).toEqual(
    findings.flatMap(({ status }) => (status === 'PASS' ? [] : [status])).sort(),
  );
}

/** What a framework must say of each of its controls, and of itself. */
async function checkFramework(service: TestService): Promise<void> {
  const findings = await findAll(service);
  const open = (await all(service, violations)).filter(({ status }) => status === 'OPEN');
  const enabled = (await all(service, policies)).filter((policy) => policy.enabled);
  for (const account of [undefined, '111']) {
    const isIn = (of: Record<string, unknown>) =>
      account === undefined || of.account_id === account;
    const read = `/v1/compliance/frameworks/Soc-2${account === undefined ? '' : `?account_id=${account}`}`;
    const framework = (await service.send('GET', read)).json as FrameworkWithControls;
    const count = (named: RegExp) => {
      const mapped = enabled.filter(({ compliance_frameworks: labels = [] }) =>
        labels.some((label) => named.test(label)),
      );
      const isMapped = (id: string) => mapped.some((policy) => policy.id === id);
      const some = findings.filter(({ policy, of }) => isMapped(policy.id) && isIn(of));
      const score = complianceScore(
        tally(
          emptyTally,
          some.map(({ status, severity }) => ({ status: status as 'PASS', severity })),
        ),
      );
      const isOpen = open.some((each) => isMapped(each.policy_id) && isIn(each));
      const has = (status: string) => some.some((each) => each.status === status);
      const status =
        isOpen || has('FAIL')
          ? 'FAILED'
          : has('ERROR')
            ? 'ERROR'
            : some.length > 0
              ? 'PASSED'
              : 'not_evaluated';
      return { score, status, policies: mapped.length, evaluated: some.length };
    };
    const whole = count(/^soc2/i);
    expect(framework).toMatchObject({
      compliance_score: whole.score,
      policies: whole.policies,
      evaluated: whole.evaluated,
    });
    expect(framework.status === 'not_evaluated').toBe(whole.score === null);
    for (const control of framework.controls) {
      const expected = count(new RegExp(`^soc2:${control.id}$`, 'i'));
      expect([control.id, control.status, control.compliance_score]).toEqual([
        control.id,
        expected.status,
        expected.score,
      ]);
      expect(control.policy_count).toBe(expected.policies);
    }
  }
}

/** Whoever has heard all events knows the open violations, and has heard them in order, once each. */
async function checkTold(service: TestService, lane: string): Promise<void> {
  const told = (await all(service, events)).sort((a, b) => a.sequence - b.sequence);
  expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, at) => at + 1));
  const queued = await service.deps.store.laneWork(webhookLanes, { lane, limit: 1_000_000 });
  expect(queued.map(({ work }) => work)).toEqual(
    told.filter(({ sequence }) => sequence > heardFrom).map(({ id }) => id),
  );
  const open = new Set<string>();
  let detected = 0;
  for (const { type, data } of told) {
    if (type === 'policy.violation.detected') detected += 1;
    if (!type.startsWith('policy.violation.') || type === 'policy.violation.detected') continue;
    const { violation } = JSON.parse(data) as { violation: Violation };
    if (type === 'policy.violation.created') {
      expect(violation.status).toBe('OPEN');
      expect(open, 'opened twice').not.toContain(violation.id);
      open.add(violation.id);
      detected -= 1;
    } else {
      expect(violation.status).not.toBe('OPEN');
      open.delete(violation.id);
    }
  }
  expect(detected).toBe(0);
  const stored = await all(service, violations);
  expect([...open].sort()).toEqual(
    stored.flatMap(({ id, status }) => (status === 'OPEN' ? [id] : [])).sort(),
  );
}

describe('after any changes, in any order with the background', () => {
  it('the violations, and those told of, are those of evaluating everything anew', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (changes) => {
        const service = await startTestService();
        try {
          const webhook = await eventsOf(service).addWebhook();
          // So small a batch that every piece of work is interrupted by the changes that follow.
          const evaluator = testEvaluator(service.deps, 2);
          for (const each of changes) await perform(service, evaluator, each);
          // Policies that read the time are up to an hour behind.
          service.advance(hour + 1);
          await evaluator.run();
          expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
          await checkViolations(service);
          await checkOverview(service);
          await checkFramework(service);
          await checkTold(service, webhook);
        } finally {
          await service.close();
        }
      }),
      { numRuns: Number(process.env['GOVCTL_PROPERTY_RUNS'] ?? 60) },
    );
  }, 300_000);
});
