import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { PolicyDocument } from '../src/project/documents/policy.ts';
import type * as z from 'zod';
import type { Resource } from '../src/contract/resources.ts';
import { isTypePattern, matchesType } from '../src/contract/resources.ts';
import { formatOfTestKey } from '../src/inventory/formats/formats.ts';
import type { TestKey } from '../src/inventory/formats/formats.ts';
import { readRemediationAction } from '../src/contract/remediation-action.ts';
import { proposeInTemplate } from '../src/project/fix/propose-in-template.ts';
import { compileCondition } from '../src/engine/condition/compile.ts';
import { catalogues } from '../src/engine/frameworks/frameworks.ts';
import { readLabels } from '../src/engine/labels.ts';
import { evaluate, preparePolicy } from '../src/engine/evaluate.ts';
import { ofAnyType } from '../src/inventory/attributes/arguments.ts';
import { namedLists } from '../src/inventory/attributes/credentials.ts';
import { normalisers } from '../src/inventory/attributes/types.ts';
import { readInventory } from '../src/inventory/read.ts';
import { toEvaluate } from '../src/project/check/checker.ts';
import { PolicyTestDocument } from '../src/project/documents/policy-test.ts';
import { formatYaml } from '../src/project/write/format.ts';
import { createLabelCheck } from '../src/project/read/check-labels.ts';
import { createSource } from '../src/project/read/source.ts';
import { isDeclared, readPaths } from './support/attribute-model.ts';
import { runCommandLine } from './support/fake-world.ts';

const root = path.resolve(import.meta.dirname, '..');
const library = path.join(root, 'policies-example');

const providers = { aws: 'AWS', azure: 'Azure', gcp: 'GCP' } as const;
/** Domains of AWS's own services that the library covers for that cloud only. */
const awsDomains = ['analytics', 'search'];
const domains = [
  'compute',
  'containers',
  'cost',
  'database',
  'identity',
  'keys',
  'logging',
  'messaging',
  'network',
  'serverless',
  'storage',
];

const files = readdirSync(library, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => /^(aws|azure|gcp)\/.*\.ya?ml$/.test(file))
  .sort();
const policyFiles = files.filter((file) => !file.endsWith('.test.yaml'));
const testFiles = files.filter((file) => file.endsWith('.test.yaml'));

/** The single document of a file; a duplicate key, a tab or a warning throws. */
function readDocument(file: string): unknown {
  const documents = parseAllDocuments(readFileSync(path.join(library, file), 'utf8'));
  if (!Array.isArray(documents) || documents.length !== 1 || !documents[0]) {
    throw new Error(`${file}: expected one document`);
  }
  const problem = documents[0].errors[0] ?? documents[0].warnings[0];
  if (problem) throw new Error(`${file}: ${problem.message}`);
  return documents[0].toJS();
}

const policies = policyFiles.map((file) => ({
  file,
  policy: PolicyDocument.parse(readDocument(file)),
}));

// Titles by %s: vitest shortens values that it takes from $file.
const eachPolicy = test.each(policies.map((one) => [one.file, one.policy] as const));

describe('the policy library', () => {
  test('has at least 60 policies, and every provider covers every domain', () => {
    expect(policies.length).toBeGreaterThanOrEqual(60);
    const covered = new Set(policyFiles.map((file) => path.posix.dirname(file)));
    const wanted = [
      ...Object.keys(providers).flatMap((one) => domains.map((two) => `${one}/${two}`)),
      ...awsDomains.map((domain) => `aws/${domain}`),
    ];
    expect([...covered].sort()).toEqual(wanted.sort());
  });

  test('gives every policy a unique name', () => {
    const names = policies.map(({ policy }) => policy.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  eachPolicy('%s is placed, named and labelled like the others', (file, policy) => {
    const [provider, domain, name] = file.replace('.yaml', '').split('/');
    expect(policy.name).toBe(name);
    expect(policy.name).toMatch(new RegExp(`^${provider}(-[a-z0-9]+)+$`));
    const typePrefix = providers[provider as keyof typeof providers];
    expect(policy.resource_type).toMatch(new RegExp(`^${typePrefix}::`));
    expect(policy.severity).toBeDefined();
    expect(policy.description?.length).toBeGreaterThan(20);
    expect(policy.tags).toContain(`domain:${domain}`);
    expect(policy.tags?.filter((tag) => tag.startsWith('team:'))).toHaveLength(1);
    expect(policy.tags?.filter((tag) => /^set:(baseline|strict)$/.test(tag))).toHaveLength(1);
  });

  test.each(files)('%s is written in the form that govctl fmt gives', (file) => {
    const text = readFileSync(path.join(library, file), 'utf8');
    expect(formatYaml(createSource(file, text))).toMatchObject({ text });
  });

  const finops = parse(readFileSync(path.join(library, 'frameworks/finops.yaml'), 'utf8')) as {
    controls: { id: string }[];
  };
  const checkLabel = createLabelCheck([
    { name: 'FINOPS', controls: finops.controls.map(({ id }) => id) },
  ]);
  eachPolicy(
    '%s names controls that its frameworks have, in their usual spelling',
    (_file, policy) => {
      const labels = policy.compliance_frameworks ?? [];
      expect(labels).not.toEqual([]);
      expect(labels.flatMap((label) => checkLabel(label) ?? [])).toEqual([]);
      const mappings = readLabels(labels);
      expect(frameworks).toEqual(
        expect.arrayContaining(mappings.map(({ framework }) => framework)),
      );
      const shown = mappings.flatMap(({ framework, controls }) =>
        controls.map((control) => `${framework}:${control}`),
      );
      expect(shown.sort()).toEqual([...labels].sort());
    },
  );

  eachPolicy('%s says what is wrong and what to do about it', (_file, policy) => {
    for (const rule of policy.rules) {
      expect(rule.message?.length).toBeGreaterThanOrEqual(40);
      // Of ALLOW rules, none of which matched, a finding shows the conditions.
      expect(rule.effect).toBe('DENY');
      // The finding, a semicolon, then an order.
      expect(rule.message).toMatch(new RegExp(`[;,] (${orders}) `));
    }
  });

  eachPolicy('%s has conditions that compile', (_file, policy) => {
    for (const rule of policy.rules) {
      const compiled = compileCondition(rule.condition);
      expect(compiled.ok ? '' : `${compiled.problem.message}: ${rule.condition}`).toBe('');
    }
  });

  test('asks who is let in by the functions that say so, and spells out neither ranges nor principals', () => {
    const spelled = policies.filter(({ policy }) =>
      policy.rules.some(({ condition }) =>
        /0\.0\.0\.0|::\/|\/\[0-7\]|aws:(principal|source)(?!arn": resource)/i.test(
          // 0.0.0.0/32 is no range of addresses: it is how a firewall of Azure says "all services of Azure".
          condition.replace(/cidr_contains\(c, "[^"]+"\)|"0\.0\.0\.0\/32" in/g, ''),
        ),
      ),
    );
    expect(spelled.map(({ policy }) => policy.name)).toEqual([]);
  });

  test('patches only attributes that are declared, and remediates by nothing but patches, on approval', () => {
    for (const { policy } of policies) {
      const action = readRemediationAction(policy.remediation_action ?? '');
      expect([policy.name, policy.auto_remediation]).toEqual([policy.name, undefined]);
      if (action.kind !== 'patch') {
        expect([policy.name, policy.remediation_action ?? '']).toEqual([policy.name, '']);
        continue;
      }
      const undeclared = leafPaths(action.patch).filter(
        (leaf) => !isDeclared(leaf, policy.resource_type),
      );
      expect(undeclared).toEqual([]);
    }
  });

  test('patches of AWS can be written into templates', () => {
    const unwritable = policies.flatMap(({ policy }) => {
      const action = readRemediationAction(policy.remediation_action ?? '');
      if (action.kind !== 'patch' || !policy.resource_type.startsWith('AWS::')) return [];
      const bare = JSON.stringify({ Resources: { One: { Type: policy.resource_type } } });
      const at = ['Resources', 'One'];
      const proposal = proposeInTemplate(bare, at, policy.resource_type, action.patch);
      return proposal.ok ? [] : [[policy.name, proposal.why]];
    });
    expect(unwritable).toEqual([]);
  });
});

/** Whether a policy is about one of these types; a pattern is about those that its conditions name. */
const isAbout = ({ resource_type, rules }: PolicyDocument, types: readonly string[]): boolean =>
  types.includes(resource_type) ||
  (isTypePattern(resource_type) &&
    types.some((type) => rules.some(({ condition }) => condition.includes(`"${type}"`))));

describe('the messages of the policy library', () => {
  /** What messages name in backticks, and whether they name properties without. */
  const named = policies.map(({ policy }) => {
    const messages = policy.rules.map(({ message = '' }) => message);
    const names = messages.flatMap((one) =>
      [...one.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const bare = messages.flatMap((one) => one.replace(/`[^`]+`/g, '').match(propertyNames) ?? []);
    return { policy, names, bare: bare.filter((word) => !ownNames.test(word)) };
  });
  const readFromTerraform = normalisers.filter(({ from }) => from.terraform !== undefined);

  test('call properties as the provider does, in backticks, and Terraform has a word for each', () => {
    const unknown = named.flatMap(({ policy, names }) => {
      const its = readFromTerraform.filter(({ types }) => isAbout(policy, types));
      const words = new Set(
        [ofAnyType, ...its.map((one) => one.arguments ?? {})].flatMap(Object.keys),
      );
      const isUnknown = (name = '') =>
        its.length > 0 && !words.has(name) && !namedLists.includes(name);
      return names.filter(isUnknown).map((name) => [policy.name, name]);
    });
    expect(unknown).toEqual([]);
  });

  test('use each word that Terraform has a word for', () => {
    const unused = readFromTerraform.flatMap(({ types, arguments: its = {}, attributes }) => {
      const meanings = Object.values(attributes).map(({ meaning }) => meaning);
      const used = named.filter(({ policy }) => isAbout(policy, types));
      return Object.keys(its).filter(
        (name) =>
          !used.some(({ names }) => names.includes(name)) &&
          !meanings.some((meaning) => meaning.includes(`\`${name}\``)),
      );
    });
    expect(unused).toEqual([]);
  });

  test("write Terraform's words as its documentation does", () => {
    const words = normalisers.flatMap(({ arguments: its = {} }) =>
      Object.entries(its).flatMap(([name, one]) =>
        // What stands in a JSON document is called as it is there.
        typeof one === 'string' ? (one === name ? [] : [one]) : Object.values(one),
      ),
    );
    const form =
      /^([a-z0-9_]+(\.[a-z0-9_]+)*|"[a-z./-]+")( = (true|false|"[\w-]+"))?( of [a-z0-9_]+)?( or [a-z0-9_]+)?$/;
    const odd = words.filter((word) => !form.test(word));
    expect(odd).toEqual([]);
  });

  test('name no property without backticks', () => {
    const open = named.filter(({ bare }) => bare.length > 0);
    expect(open.map(({ policy, bare }) => [policy.name, ...bare])).toEqual([]);
  });
});

describe('the rubric of severities', () => {
  /** The leaves that a policy's conditions read, but for those that say to whom it applies. */
  const risks = policies.map(({ policy }) => {
    const read = policy.rules.flatMap(({ condition }) => {
      const compiled = compileCondition(condition);
      return compiled.ok ? [...readPaths(compiled.condition.program)] : [];
    });
    const leaves = read.filter(
      (one) =>
        !scopes.test(one) &&
        !read.some((other) => /^[.[]/.test(other.slice(one.length)) && other.startsWith(one)),
    );
    const isStrict = policy.tags?.includes('set:strict') === true;
    return { policy, isStrict, reads: [...new Set(leaves)].sort().join(' ') };
  });

  const classes: [
    risk: string,
    least: number,
    severity: string,
    of: (one: (typeof risks)[number]) => boolean,
  ][] = [
    [
      'SSH, RDP or a database port is open to the internet',
      7,
      'CRITICAL',
      ({ policy }) => /no-public-(ssh|ssh-rdp|database-ports)$/.test(policy.name),
    ],
    [
      'SSH or RDP is open to one public network',
      5,
      'HIGH',
      ({ policy }) => policy.name.endsWith('-private-ssh-rdp'),
    ],
    [
      'other ports are open to the internet',
      3,
      'HIGH',
      ({ policy }) => /no-open-port-ranges$/.test(policy.name),
    ],
    [
      'a resource policy allows everybody',
      10,
      'CRITICAL',
      ({ policy }) =>
        /(-policy-not-public|-(topic|queue)-not-public|no-allow-not-principal|trust-no-not-principal|no-public-grants)$/.test(
          policy.name,
        ),
    ],
    [
      'a role is granted to everybody',
      4,
      'CRITICAL',
      ({ reads }) => reads === 'iam.bindings[].members',
    ],
    [
      'an ACL allows everybody',
      2,
      'CRITICAL',
      ({ policy }) => /public-(read|write)-acl$/.test(policy.name),
    ],
    [
      'everybody may call a function',
      5,
      'HIGH',
      ({ policy }) =>
        /(lambda-permission-not-public|url-authentication|(method|route)-authorization|cloud-(run|functions)-access)$/.test(
          policy.name,
        ),
    ],
    [
      'nothing keeps a bucket from being opened',
      3,
      'HIGH',
      ({ policy }) =>
        /(block-public-access|public-access-prevention|no-anonymous-access)$/.test(policy.name),
    ],
    [
      'a resource has a public address or endpoint',
      8,
      'HIGH',
      ({ isStrict, reads }) => !isStrict && reads === 'public_access',
    ],
    [
      'somebody is an administrator of everything',
      6,
      'HIGH',
      ({ policy }) =>
        /(no-full-administrator|administrator-access|broad-owner|custom-role-no-wildcard|basic-roles)$/.test(
          policy.name,
        ),
    ],
    [
      'a secret can be read in the template',
      12,
      'HIGH',
      ({ isStrict, reads }) =>
        !isStrict && /(^|[._])(password|hec_token)\.source$|^plaintext_secrets/.test(reads),
    ],
    [
      'clients are served in plain text or old TLS',
      10,
      'HIGH',
      ({ policy, reads }) =>
        !policy.name.includes('-storage-') &&
        /^((protocol|tls\.\w+) ?)+$/.test(reads) &&
        /tls\.(minimum_version|required)/.test(reads),
    ],
    [
      'storage accepts plain text',
      3,
      'MEDIUM',
      ({ policy }) => /(s3-tls-only|bucket-policy-tls-only|secure-transfer)$/.test(policy.name),
    ],
    ['keys are accepted beside identities', 5, 'MEDIUM', ({ reads }) => reads === 'local_auth'],
    [
      'there is nothing to restore from',
      3,
      'HIGH',
      ({ reads }) =>
        /^backup\.(enabled|point_in_time_recovery)( backup\.point_in_time_recovery)?$/.test(reads),
    ],
    ['data at rest is not encrypted', 14, 'MEDIUM', ({ reads }) => reads === 'encryption.enabled'],
    [
      'a service writes no log',
      12,
      'MEDIUM',
      ({ isStrict, reads }) =>
        isStrict && /^logging\.(enabled|types)( logging\.retention_days)?$/.test(reads),
    ],
    [
      "the key is the provider's",
      10,
      'LOW',
      ({ isStrict, reads }) =>
        isStrict && /^encryption\.(kms_key_id|customer_managed|kms)$/.test(reads),
    ],
    ['a cost tag is missing', 8, 'LOW', ({ policy }) => /cost-(tags|labels)$/.test(policy.name)],
    [
      'something costs more than it needs to',
      11,
      'LOW',
      ({ policy }) => policy.tags?.includes('domain:cost') === true,
    ],
    ['an alternative is not demanded', 9, 'LOW', ({ policy }) => policy.enabled === false],
  ];

  test.each(classes)('%s: at least %i policies, all of them %s', (_risk, least, severity, of) => {
    const found = risks.filter(of).map(({ policy }) => [policy.name, policy.severity]);
    expect(found.length).toBeGreaterThanOrEqual(least);
    expect(found).toEqual(found.map(([name]) => [name, severity]));
  });

  test('is the same for a rule within a resource and for one that is a resource of its own', () => {
    const pairs = policies.flatMap(({ policy: apart }) => {
      const names = [/-rule-/, /-ingress-rule-/].map((part) => apart.name.replace(part, '-'));
      const within = policies.find(({ policy }) => names.includes(policy.name) && policy !== apart);
      return within ? [[apart, within.policy] as const] : [];
    });
    expect(pairs.length).toBeGreaterThanOrEqual(11);
    for (const [apart, within] of pairs) {
      const judged = ({ severity, tags = [] }: typeof apart) => [
        severity,
        tags.find((tag) => tag.startsWith('set:')),
      ];
      expect([apart.name, ...judged(apart)]).toEqual([apart.name, ...judged(within)]);
    }
  });

  test.each([
    ['aws-backup-vault-policy-not-public', 'aws-backup-vault-not-public'],
    ['aws-ec2-elastic-address-not-on-instance', 'aws-ec2-instance-no-public-ip'],
    ['aws-ecr-repository-policy-not-public', 'aws-ecr-repository-not-public'],
    ['aws-efs-backup-policy-enabled', 'aws-efs-backup'],
    ['aws-efs-file-system-policy-not-open', 'aws-efs-policy-not-open'],
    ['aws-elasticsearch-domain-policy-not-public', 'aws-elasticsearch-not-public'],
    ['aws-elb-policy-resource-tls', 'aws-elb-security-policy'],
    ['aws-kms-key-policy-resource-not-public', 'aws-kms-key-policy-not-public'],
    ['aws-opensearch-domain-policy-not-public', 'aws-opensearch-not-public'],
    ['aws-s3-access-point-policy-resource-not-public', 'aws-s3-access-point-policy-not-public'],
    ['aws-s3-bucket-versioning-resource-enabled', 'aws-s3-versioning'],
    ['aws-secretsmanager-resource-policy-not-public', 'aws-secretsmanager-secret-not-public'],
    ['azure-key-vault-access-policies', 'azure-key-vault-rbac'],
    ['azure-sql-server-auditing-settings', 'azure-sql-server-auditing'],
    ['gcp-audit-config-no-exempted-members', 'gcp-project-audit-logs'],
  ])('is the same for %s, about parts, as for %s, about their owners', (part, owner) => {
    const judged = (name: string) => {
      const one = policies.find(({ policy }) => policy.name === name)?.policy;
      return [one?.severity, one?.tags?.filter((tag) => tag.startsWith('set:'))];
    };
    expect(judged(part)).toEqual(judged(owner));
    expect(judged(part)[0]).toBeDefined();
  });

  test('has nothing of the severity LOW in the baseline', () => {
    const low = risks.filter(({ policy, isStrict }) => policy.severity === 'LOW' && !isStrict);
    expect(low.map(({ policy }) => policy.name)).toEqual([]);
  });

  test('has nothing of the severity HIGH beyond the baseline without a reason in its description', () => {
    const late = risks.filter(
      ({ policy, isStrict }) =>
        isStrict &&
        policy.severity === 'HIGH' &&
        policy.description?.includes('This policy is in the strict set because ') !== true,
    );
    expect(late.map(({ policy }) => policy.name)).toEqual([]);
  });

  test('has nothing of the severity CRITICAL beyond the baseline', () => {
    const late = risks.filter(({ policy, isStrict }) => policy.severity === 'CRITICAL' && isStrict);
    expect(late.map(({ policy }) => policy.name)).toEqual([]);
  });
});

describe('the tests of the policy library', () => {
  const someDay = '2026-01-01';
  const cases = testFiles.map((file) => ({
    file,
    document: PolicyTestDocument.parse(readDocument(file)),
  }));

  test('cover at least ten policies', () => {
    expect(cases.length).toBeGreaterThanOrEqual(10);
  });

  const eachTest = test.each(cases.map((one) => [one.file, one.document] as const));

  eachTest('%s tests the policy beside it on resources of its type', (file, document) => {
    const tested = path.posix.join(path.posix.dirname(file), document.policy);
    expect(tested).toBe(file.replace('.test.yaml', '.yaml'));
    const found = policies.find((each) => each.file === tested);
    const messages = found?.policy.rules.map((rule) => rule.message) ?? [];
    for (const { input, expect: rows } of document.cases) {
      const resources = resourcesOf(input);
      const about = resources.filter(
        ({ type }) => found !== undefined && matchesType(found.policy.resource_type, type),
      );
      expect(rows.map((row) => row.resource).sort()).toEqual(about.map(({ id }) => id).sort());
      if (input.resources) expect(about).toEqual(resources);
      for (const row of rows) {
        if (row.message !== undefined) expect(messages).toContain(row.message);
      }
    }
  });

  eachTest('%s has cases that come out as it says', (file, document) => {
    const found = policies.find((each) => each.file === file.replace('.test.yaml', '.yaml'));
    if (!found) throw new Error(`${file}: there is no policy beside it`);
    const prepared = preparePolicy(found);

    for (const { name, input, now, expect: rows } of document.cases) {
      for (const resource of resourcesOf(input)) {
        const wanted = rows.filter((row) => row.resource === resource.id);
        if (resource.type !== found.policy.resource_type) continue;
        const at = Date.parse(now ?? document.now ?? someDay);
        const finding = evaluate(prepared, toEvaluate(resource), at);
        expect([name, finding.status.toLowerCase()]).toEqual([name, wanted[0]?.result]);
        const messages = wanted.flatMap((row) => row.message ?? []);
        expect(finding.rules.map((rule) => rule.message)).toEqual(expect.arrayContaining(messages));
      }
    }
  });

  eachTest('%s shows a pass, a failure and an error', (_file, document) => {
    const results = new Set(document.cases.flatMap((each) => each.expect.map((row) => row.result)));
    expect([...results]).toEqual(expect.arrayContaining(['pass', 'fail', 'error']));
  });

  test('cover every rule: one case matches it and another does not', async () => {
    const words = ['test', '--require-tests', '--require-coverage'];
    const { exitCode, stdout } = await runCommandLine(words, { cwd: library });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('(100%)')]);
  });

  // A case from a template or a plan says whether readers and policies fit together.
  test('leave out no policy that is on, and each has cases from two sources at least', () => {
    const tested = new Map(cases.map(({ file, document }) => [file, document]));
    // A test finds nothing of a policy that is off.
    const on = policies.filter(({ policy }) => policy.enabled !== false).map(({ file }) => file);
    const untested = on.filter((file) => !tested.has(testOf(file)));
    const ofOneSource = on.filter((file) => {
      const inputs = tested.get(testOf(file))?.cases.flatMap(({ input }) => Object.keys(input));
      return inputs !== undefined && new Set(inputs).size < 2;
    });
    expect(untested).toEqual([]);
    expect(ofOneSource).toEqual([]);
  });
});

const testOf = (file: string): string => file.replace('.yaml', '.test.yaml');

/** The resources of a case's input, in whichever format it is. */
function resourcesOf(
  input: z.infer<typeof PolicyTestDocument>['cases'][number]['input'],
): Resource[] {
  const [[key, document] = ['', undefined]] = Object.entries(input);
  const format = key === 'resources' ? 'native' : formatOfTestKey[key as TestKey];
  const read = readInventory(JSON.stringify(document), { format });
  if (!read.ok) throw new Error(read.problem.message);
  return read.inventory.resources.map(({ resource }) => resource);
}

describe('the attributes of the resource model', () => {
  eachPolicy('hold all that %s reads', (_file, policy) => {
    const undeclared = policy.rules.flatMap((rule) => {
      const compiled = compileCondition(rule.condition);
      if (!compiled.ok) throw new Error(compiled.problem.message);
      return [...readPaths(compiled.condition.program)].filter(
        (read) => !isDeclared(read, policy.resource_type),
      );
    });
    expect(undeclared).toEqual([]);
  });

  test('lack what no normaliser declares', () => {
    expect(isDeclared('encryption.enabled', 'AWS::S3::Bucket')).toBe(true);
    expect(isDeclared('policy.statements[].effect', 'AWS::S3::Bucket')).toBe(true);
    expect(isDeclared('policy.statements[].efect', 'AWS::S3::Bucket')).toBe(false);
    expect(isDeclared('encryption.enabld', 'AWS::S3::Bucket')).toBe(false);
    expect(isDeclared('acl.grants', 'AWS::S3::Bucket')).toBe(false);
    expect(isDeclared('tags.*', 'AWS::S3::Bucket')).toBe(true);
  });
});

/** What says whom a policy is about, not what is wrong. */
const scopes = /^(tags|environment|cluster_id|replica_of|source_type|engine|engine_version|name)\b/;

/** Words that look like properties: `KmsKeyId`, `httpsOnly`, `access_logs.s3.enabled`. */
const propertyNames =
  /\b(?:[a-z0-9]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+|\w+(?:\.\w+){2,})\b/g;

/** Products, protocols, values, condition keys and words of both languages that look like them. */
const ownNames = new RegExp(
  `^(${[
    'Cloud(Formation|Front|Watch)|DataSync|DynamoDB|GitHub|MariaDB|MySQL|PostgreSQL|ELBSecurityPolicy|AdministratorAccess',
    'ICMPv6|IMDSv1|IPv6|OAuth|SecureString|WorkSpaces?|TLSv1|vTPM|NoEcho|Acr(Pull|Push)|AllowPrivate|DenyAll|BucketOwnerEnforced|FtpsOnly',
    'AssumeRole|CallerAccount|NotAction|NotPrincipal|NotResource|InvokeFunction(Url)?|PassedToService|PrincipalOrgID|SecureTransport|Source(Account|Arn|Vpce?)',
    'ZoneRedundant|allServices|allUsers|allAuthenticatedUsers|allowedPolicyMemberDomains|skipDefaultNetworkCreation|[0-9.]+',
    'token.actions.githubusercontent.com|roleName', // of the metadata of templates, which nothing else has
  ].join('|')})$`,
);

/** The built-in frameworks, and one of our own. */
const frameworks = [...catalogues.map(({ name }) => name), 'FINOPS'];

const orders = [
  'add|allow|assign|associate|attach|change|choose|connect|convert|create|deploy|disable|enable|grant|keep|label|let|limit|list|lock',
  'make|migrate|modify|move|name|place|put|raise|register|remove|renew|replace|restore|rotate|send|set|shorten|snapshot|stop|store|switch|tag|turn|use|write',
].join('|');

function leafPaths(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null) return [above];
  return Object.entries(value).flatMap(([key, inner]) =>
    leafPaths(inner, above ? `${above}.${key}` : key),
  );
}
