// Resources for measuring: buckets as an inventory export has them, a Terraform plan of the same, and policies for both
// beside what a person would write by hand instead.
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { makePolicy } from './policies.js';

/** A bucket; about one in a hundred lacks encryption. */
const makeBucket = (n) => ({
  id: `arn:aws:s3:::bucket-${n}`,
  type: 'AWS::S3::Bucket',
  name: `bucket-${n}`,
  provider: 'aws',
  account_id: '123456789012',
  region: ['eu-central-1', 'us-east-1', 'ap-south-1'][n % 3],
  environment: n % 4 === 0 ? 'production' : 'development',
  tags: { team: `team-${n % 12}`, tier: `t${n % 97}`, owner: `owner-${n % 31}@example.com` },
  properties: {
    BucketName: `bucket-${n}`,
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
  },
  encryption: { enabled: n % 97 !== 0, algorithm: 'aws:kms' },
  logging: { target_bucket: `logs-${n % 7}` },
  ingress: [{ cidr: '10.0.0.0/8', from_port: 443, to_port: 443 }],
  last_used_at: '2026-01-01T00:00:00Z',
});

export async function writeInventory(file, count) {
  const out = createWriteStream(file);
  for (let n = 0; n < count; n++) {
    if (!out.write(`${JSON.stringify(makeBucket(n))}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** A plan that creates `count` buckets, with the blocks that Terraform writes around them. */
export async function writePlan(file, count) {
  const values = (n) => ({
    bucket: `bucket-${n}`,
    bucket_prefix: null,
    force_destroy: false,
    object_lock_enabled: false,
    server_side_encryption_configuration: [
      {
        rule: [
          {
            apply_server_side_encryption_by_default: [{ sse_algorithm: 'aws:kms' }],
            bucket_key_enabled: true,
          },
        ],
      },
    ],
    tags: { team: `team-${n % 12}`, tier: `t${n % 97}` },
    tags_all: { team: `team-${n % 12}`, tier: `t${n % 97}` },
    timeouts: null,
  });
  const names = Array.from({ length: count }, (_, n) => n);
  const base = (n) => ({
    address: `aws_s3_bucket.bucket_${n}`,
    mode: 'managed',
    type: 'aws_s3_bucket',
    name: `bucket_${n}`,
    provider_name: 'registry.terraform.io/hashicorp/aws',
  });
  const unknown = { acl: true, arn: true, id: true, region: true, versioning: true };
  const plan = {
    format_version: '1.2',
    terraform_version: '1.9.0',
    planned_values: {
      root_module: {
        resources: names.map((n) => ({ ...base(n), schema_version: 0, values: values(n) })),
      },
    },
    resource_changes: names.map((n) => ({
      ...base(n),
      change: {
        actions: ['create'],
        before: null,
        after: values(n),
        after_unknown: unknown,
        before_sensitive: false,
        after_sensitive: { tags: {}, tags_all: {} },
      },
    })),
    configuration: {
      root_module: {
        resources: names.map((n) => ({
          ...base(n),
          provider_config_key: 'aws',
          expressions: {
            bucket: { constant_value: `bucket-${n}` },
            tags: { constant_value: values(n).tags },
          },
          schema_version: 0,
        })),
      },
    },
  };
  await writeFile(file, JSON.stringify(plan));
}

const hour = 3_600_000;

/** Five shapes of conditions: equality, two-part and, list `exists`, has + regex, age. Few buckets fail one. */
const shapes = [
  {
    condition: () => 'resource.encryption.enabled == false',
    byHand: () => (resource) => resource.encryption.enabled === false,
  },
  {
    condition: (n) => `resource.environment == "production" && resource.tags["tier"] == "t${n}"`,
    byHand: (n) => {
      const tier = `t${n}`;
      return (resource) => resource.environment === 'production' && resource.tags.tier === tier;
    },
  },
  {
    condition: (n) =>
      `has(resource.ingress) && resource.ingress.exists(r, r.cidr == "0.0.0.0/0" && r.from_port <= ${n} && r.to_port >= ${n})`,
    byHand: (n) => (resource) =>
      resource.ingress !== undefined &&
      resource.ingress.some((r) => r.cidr === '0.0.0.0/0' && r.from_port <= n && r.to_port >= n),
  },
  {
    condition: (n) => `has(resource.name) && resource.name.matches("^tmp-[a-z0-9]+-${n}$")`,
    byHand: (n) => {
      const pattern = new RegExp(`^tmp-[a-z0-9]+-${n}$`);
      return (resource) => resource.name !== undefined && pattern.test(resource.name);
    },
  },
  {
    condition: (n) =>
      `has(resource.last_used_at) && now - timestamp(resource.last_used_at) > duration("${900_000 + n}h")`,
    byHand: (n) => (resource, now) =>
      resource.last_used_at !== undefined &&
      now - Date.parse(resource.last_used_at) > (900_000 + n) * hour,
  },
];

export const makeBucketPolicy = (n) => ({
  ...makePolicy(n),
  resource_type: 'AWS::S3::Bucket',
  rules: [
    {
      condition: shapes[n % shapes.length].condition(n),
      effect: 'DENY',
      message: `Workload ${n} leaves the baseline; see the runbook.`,
    },
  ],
});

/** The condition of `makeBucketPolicy(n)` as a function of resource and now. */
export const makeClosure = (n) => shapes[n % shapes.length].byHand(n);
