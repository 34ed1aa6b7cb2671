// Policies for measuring: distinct names, conditions of the shapes that real libraries have.
const conditions = [
  (n) => `resource.encryption.enabled == false && resource.tags["tier"] != "t${n}"`,
  (n) =>
    `resource.ingress.exists(r, "0.0.0.0/0" in r.cidrs && r.from_port <= ${n} && r.to_port >= ${n})`,
  (n) => `!has(resource.trail) || resource.trail.target_bucket == "logs-${n}"`,
  (n) => `resource.name.matches("^tmp-[a-z0-9]+-${n}$") && resource.environment == "production"`,
  (n) => `now - timestamp(resource.last_used_at) > duration("${n + 1}h")`,
];

export function makePolicy(n) {
  return {
    name: `bench-policy-${String(n).padStart(6, '0')}`,
    description: `Measured policy ${n}: keeps the storage of workload ${n % 97} the way the baseline wants it.`,
    resource_type: ['AWS::S3::Bucket', 'AWS::EC2::SecurityGroup', 'AWS::RDS::DBInstance'][n % 3],
    severity: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'][n % 4],
    enabled: true,
    rules: [
      {
        condition: conditions[n % conditions.length](n),
        effect: 'DENY',
        message: `Workload ${n % 97} leaves the baseline; see the runbook, section ${n % 31}.`,
      },
    ],
    compliance_frameworks: ['SOC2:CC6.1', 'ISO27001:A.8.24'],
    tags: ['bench', `team-${n % 12}`],
  };
}

export function policyYaml(policy) {
  const text = (value) => JSON.stringify(value);
  return [
    `name: ${policy.name}`,
    `description: ${text(policy.description)}`,
    `resource_type: ${policy.resource_type}`,
    `severity: ${policy.severity}`,
    'rules:',
    ...policy.rules.flatMap((rule) => [
      `  - condition: ${text(rule.condition)}`,
      `    effect: ${rule.effect}`,
      `    message: ${text(rule.message)}`,
    ]),
    `compliance_frameworks: [${policy.compliance_frameworks.map(text).join(', ')}]`,
    `tags: [${policy.tags.join(', ')}]`,
    '',
  ].join('\n');
}
