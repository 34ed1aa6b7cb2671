import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../../support/pick.ts';
import { constant, hourly, machine } from '../../server/rightsizing/machines.ts';
import type { Answer, Client } from './client.ts';
import { GaveUp } from './client.ts';
import { isGivenUp } from './given-up.ts';
import type { Changing } from './changing.ts';
import { anything } from './history.ts';
import type { About, Json } from './history.ts';

/** What one client does over and over, about new things each time: every write there is, see `changing`. */
type Life = (me: Client) => Promise<void>;

const bucket = 'AWS::S3::Bucket';
const idOf = ({ json }: Answer, field = 'id'): string => String(json[field]);

/** Something that is created, updated and deleted. */
interface Plain {
  readonly noun: Changing extends `${infer N}.${string}` ? N : never;
  readonly path: string;
  /** The field that has its name, if not `name`. */
  readonly label?: string;
  readonly id?: string;
  readonly body: (me: Client) => Json | Promise<Json>;
  readonly update: (me: Client) => Json;
  /** What else is done with it, between its updates. */
  readonly also?: (me: Client, id: string, about: (leaves: Json | null) => About) => Promise<void>;
  /** See `write`. */
  readonly or?: readonly number[];
}

/** Whether something stays: one of five, unless nothing does. */
const stays = ({ scene }: Client): boolean => scene.pick(5) === 0 && !scene.isForever;

const named = (name: string, label: string): string =>
  label === 'email' ? `${name}@example.com` : name;

/** Creates, updates a few times, and mostly deletes; whoever gave up looks what came of it. */
const plain =
  ({ noun, path, label = 'name', id: idField = 'id', body, update, also, or = [] }: Plain): Life =>
  async (me) => {
    const name = named(me.name(), label);
    const { pick } = me.scene;
    const given: Json = { ...(await body(me)), [label]: name };
    const about = (leaves: Json | null) => ({ noun, label: name, leaves });
    const of = (verb: string) => `${noun}.${verb}` as Changing;
    // Secrets are not answered again, and dates may be answered in another form.
    const created = await me.write(of('create'), '', { body: given, about: about(given), or });
    if (created.status !== 201) return;
    const id = idOf(created, idField);
    const one = `${path}/${encodeURIComponent(id)}`;
    for (let times = 1 + pick(3); times > 0; times--) {
      const change = update(me);
      try {
        await me.write(of('update'), id, { body: change, about: about(change) });
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error;
        const row = await me.look(about(null), one);
        if (!row) return;
      }
    }
    await also?.(me, id, about);
    if (!stays(me)) await me.write(of('delete'), id, { about: about(null) });
  };

const conditions = (me: Client): string =>
  oneOf(me.scene.pick, [
    'resource.public == true',
    '!has(resource.public)',
    'resource.size > 50',
    `resource.size % 10 == ${me.scene.pick(10)}`,
    'resource.tags.team == "web"',
  ]);

const policies = plain({
  noun: 'policies',
  path: '/v1/policies',
  body: (me) => ({
    resource_type: oneOf(me.scene.pick, [bucket, bucket, 'AWS::*']),
    severity: oneOf(me.scene.pick, ['LOW', 'HIGH']),
    rules: [{ condition: conditions(me), effect: 'DENY', message: 'No.' }],
    tags: ['kills'],
  }),
  update: (me) =>
    oneOf(me.scene.pick, [
      { description: `d ${me.scene.pick(1e6)}` },
      { enabled: me.scene.pick(4) > 0, description: `e ${me.scene.pick(1e6)}` },
      {
        rules: [{ condition: conditions(me), effect: 'DENY' }],
        description: `r ${me.scene.pick(1e6)}`,
      },
    ]),
  async also(me, _, about) {
    // What is refused leaves nothing.
    const rules = [{ condition: 'resource.size >', effect: 'DENY' }];
    const wrong = { name: me.name(), resource_type: bucket, rules };
    const aboutWrong = { noun: 'policies', label: wrong.name, leaves: wrong };
    await me.write('policies.create', '', { body: wrong, about: aboutWrong, or: [400, 422] });
    const name = about(null).label;
    const taken = { ...wrong, name, rules: [{ condition: 'true', effect: 'DENY' }] };
    await me.write('policies.create', '', { body: taken, or: [409] });
  },
});

const resource = (me: Client, id: string): Json => ({
  id,
  type: bucket,
  size: me.scene.pick(1_000_000),
  region: 'eu-west-1',
  account_id: oneOf(me.scene.pick, ['111', '222']),
  tags: { team: oneOf(me.scene.pick, ['web', 'ops']) },
  ...oneOf(me.scene.pick, [{}, { public: true }, { public: false }]),
});

const stored = (given: Json) => ({
  noun: 'resources',
  label: String(given.id),
  leaves: { public: null, ...given },
});

const resources: Life = async (me) => {
  const id = me.name();
  const first = resource(me, id);
  await me.write('resources.put', id, { body: first, about: stored(first) });
  const second = resource(me, id);
  await me.write('resources.upsert', '', {
    body: { resources: [second] },
    about: stored(second),
  });
  const third = resource(me, id);
  const spare = `spare-${id}`;
  const other = { ...resource(me, spare), type: 'AWS::SNS::Topic' };
  await me.write('resources.import', '', {
    text: `${JSON.stringify(third)}\n${JSON.stringify(other)}\n`,
    about: stored(third),
  });
  // What an import doesn't have any more is pruned, one by one.
  await me.write('resources.delete', spare);
  if (!stays(me)) {
    await me.write('resources.delete', id, { about: { ...stored(third), leaves: null } });
  }
};

const scans: Life = async (me) => {
  const body = { name: me.name() };
  const about = { noun: 'scans', label: body.name, leaves: body };
  await me.write('scans.create', '', { body, about });
  await pause(100 + me.scene.pick(400));
};

const violations: Life = async (me) => {
  const { json } = await me.read('/v1/violations?status=OPEN&limit=20');
  const open = json.violations as readonly Json[];
  const one = oneOf(me.scene.pick, open);
  if (!one) return pause(50);
  const body = { reason: `agreed ${me.scene.pick(1e6)}` };
  await me.write('violations.resolve', String(one.id), { body, or: [404, 409] });
  const filter = { resource_id: String(oneOf(me.scene.pick, open)?.resource_id) };
  await me.write('violations.resolveMany', '', { body: { ...body, filter } });
  await pause(me.scene.pick(100));
};

const exemptions = plain({
  noun: 'exemptions',
  path: '/v1/exemptions',
  label: 'reason',
  body: async (me) => {
    const { json } = await me.read('/v1/policies?limit=20');
    return {
      policy: oneOf(me.scene.pick, json.policies as readonly Json[])?.name ?? 'none',
      resources: [oneOf(me.scene.pick, [`kills-*${me.scene.pick(10)}`, '*', 'kills-1*'])],
      owner: 'ann',
      expires: '2030-01-31',
    };
  },
  // The policy may have been deleted by now.
  or: [400],
  update: (me) => ({ owner: `bob ${me.scene.pick(1e6)}` }),
});

const frameworks: Life = async (me) => {
  const id = me.name();
  const about = (leaves: Json | null) => ({ noun: 'frameworks', label: id, leaves });
  for (let times = 1 + me.scene.pick(2); times > 0; times--) {
    const body = {
      name: `Own ${me.scene.pick(1e6)}`,
      controls: [{ id: 'F1', title: 'First' }],
    };
    await me.write('frameworks.put', id, { body, about: about(body) });
  }
  await me.write('frameworks.delete', id, { about: about(null) });
};

const evidence: Life = async (me) => {
  const text = me.name();
  const manual = { control: 'SOC2:CC1.1', text, expires: dayIn(100) };
  const attached = await me.write('evidence.attach', '', {
    body: { ...manual, file: { name: 'a.txt', media_type: 'text/plain', content: 'aGVsbG8=' } },
    about: { noun: 'manual', label: text, leaves: { text, expires: manual.expires } },
  });
  const name = me.name();
  const about = { noun: 'bundles', label: name, leaves: { name } };
  const asked = { framework: 'soc2', controls: ['CC1.1', 'CC6.1'], name };
  const bundle = await me.write('evidence.collect', '', {
    body: asked,
    about,
    or: [400, 409, 422],
  });
  await pause(me.scene.pick(400));
  if (bundle.status === 202 && !stays(me)) {
    await me.write('evidence.delete', idOf(bundle), { about: { ...about, leaves: null } });
  }
  await me.write('evidence.deleteManual', idOf(attached), {
    about: { noun: 'manual', label: text, leaves: null },
  });
};

const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const focusHeads =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart';

/** A FOCUS file of an account: what each of the last days cost. */
const focus = (account: string, costs: readonly number[]): string =>
  [
    focusHeads,
    ...costs.map((cost, at) => {
      const day = dayIn(at - costs.length);
      return `AWS,${account},${account},EC2,USD,${cost},${day},${day.slice(0, 8)}01`;
    }),
  ].join('\n');

async function importCosts(me: Client, csv: string): Promise<void> {
  const name = me.name();
  const about = (leaves: Json | null) => ({ noun: 'costImports', label: name, leaves });
  const body = { name };
  const opened = await me.write('costImports.create', '', { body, about: about(body) });
  const id = idOf(opened);
  await me.write('costImports.put', `${id} 1`, {
    text: csv,
    search: '?name=focus.csv',
    about: about({}),
  });
  await me.write('costImports.commit', id, { about: about({}) });
  for (let status = 'pending'; status !== 'completed';) {
    const got = await me.read(`/v1/cost/imports/${id}`);
    status = String(got.json.status);
    if (status === 'failed') me.scene.objections.push(`a cost import failed: ${got.text}`);
    if (status === 'failed') return;
    if (status !== 'completed') await pause(20);
  }
  if (!stays(me)) await me.write('costImports.delete', id, { about: about(null) });
}

const costImports: Life = async (me) => {
  // Charges stay when their import goes.
  const account = me.scene.isForever ? 'one' : `a${me.scene.pick(1e6)}`;
  const amount = 1 + me.scene.pick(1_000);
  await importCosts(me, focus(account, [amount, amount]));
  // All of the file or nothing, and once: whatever happened meanwhile.
  const search = `?start=${dayIn(-10)}&end=${dayIn(1)}&billing_account=${account}&metric=billed`;
  const { json, text } = await me.read(`/v1/cost/analysis${search}`);
  if (!text.includes(`"amount":"${amount * 2}"`)) {
    me.scene.objections.push(`account ${account} cost ${amount * 2}, and is said to: ${JSON.stringify(json).slice(0, 500)}`); // prettier-ignore
  }
};

const costAnomalies: Life = async (me) => {
  const read = () => me.read('/v1/cost/anomalies?limit=20');
  let { json } = await read();
  if ((json.anomalies as readonly Json[]).length === 0) {
    const days = Array.from({ length: 80 }, (_, at) => (at === 76 ? 900 : 100));
    await importCosts(me, focus('anomalous', days));
    for (let tries = 0; tries < 200 && (json.anomalies as readonly Json[]).length === 0; tries++) {
      await pause(20);
      ({ json } = await read());
    }
  }
  const [one] = json.anomalies as readonly Json[];
  if (!one) return;
  const note = `n ${me.scene.pick(1e6)}`;
  const body = { feedback: 'expected', note };
  await me.write('costAnomalies.update', String(one.id), { body, or: [404] });
  await pause(me.scene.pick(300));
};

const budgets = plain({
  noun: 'budgets',
  path: '/v1/budgets',
  body: (me) => ({ amount: String(1 + me.scene.pick(1e6)), currency: 'USD' }),
  update: (me) => ({ owner: `ann ${me.scene.pick(1e6)}` }),
});

/** A machine that idles, and a plan to make it smaller. */
const rightsizing: Life = async (me) => {
  // How busy a machine was is stored longer than the machine.
  const { pick, isForever } = me.scene;
  const id = `i-${String(isForever ? 1 : pick(1e9)).padStart(17, '0')}`;
  await me.write('resources.put', id, { body: machine(id, 'm5.4xlarge') });
  const from = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const points = ['cpu', 'memory'].flatMap((metric) =>
    hourly(id, metric, `${from.slice(0, 13)}:00:00Z`, constant(5 + me.scene.pick(5), 15)),
  );
  await me.write('metrics.import', '', {
    text: points.map((one) => JSON.stringify(one)).join('\n'),
  });
  const { json } = await me.read('/v1/cost/rightsizing?limit=100');
  const all = json.recommendations as readonly Json[];
  const one = all.find(({ resource_id: of }) => of === id) ?? all[0];
  if (one) await me.write('rightsizing.apply', String(one.id), { body: {}, or: [404, 409] });
  await me.write('resources.delete', id);
  await pause(me.scene.pick(500));
};

/** Its plans are approved, carried out and taken back, or cancelled. */
const remediations: Life = async (me) => {
  const name = me.name();
  const policy = {
    name,
    resource_type: 'Custom::Patched',
    rules: [{ condition: `resource.owner == "${name}" && resource.versioning.enabled == false`, effect: 'DENY' }], // prettier-ignore
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  };
  const aboutPolicy = { noun: 'policies', label: name, leaves: policy };
  const { json } = await me.write('policies.create', '', { body: policy, about: aboutPolicy });
  const versioning = { enabled: false };
  const patched = { id: `${name}-r`, type: 'Custom::Patched', owner: name, versioning };
  const aboutResource = { noun: 'resources', label: patched.id, leaves: { owner: name } };
  await me.write('resources.put', patched.id, { body: patched, about: aboutResource });
  // Somebody may have exempted or resolved it.
  const search = `?status=OPEN&policy_id=${String(json.id)}`;
  for (let tries = 0, total: unknown = 0; tries < 50 && total === 0; tries++) {
    await pause(20);
    total = ((await me.read(`/v1/violations${search}`)).json.pagination as Json).total;
  }
  const plan = async () => {
    const body = { policy_id: String(json.id), dry_run: false, note: me.name() };
    const about = { noun: 'remediations', label: body.note, leaves: { note: body.note } };
    return me.write('remediations.create', '', { body, about, or: [400, 404, 409] });
  };
  const cancelled = await plan();
  if (cancelled.status === 202) {
    await me.write('remediations.cancel', idOf(cancelled), { body: { reason: 'no' }, or: [409] });
  }
  const made = await plan();
  if (made.status === 202) {
    const body = { digest: made.json.digest };
    const approved = await me.write('remediations.approve', idOf(made), { body, or: [403, 409] });
    for (
      let status = '';
      approved.status === 200 && status !== 'completed' && status !== 'failed';
    ) {
      status = String((await me.read(`/v1/compliance/remediate/${idOf(made)}`)).json.status);
      await pause(20);
    }
    if (approved.status === 200) {
      await me.write('remediations.rollback', idOf(made), { body: {}, or: [400, 409] });
    }
  }
  await me.write('resources.delete', patched.id, { about: { ...aboutResource, leaves: null } });
  await me.write('policies.delete', String(json.id), { about: { ...aboutPolicy, leaves: null } });
};

const schedules = plain({
  noun: 'schedules',
  path: '/v1/reports/schedules',
  body: () => ({
    schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    report_template: { name: 'weekly', type: 'compliance', format_options: { formats: ['json'] } },
  }),
  update: (me) => ({ description: `d ${me.scene.pick(1e6)}` }),
  also: async (me, id) => void (await me.write('schedules.run', id)),
});

const reports: Life = async (me) => {
  const { pick } = me.scene;
  const name = me.name();
  const formats = oneOf(pick, [['pdf'], ['csv', 'json'], ['html'], ['excel']]);
  const given = { name, type: oneOf(pick, ['audit', 'compliance', 'risk']) };
  const body = {
    ...given,
    scope: {},
    format_options: { formats, security: { sign: pick(2) > 0 } },
  };
  const about = (leaves: Json | null) => ({ noun: 'reports', label: name, leaves });
  const id = idOf(await me.write('reports.create', '', { body, about: about(given) }));
  for (let status = ''; status !== 'completed';) {
    const got = await me.read(`/v1/reports/${id}`);
    status = String(got.json.status);
    if (isGivenUp(got.json)) return;
    if (status === 'failed') {
      me.scene.objections.push(`a report failed: ${got.text.slice(0, 500)}`);
      return;
    }
    if (status !== 'completed') await pause(30);
  }
  const [format] = formats;
  const link = await me.write('reports.createLink', id, { body: { format } });
  await me.write('reports.revokeLink', `${id} ${idOf(link)}`);
  if (!stays(me)) await me.write('reports.delete', id, { about: about(null) });
  await pause(pick(500));
};

const users = plain({
  noun: 'users',
  path: '/v1/users',
  label: 'email',
  body: () => ({ name: 'Ann', roles: ['viewer'] }),
  update: (me) => ({ name: `Ann ${me.scene.pick(1e6)}` }),
  also: async (me, id, about) => {
    await me.write('users.reset', id, { about: about({}) });
    await me.write('users.revoke', id, { about: about({}) });
  },
});

const roles = plain({
  noun: 'roles',
  path: '/v1/roles',
  body: () => ({ description: 'd', scopes: ['governance:read'] }),
  update: (me) => ({ description: `d ${me.scene.pick(1e6)}` }),
});

const apiKeys = plain({
  noun: 'apiKeys',
  path: '/v1/api-keys',
  body: () => ({ scopes: ['governance:read'] }),
  update: (me) => ({ expires_at: new Date(Date.now() + 1e9 + me.scene.pick(1e9)).toISOString() }),
  also: async (me, id, about) => {
    const leaves = { key_hint: anything, rotated_at: anything, previous_key_expires_at: anything };
    await me.write('apiKeys.rotate', id, { body: {}, about: about(leaves) });
  },
});

const oauthClients = plain({
  noun: 'oauthClients',
  path: '/v1/oauth-clients',
  id: 'client_id',
  body: () => ({ scopes: ['governance:read'], redirect_uris: ['https://app.example.com/a'] }),
  update: (me) => ({ redirect_uris: [`https://app.example.com/${me.scene.pick(1e6)}`] }),
  also: async (me, id, about) => {
    const leaves = {
      secret_hint: anything,
      rotated_at: anything,
      previous_secret_expires_at: anything,
    };
    await me.write('oauthClients.rotate', id, { body: {}, about: about(leaves) });
  },
});

const idTokenKeys: Life = async (me) => {
  await me.write('idTokenKeys.rotate', '', { body: {}, or: [409] });
  await pause(500 + me.scene.pick(1_000));
};

const trusts = plain({
  noun: 'trusts',
  path: '/v1/trusts',
  body: () => ({
    provider: 'github',
    repository: 'acme/policies',
    repository_id: '74',
    ref: 'refs/heads/main',
    scopes: ['governance:read'],
  }),
  update: (me) => ({ environment: `env-${me.scene.pick(1e6)}` }),
});

export const lives: Readonly<Record<string, Life>> = {
  ...{ policies, resources, scans, violations, exemptions, frameworks, evidence, costImports },
  ...{ costAnomalies, budgets, rightsizing, remediations, schedules, reports, users, roles },
  ...{ apiKeys, oauthClients, idTokenKeys, trusts },
};
