import { createHash } from 'node:crypto';
import type { ControlFacts, EvidenceFacts, ManualFacts, PolicyFacts } from './facts.ts';

/** Of our own properties. */
const namespace = 'https://govctl.dev/ns/oscal';
const oscalVersion = '1.0.4';
/** Failing resources that an observation names; the bundle lists more. */
const failingShown = 25;

/**
 * OSCAL assessment results, in pieces of JSON: one observation for each policy and each manual evidence, one finding for
 * each control that was evaluated. The same facts give the same text: IDs are made of names.
 */
export function* assessmentResults(facts: EvidenceFacts): Generator<string> {
  const { cut, server, framework } = facts;
  const id = (role: string): string => nameBasedUuid(`${cut.id}/${role}`);
  const noPlan = id('no-plan');
  const title = `${framework.name}: evidence of ${cut.at}`;
  const head = {
    uuid: id('assessment-results'),
    metadata: {
      title,
      'last-modified': cut.at,
      version: cut.id,
      'oscal-version': oscalVersion,
      ...withProps({ 'server-version': server.version, 'local-server': String(server.local) }),
      remarks: server.local
        ? 'Created by a local server, which is reachable only from its own machine.'
        : `Created by ${server.base_url}.`,
    },
    'import-ap': { href: `#${noPlan}` },
  };
  yield `{"assessment-results":{${fieldsOf(head)},"results":[{`;
  yield fieldsOf({
    uuid: id('result'),
    title,
    description: `The status of ${facts.controls.length} controls, determined by ${facts.policies.length} policies in the scan ${cut.scan_id} and later evaluations.`,
    start: facts.since,
    end: cut.at,
    props: [
      ...props({ 'scan-id': cut.scan_id, 'audit-sequence': String(cut.audit_sequence) }),
      ...facts.controls.flatMap(({ id: control, status }) =>
        status === 'manual' || status === 'not_evaluated'
          ? props({ [status === 'manual' ? 'manual' : 'not-evaluated']: control })
          : [],
      ),
    ],
    'reviewed-controls': { 'control-selections': [selectionOf(facts.controls)] },
  });
  const inventory = inventoryOf(facts);
  if (inventory.size > 0) {
    yield ',"local-definitions":{"inventory-items":';
    yield* listOf(inventory, (resource) => ({
      uuid: id(`resource/${resource}`),
      description: resource,
      ...withProps({ 'asset-id': resource }, ''),
    }));
    yield '}';
  }
  if (facts.policies.length + facts.manual.length > 0) {
    yield ',"observations":';
    yield* listOf([...facts.policies, ...facts.manual], (one) =>
      'control' in one ? manualObservation(one, id, cut.at) : policyObservation(one, facts, id),
    );
  }
  const decided = facts.controls.filter(isDecided);
  if (decided.length > 0) {
    yield ',"findings":';
    yield* listOf(decided, (control) => findingOf(control, framework.name, id));
  }
  yield '}],"back-matter":';
  yield JSON.stringify({
    resources: [
      {
        uuid: noPlan,
        title: 'No assessment plan',
        description: 'The policies are the plan: govctl evaluates them continuously.',
      },
    ],
  });
  yield '}}';
}

type Id = (role: string) => string;

function selectionOf(controls: readonly ControlFacts[]): object {
  // Two IDs may be the same as a token.
  const tokens = [...new Set(controls.map(({ id }) => tokenOf(id)))];
  return tokens.length === 0
    ? { 'include-all': {} }
    : { 'include-controls': tokens.map((token) => ({ 'control-id': token })) };
}

const failingOf = ({ violations }: EvidenceFacts, policy: PolicyFacts) =>
  (violations.get(policy.id) ?? [])
    .filter(({ status }) => status === 'OPEN')
    .slice(0, failingShown);

/** The resources that observations name. */
const inventoryOf = (facts: EvidenceFacts): ReadonlySet<string> =>
  new Set(
    facts.policies.flatMap((policy) => [
      ...policy.samples.map(({ resource_id: resource }) => resource),
      ...failingOf(facts, policy).map(({ resource_id: resource }) => resource),
    ]),
  );

function policyObservation(policy: PolicyFacts, facts: EvidenceFacts, id: Id): object {
  const { tally, violations } = policy;
  const subject = (resource: string, result: string) => ({
    'subject-uuid': id(`resource/${resource}`),
    type: 'inventory-item',
    ...withProps({ result }),
  });
  const subjects = [
    ...policy.samples.map(({ resource_id: resource }) => subject(resource, 'pass')),
    ...failingOf(facts, policy).map(({ resource_id: resource }) => subject(resource, 'fail')),
  ];
  const counts: Readonly<Record<string, number>> = tally ? { ...tally } : {};
  return {
    uuid: id(`policy/${policy.id}`),
    title: policy.name,
    description: tally
      ? `${policy.name}: of ${tally.evaluated} resources, ${tally.pass} passed, ${tally.fail} failed, ${tally.error} had errors and ${tally.exempt} were exempt.`
      : `${policy.name}: not evaluated.`,
    ...withProps({
      'policy-id': policy.id,
      'resource-type': policy.resource_type,
      severity: policy.severity,
      ...Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, String(n)])),
      'open-violations': String(violations.open),
    }),
    methods: ['TEST'],
    types: ['finding'],
    ...(subjects.length > 0 ? { subjects } : {}),
    'relevant-evidence': [
      { href: `../policies/${policy.id}.json`, description: 'The policy and its results' },
      ...(violations.listed > 0
        ? [
            {
              href: `../violations/${policy.id}.ndjson`,
              description: 'The violations of the policy',
            },
          ]
        : []),
    ],
    collected: facts.cut.at,
  };
}

const manualObservation = (manual: ManualFacts, id: Id, at: string): object => ({
  uuid: id(`manual/${manual.id}`),
  title: `Evidence attached to ${manual.control}`,
  description: manual.text ?? manual.file?.name ?? manual.id,
  ...withProps({ 'evidence-id': manual.id, 'attached-by': manual.created_by }),
  methods: ['EXAMINE'],
  types: ['finding'],
  ...(manual.file
    ? {
        'relevant-evidence': [
          {
            href: `../attachments/${manual.file.sha256}`,
            description: `File ${manual.file.name}, ${manual.file.size} bytes`,
          },
        ],
      }
    : {}),
  // Its own time may be later than the cut's where clocks were set back.
  collected: manual.created_at < at ? manual.created_at : at,
  expires: manual.expires,
});

const states = {
  PASSED: { state: 'satisfied' },
  FAILED: { state: 'not-satisfied', reason: 'fail' },
  ERROR: { state: 'not-satisfied', reason: 'error' },
} as const;

type DecidedControl = ControlFacts & { readonly status: keyof typeof states };

const isDecided = (control: ControlFacts): control is DecidedControl =>
  Object.hasOwn(states, control.status);

function findingOf(control: DecidedControl, framework: string, id: Id): object {
  const related = [
    ...control.policies.map((policy) => id(`policy/${policy}`)),
    ...control.manual.map((manual) => id(`manual/${manual}`)),
  ];
  return {
    uuid: id(`control/${control.id}`),
    title: control.title ?? control.id,
    description: `${framework} ${control.id}: ${control.status}`,
    target: {
      type: 'objective-id',
      'target-id': tokenOf(control.id),
      ...withProps({ 'control-id': control.id }),
      status: states[control.status],
    },
    ...(related.length > 0
      ? { 'related-observations': related.map((uuid) => ({ 'observation-uuid': uuid })) }
      : {}),
  };
}

/** Properties have one line of text, with no space around it; one that has none is left out. */
const props = (values: Readonly<Record<string, string>>, ns = namespace) =>
  Object.entries(values).flatMap(([name, text]) => {
    const value = text.replaceAll(/\s+/g, ' ').trim();
    return value === '' ? [] : [{ name, ...(ns === '' ? {} : { ns }), value }];
  });

/** A list of them is never empty. */
function withProps(values: Readonly<Record<string, string>>, ns?: string) {
  const list = props(values, ns);
  return list.length > 0 ? { props: list } : {};
}

/** OSCAL's tokens begin with a letter or `_`, and have neither parentheses nor spaces: `164.312(a)(1)` is `_164.312_a__1_`. */
function tokenOf(id: string): string {
  const token = id.replaceAll(/[^\p{L}\p{N}._-]/gu, '_');
  return /^[\p{L}_]/u.test(token) ? token : `_${token}`;
}

/** A UUID of version 5, of a name within a namespace of our own. */
function nameBasedUuid(name: string): string {
  const hash = createHash('sha1').update(ownNamespace).update(name).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-');
}

const ownNamespace = Buffer.from('7d1a6f1e5f0e4c1d9c6b3a8e2f4b5c6d', 'hex');

/** The fields of an object without its braces. */
const fieldsOf = (fields: object): string => JSON.stringify(fields).slice(1, -1);

function* listOf<T>(items: Iterable<T>, show: (item: T) => object): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + JSON.stringify(show(item));
    before = ',';
  }
  yield ']';
}
