import type { EventType } from '../../contract/events.ts';

/**
 * The data of an event of each type, as it may come: for receivers to be tried out with, and for the reference.
 * @returns what its caller may change
 */
export const sampleData = (type: EventType): Record<string, unknown> =>
  structuredClone(samples[type]);

const at = '2026-03-02T09:30:00.000Z';
const later = '2026-03-02T10:00:00.000Z';

const policy = {
  id: 'pol_01jnb3r8q4x2m5v7k9t1w3y5z7',
  name: 's3-buckets-are-private',
  resource_type: 'AWS::S3::Bucket',
  severity: 'HIGH',
  enabled: true,
  rules: [
    {
      condition: 'resource.public_access.blocked == false',
      effect: 'DENY',
      message: 'The bucket can be read by anyone',
    },
  ],
  compliance_frameworks: ['SOC2:CC6.1', 'PCI-DSS'],
  created_at: '2026-02-20T08:00:00.000Z',
  updated_at: at,
  created_by: 'user_01jnb3r8q4x2m5v7k9t1w3y5a1',
};

const violation = {
  id: 'viol_01jnb4c2e6g8j0m2p4r6t8v0x2',
  status: 'OPEN',
  detected_at: at,
  policy_id: policy.id,
  policy_name: policy.name,
  resource_id: 'arn:aws:s3:::customer-invoices',
  resource_type: policy.resource_type,
  resource_name: 'customer-invoices',
  severity: policy.severity,
  provider: 'aws',
  account_id: '123456789012',
  region: 'eu-west-1',
  environment: 'production',
  tags: { team: 'billing' },
  compliance_frameworks: policy.compliance_frameworks,
  message: 'The bucket can be read by anyone',
};

const resource = {
  id: violation.resource_id,
  type: violation.resource_type,
  name: violation.resource_name,
  provider: violation.provider,
  account_id: violation.account_id,
  region: violation.region,
  environment: violation.environment,
  tags: violation.tags,
  public_access: { blocked: false },
  properties: {},
  _meta: { created_at: at, updated_at: at },
};

const scan = {
  id: 'scan_01jnb4d0a2c4e6g8j0k2m4p6r8',
  name: 'nightly',
  status: 'completed',
  progress: 100,
  summary: { evaluated: 4200, pass: 3900, fail: 250, error: 20, exempt: 30 },
  resources_scanned: 1400,
  violations_found: 250,
  compliance_score: 92.4,
  created_at: at,
  created_by: policy.created_by,
  started_at: at,
  completed_at: later,
  duration: '30m',
};

const score = {
  framework: 'SOC2',
  account_id: violation.account_id,
  previous_score: 93.5,
  current_score: 87.25,
  status: 'NON_COMPLIANT',
  assessment_date: later,
};

const report = {
  id: 'rpt_01jnb4f3b5d7f9h1k3n5q7s9v1',
  name: 'SOC 2, first quarter',
  type: 'compliance',
  framework: 'soc2',
  status: 'completed',
  generated_at: later,
  size: { pages: 24, file_size_mb: 1.8 },
  summary: { compliance_score: 92.4, total_violations: 250, critical_findings: 3 },
  created_at: at,
};

const user = {
  id: policy.created_by,
  email: 'ann@example.com',
  name: 'Ann',
  roles: ['editor'],
  scopes: ['governance:read', 'compliance:write'],
};

const samples: Readonly<Record<EventType, Record<string, unknown>>> = {
  'policy.violation.created': { violation },
  'policy.violation.resolved': {
    violation: { ...violation, status: 'RESOLVED', resolved_at: later },
  },
  'policy.violation.detected': {
    violation_id: violation.id,
    severity: 'high',
    resource: violation.resource_id,
    policy: violation.policy_name,
    message: violation.message,
  },
  'policy.deployment.completed': {
    policy: { ...policy, evaluation: { evaluated: 40, pass: 37, fail: 2, error: 0, exempt: 1 } },
  },
  'policy.enforcement.failed': {
    policy: {
      ...policy,
      auto_remediation: true,
      remediation_action: 'exec:block-public-access',
      enforcement: {
        remediation_id: 'rem_01jnb4g9c1e3g5j7m9p1r3t5v7',
        violation_id: violation.id,
        resource_id: violation.resource_id,
        error: 'the command failed with exit code 1',
      },
    },
  },
  'policy.quarantined': {
    policy: {
      ...policy,
      quarantined: {
        since: at,
        resources: 10,
        example: violation.resource_id,
        reason: 'the conditions exceed the budget of 2,000,000 steps',
      },
    },
  },
  'compliance.status.changed': {
    compliance: {
      ...score,
      previous_status: 'COMPLIANT',
      changed_controls: [
        {
          control_id: 'CC6.1',
          control_name: 'CC6.1',
          previous_status: 'PASSED',
          current_status: 'FAILED',
          reason: 'policy s3-buckets-are-private has an open violation',
        },
      ],
    },
  },
  'compliance.score.changed': score,
  'compliance.report.generated': { report },
  'compliance.audit.started': {
    audit: {
      id: report.id,
      name: 'SOC 2 audit',
      type: 'audit',
      framework: 'soc2',
      status: 'generating',
      created_at: at,
    },
  },
  'compliance.framework.updated': {
    framework: {
      framework: 'SOC2',
      action: 'mapped',
      policy_id: policy.id,
      policy_name: policy.name,
      controls: ['CC6.1'],
    },
  },
  'scan.completed': { scan },
  'scan.failed': {
    scan: {
      ...scan,
      status: 'failed',
      progress: 40,
      compliance_score: null,
      failure: {
        reason: 'an evaluation failed repeatedly; see the log of the service',
      },
    },
  },
  'resource.discovered': { resource },
  'resource.changed': {
    resource: { ...resource, _meta: { created_at: at, updated_at: later } },
  },
  'user.login': { user },
  'user.policy.exemption': {
    exemption: {
      id: 'exm_01jnb4h7d9f1h3k5n7q9s1v3x5',
      policy: policy.name,
      named_by: 'name',
      resources: ['arn:aws:s3:::public-*'],
      reason: 'These buckets serve the website',
      owner: 'team-web',
      expires: '2026-06-30',
      category: 'waiver',
      status: 'active',
      created_at: at,
      updated_at: at,
      created_by: policy.created_by,
      action: 'created',
    },
  },
  'user.role.changed': {
    user: { ...user, previous_roles: ['viewer'], previous_scopes: ['governance:read'] },
  },
  'api.key.created': {
    api_key: {
      id: 'key_01jnb4k1e3g5j7m9p1r3t5v7x9',
      name: 'ci',
      user_id: user.id,
      key_hint: 'q7Zk',
      created_at: at,
      scopes: user.scopes,
    },
  },
  'api.key.expiring': {
    api_key: {
      id: 'key_01jnb4k1e3g5j7m9p1r3t5v7x9',
      name: 'ci',
      user_id: user.id,
      key_hint: 'q7Zk',
      created_at: at,
      scopes: user.scopes,
      expires_at: later,
    },
  },
  'audit.head': {
    audit: {
      sequence: 4812,
      hash: '9f2c1d7be0a5483c6f1e2d3a4b5c69788790a1b2c3d4e5f60718293a4b5c6d7e',
      at,
      key_id: '9b41c07e5a6d3f2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b',
      signature: 'Base64 of the Ed25519 signature',
    },
  },
  'webhook.events.dropped': {
    webhook: {
      id: 'wh_01jnb2m3n4p5q6r7s8t9v0w1x2',
      name: 'tickets',
      status: 'disabled',
      failing_since: '2026-01-30T09:30:00.000Z',
      disabled_at: '2026-01-31T09:30:00.000Z',
      dropped: { events: 2_000, since: at, last_at: at },
    },
  },
  'cost.anomaly.detected': {
    anomaly_id: 'anomaly-2026-03-01-s3',
    severity: 'high',
    provider: 'aws',
    service: 'Amazon S3',
    account_id: violation.account_id,
    date: '2026-03-01',
    end_date: '2026-03-01',
    days: 1,
    expected_cost: 41.2,
    actual_cost: 187.5,
    impact: 146.3,
    impact_percent: 355.1,
    currency: 'USD',
    message: 'Amazon S3 cost 4.6 times what was expected',
  },
  'budget.threshold.exceeded': {
    budget_id: 'budget-platform',
    severity: 'medium',
    name: 'platform',
    threshold_percent: 80,
    threshold_on: 'actual',
    budget: 10_000,
    spent: 8_125.4,
    currency: 'USD',
    period: '2026-03',
    message: 'platform has spent 81% of its budget (threshold: 80%)',
  },
};
