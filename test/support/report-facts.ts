import type { Severity } from '../../src/contract/policies.ts';
import type { ReportType } from '../../src/contract/reports.ts';
import { countFinding, createGroups, newCounter, noneBySeverity, sumCounters } from '../../src/report/content/counters.ts'; // prettier-ignore
import { composeModel, wantsOf } from '../../src/report/content/compose.ts';
import type { EvaluationRow, Facts, PolicyFact, StepRow, ViolationRow } from '../../src/report/content/facts.ts'; // prettier-ignore
import { describeMappings } from '../../src/report/content/framework.ts';
import type { ContentOrder } from '../../src/report/content/order.ts';
import { ageBucketOf, ageBuckets, riskPoints } from '../../src/report/content/risk-points.ts';
import { rowsOf } from '../../src/report/content/rows.ts';
import { readScope } from '../../src/report/content/scope.ts';
import { readLabels } from '../../src/engine/labels.ts';
import type { ReportModel } from '../../src/report/model.ts';
import {
  addTo,
  createTopResources,
  newViolationCounts,
} from '../../src/server/reports/gather/violation-counts.ts';

const at = Date.UTC(2026, 10, 21, 12);
const day = 24 * 3_600_000;

const subjects = [
  ['S3 buckets', 'AWS::S3::Bucket', 's3:::acme-'],
  ['RDS instances', 'AWS::RDS::DBInstance', 'rds:eu-central-1:111122223333:db:'],
  ['EC2 instances', 'AWS::EC2::Instance', 'ec2:eu-central-1:111122223333:instance/i-'],
  ['Security groups', 'AWS::EC2::SecurityGroup', 'ec2:us-east-1:111122223333:security-group/sg-'],
  ['IAM roles', 'AWS::IAM::Role', 'iam::111122223333:role/'],
  ['Lambda functions', 'AWS::Lambda::Function', 'lambda:us-east-1:111122223333:function:'],
] as const;
const demands = [
  'must be encrypted at rest',
  'must not be reachable from the internet',
  'must write access logs',
  'must have an owner tag',
  'must use TLS 1.2 or later',
  'must be backed up',
  'must not use default settings of the vendor',
  'must be patched within 30 days',
  'must be in an approved region',
] as const;
const controls = [
  ['CC6.1', '164.312(a)(1)', '8.24', '3.5.1', 'SC-28'],
  ['CC6.6', '164.312(e)(1)', '8.20', '1.3.1', 'SC-7'],
  ['CC7.2', '164.312(b)', '8.15', '10.2.1', 'AU-2'],
  ['CC6.7', '164.312(c)(1)', '5.14', '4.2.1', 'SC-8'],
  ['A1.2', '164.308(a)(7)(i)', '8.13', '12.10.1', 'CP-9'],
] as const;
const frameworks = ['SOC2', 'HIPAA', 'ISO27001', 'PCI-DSS', 'NIST-800-53'] as const;
const severities: readonly Severity[] = ['CRITICAL', 'HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'LOW'];
const environments = ['production', 'staging', 'development', undefined] as const;
const chinese = ['审计日志存储桶', '顧客データベース', '로그-보관-서버', '客户数据导出'] as const;

export interface FactsOptions {
  readonly type: ReportType;
  /** Open violations. */
  readonly findings: number;
  /** Names in Chinese, Japanese and Korean, and ids of 200 characters. */
  readonly long?: boolean;
}

const policiesOf = (findings: number, long: boolean): readonly PolicyFact[] =>
  findings === 0
    ? []
    : subjects.flatMap(([subject, resource_type], of) =>
        demands.map((demand, which): PolicyFact => {
          const n = of * demands.length + which;
          const name = long ? `${chinese[n % 4] ?? ''} ${subject} ${demand}` : `${subject} ${demand}`; // prettier-ignore
          const labels = frameworks.map((one, k) => `${one}:${controls[n % 5]?.[k] ?? ''}`);
          return {
            id: `pol_01kah7v2m4x9c0d3e5f6g7${String(n).padStart(4, '0')}`,
            name,
            severity: severities[n % severities.length] ?? 'LOW',
            resource_type,
            description: `${subject} ${demand}.`,
            messages: [`This resource ${demand.replace('must', 'does not, but must')}`],
            auto_remediation: n % 11 === 0,
            created_at: at - 200 * day,
            updated_at: at - 100 * day,
            mappings: readLabels(labels),
            counter: newCounter(),
            failing: [],
            undecided: [],
          };
        }),
      );

/** What a report of so many open violations tells: pure, and the same each time. */
function madeFacts({ type, findings, long = false }: FactsOptions): Facts {
  const order: ContentOrder = {
    id: 'rpt_01kah7v2m4x9c0d3e5f6g7h8j9',
    name: long ? '第三季度合规报告：顧客データと로그-보관' : 'Quarterly review, Q3 2026',
    type,
    scope: { date_range: { start: new Date(at - 90 * day).toISOString(), end: new Date(at).toISOString() } }, // prettier-ignore
    include_executive_summary: true,
    include_detailed_findings: true,
    organization: 'Acme Bank',
    prepared_for: 'The audit committee',
    prepared_by: 'Ada Lovelace',
    generated_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
    at,
  };
  const policies = policiesOf(findings, long);
  const counts = newCounts();
  const total = newViolationCounts();
  const byPolicy = new Map(
    policies.map(({ id, name, severity, mappings }) => [
      id,
      { id, name, severity, mappings, counts: newViolationCounts() },
    ]),
  );
  const rows: ViolationRow[] = [];
  const evaluations: EvaluationRow[] = [];
  const steps: StepRow[] = [];
  const ages = ageBuckets.map(noneBySeverity);
  const top = createTopResources();
  for (let n = 0; n < findings; n++) {
    // The first policies have the most.
    const which = Math.floor((((n * 7919) % 1000) ** 2 / 1_000_000) * policies.length);
    const policy = policies[which];
    if (!policy) continue;
    const { name, id, severity, resource_type } = policy;
    const environment = environments[n % environments.length];
    const [, , path = ''] = subjects.find(([, type]) => type === resource_type) ?? [];
    const tail = long
      ? `${chinese[n % 4] ?? ''}-${String(n)}-`.padEnd(150, 'part-of-a-very-long-name/')
      : `${environment ?? 'shared'}-${n.toString(16).padStart(8, '0')}`;
    const resource = `arn:aws:${path}${tail}`;
    const age = (n * 13) % 200;
    const found = at - age * day;
    const about = {
      policy: name,
      policy_id: id,
      severity,
      resource,
      resource_type,
      ...(environment === undefined ? {} : { environment }),
      provider: 'aws',
      account_id: `11112222${String(3333 + (n % 5))}`,
      region: ['eu-central-1', 'us-east-1'][n % 2] ?? '',
    };
    const message = `${policy.messages[0] ?? ''}${n % 3 === 0 ? `: found ${n % 17} of 3 settings` : ''}`;
    const points = riskPoints(severity, at - found, environment);
    rows.push({
      ...about,
      id: `viol_01kah7v2m4x9c0d3e5f6${String(n).padStart(6, '0')}`,
      status: 'OPEN',
      controls: describeMappings(policy.mappings),
      message,
      found_at: found,
      points,
    });
    const step = { at: found, to: 'OPEN', cause: 'evaluation' } as const;
    const replayed = {
      ...(age >= 90 && { atStart: 'OPEN' as const }),
      atEnd: 'OPEN' as const,
      wasOpen: true,
      steps: age < 90 ? [step] : [],
      isCut: false,
    };
    const violations = byPolicy.get(id)?.counts ?? total;
    for (const one of [
      total,
      violations,
      counts.environments.of(environment),
      counts.providers.of('aws'),
      counts.accounts.of(about.account_id),
      counts.regions.of(about.region),
    ]) {
      addTo(one, replayed, severity, points);
    }
    top.add(about, severity, points);
    top.settle();
    const bucket = ages[ageBuckets.indexOf(ageBucketOf(at - found))];
    if (bucket) bucket[severity] += 1;
    if (age < 90) {
      steps.push({ ...about, ...step, id: rows.at(-1)?.id ?? '' });
      const number = Math.floor((found - (at - 90 * day)) / day);
      const tick = counts.ticks.get(number) ?? { opened: 0, resolved: 0, exempted: 0 };
      tick.opened += 1;
      tick.resolved += n % 4 === 0 ? 1 : 0;
      counts.ticks.set(number, tick);
    }
    for (const status of [
      'FAIL',
      'PASS',
      'PASS',
      ...(n % 20 === 0 ? ['ERROR' as const] : []),
    ] as const) {
      // prettier-ignore
      const finding = { status, severity };
      for (const one of [
        policy.counter,
        counts.severities[severity],
        counts.evaluated.of(environment),
        counts.provided.of('aws'),
        counts.types.of(resource_type),
      ]) {
        countFinding(one, finding);
      }
      evaluations.push({ ...about, status, message: status === 'FAIL' ? message : status === 'ERROR' ? 'PublicAccess is missing' : '' }); // prettier-ignore
    }
    if (policy.failing.length < 5) (policy.failing as string[]).push(resource);
    if (n % 20 === 0 && policy.undecided.length < 5) (policy.undecided as string[]).push(resource);
  }
  const bySeverity = (a: { severity: Severity; policy: string }, b: typeof a): number =>
    severities.indexOf(a.severity) - severities.indexOf(b.severity) || (a.policy < b.policy ? -1 : Number(a.policy > b.policy)); // prettier-ignore
  // In the order that the report asks for, as the server gathers them.
  const scope = readScope(order);
  const wanted = wantsOf(order).violations;
  const wasOpen = { wasOpen: true, steps: [], isCut: false };
  const keys = new Map(rows.map((row) => [row, wanted?.keyOf(row, wasOpen, scope) ?? '']));
  const keyed = (row: ViolationRow): string => keys.get(row) ?? '';
  rows.sort((a, b) => (keyed(a) < keyed(b) ? -1 : Number(keyed(a) > keyed(b))));
  evaluations.sort(bySeverity);
  steps.sort(bySeverity);
  const some = (most: number): number => Math.min(most, findings);
  const wasDone = (n: number, of: number) => at - ((of - n) * 90 * day) / of;
  const audited = Array.from({ length: some(2_000) }, (_, n) => ({
    at: new Date(wasDone(n, 2_000)).toISOString(),
    actor: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
    via: 'key_01kah7v2m4x9c0d3e5f6g7h8jb',
    via_name: 'ci',
    action: ['policy.updated', 'policy.created', 'exemption.created'][n % 3] ?? '',
    subject: policies[n % policies.length]?.id ?? '',
    subject_name: policies[n % policies.length]?.name ?? '',
    changes: 'rules, severity',
    request_id: `req_01kah7v2m4x9c0d3e5f6${String(n).padStart(6, '0')}`,
  }));
  const actions = createGroups(() => ({ count: 0 }));
  const actors = createGroups(() => ({ count: 0 }));
  for (const { action, actor } of audited) {
    actions.of(action).count += 1;
    actors.of(actor).count += 1;
  }
  const scans = Array.from({ length: some(60) }, (_, n) => ({
    id: `scan_01kah7v2m4x9c0d3e5f6${String(n).padStart(6, '0')}`,
    status: 'completed',
    created_at: wasDone(n, 60),
    created_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
    completed_at: wasDone(n, 60) + 60_000,
    isWhole: n % 4 !== 3,
    score: Math.round((70 + n / 12 + Math.sin(n) * 2) * 100) / 100,
    resources: findings,
    evaluated: findings * 3,
    failed: findings + 60 - n,
    undecided: 3,
    exempt: 4,
  }));
  const lastWhole = scans.findLast(({ isWhole }) => isWhole);
  const resolving = (count: number) => ({ sum: count * 11 * day, count, unknown: 0 });
  const facts: Facts = {
    order,
    scope,
    policies,
    disabled: 2,
    evaluations: {
      total: sumCounters(policies.map(({ counter }) => counter)),
      severities: counts.severities,
      environments: counts.evaluated,
      providers: counts.provided,
      types: counts.types,
      places: { environments: new Set(['production', 'staging', 'development']), providers: new Set(['aws']) }, // prettier-ignore
      resources: findings,
      covered: findings,
      rows: rowsOf(evaluations),
      undecidedRows: rowsOf(evaluations.filter(({ status }) => status === 'ERROR')),
    },
    violations: {
      total,
      policies: byPolicy,
      environments: counts.environments,
      providers: counts.providers,
      accounts: counts.accounts,
      regions: counts.regions,
      ages,
      topResources: top.list(),
      affected: top.affected(),
      ticks: counts.ticks,
      tick: day,
      resolving: { CRITICAL: resolving(some(4)), HIGH: resolving(some(40)), MEDIUM: resolving(some(90)), LOW: resolving(0) }, // prettier-ignore
      causes: new Map(findings === 0 ? [] : [['evaluation', findings]]),
      cut: 0,
      rows: rowsOf(rows),
      steps: rowsOf(steps),
    },
    exemptions: Array.from({ length: some(20) }, (_, n) => ({
      id: `exm_01kah7v2m4x9c0d3e5f6g7${String(n).padStart(4, '0')}`,
      policy: policies[n]?.name ?? '',
      resources: ['arn:aws:s3:::acme-public-assets-*'],
      reason: 'Public by design: it serves the website',
      owner: 'web-team@example.com',
      expires: '2026-12-01',
      ends_at: at + 10 * day,
      created_at: at - 20 * day,
      created_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
      covers: n,
    })),
    scans: { within: scans, ...(lastWhole && { lastWhole }) },
    audit: { entries: rowsOf(audited), actions, actors },
    predictions: {
      on: ['date_certain', 'trend'],
      alerts: rows.slice(0, some(1_000) / 2).map((row, n) => ({
        id: `pred_01kah7v2m4x9c0d3e5f6${String(n).padStart(6, '0')}`,
        method: n % 2 === 0 ? ('date_certain' as const) : ('trend' as const),
        severity: row.severity,
        policy: row.policy,
        resource: row.resource,
        resource_type: row.resource_type,
        provider: 'aws',
        at: at + (n % 30) * day,
        confidence: 0.9,
        advice: 'Renew the certificate',
      })),
      isCut: false,
    },
    remediations: {
      total: some(30),
      states: new Map(findings === 0 ? [] : [['completed', some(20)]]),
      plans: Array.from({ length: some(30) }, (_, n) => ({
        id: `rem_01kah7v2m4x9c0d3e5f6${String(n).padStart(6, '0')}`,
        status: 'completed',
        kind: 'remediation' as const,
        created_at: wasDone(n, 30),
        ended_at: wasDone(n, 30) + 60_000,
        counts: {
          planned: 0,
          attempting: 0,
          unverified: 0,
          completed: 4,
          failed: 1,
          skipped: 0,
          cancelled: 0,
        }, // prettier-ignore
        why_not: [],
        requested_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
      })),
      failed: some(30),
      failures: rows.slice(0, some(30)).map((row) => ({
        remediation: 'rem_01kah7v2m4x9c0d3e5f6000001',
        severity: row.severity,
        policy: row.policy,
        resource: row.resource,
        method: 'patch',
        why: 'The resource changed since the plan was made',
        ended_at: at,
      })),
    },
    people: new Map([['user_01kah7v2m4x9c0d3e5f6g7h8ja', 'Ada Lovelace']]),
  };
  const compare = wanted?.compare?.(facts);
  if (compare) rows.sort((a, b) => compare(keyed(a), keyed(b)));
  return facts;
}

const newCounts = () => ({
  severities: { CRITICAL: newCounter(), HIGH: newCounter(), MEDIUM: newCounter(), LOW: newCounter() }, // prettier-ignore
  evaluated: createGroups(newCounter),
  provided: createGroups(newCounter),
  types: createGroups(newCounter),
  environments: createGroups(newViolationCounts),
  providers: createGroups(newViolationCounts),
  accounts: createGroups(newViolationCounts),
  regions: createGroups(newViolationCounts),
  ticks: new Map<number, { opened: number; resolved: number; exempted: number }>(),
});

/** The whole report that these facts make. */
export const madeReport = (options: FactsOptions): ReportModel =>
  composeModel(madeFacts(options), 'govctl 0.1.0');
