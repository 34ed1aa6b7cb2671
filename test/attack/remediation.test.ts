// Whoever can write policies and resources chooses what is remediated, and what commands read. They must not have a
// command run that nobody has approved, nor choose what is run.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptFolder } from '../server/remediation/scripts.ts';
import type { Got, TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

let scripts: ReturnType<typeof scriptFolder>;
let service: TestService;
beforeEach(() => void (scripts = scriptFolder()));
afterEach(async () => {
  await service.close();
  scripts.remove();
});

const path = '/v1/compliance/remediate';
const rules = [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }];
const bucket = (id: string, fields: object = {}) => ({
  id,
  type: 'AWS::S3::Bucket',
  versioning: { enabled: false },
  ...fields,
});

/** Each run leaves a line with its arguments. */
const commands = () => ({
  fix: scripts.command('cat >>stdin; echo "ran $#:$*" >>ran'),
  'other-fix': scripts.command('echo other >>ran'),
});

const actions = [
  'exec:fix',
  'exec:other-fix',
  'exec:fix; exec:fix',
  'exec:../fix',
  'exec:FIX',
  'exec:',
  'exec:__proto__',
  'patch:{"versioning":{"enabled":true}}',
  'patch:{"versioning":{"enabled":true},"executor":"exec:fix"}',
  'webhook:https://fixes.example.com/',
  'webhook:http://127.0.0.1:1/',
  'notify',
  'notify:{"after_days":1,"then":"exec:fix"}',
  'shell:touch ran',
];

/** What is sent along that no caller may say. */
const extras = fc.constantFrom(
  {},
  { requires_approval: 'none' },
  { status: 'approved', approved_by: 'user_x' },
  { made_by: 'user_x', requested_by: 'system' },
  { executor: 'exec:fix', command: ['/bin/sh'] },
);
const headers = fc.constantFrom<Record<string, string>>(
  {},
  { 'x-forwarded-for': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1', host: 'localhost' },
  { 'idempotency-key': 'again' },
);
const at = fc.nat({ max: 5 });

/** One thing that a holder of the key can try. */
const step = fc.record({
  what: fc.constantFrom(
    'createPolicy',
    'updatePolicy',
    'put',
    'import',
    'exempt',
    'remediate',
    'remediate',
    'approve',
    'approve',
    'cancel',
    'rollback',
    'scan',
    'resolve',
    'key',
    'restore',
    'day',
  ),
  action: fc.constantFrom(...actions),
  auto: fc.boolean(),
  dry: fc.boolean(),
  extras,
  headers,
  at,
  other: at,
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Has a key try everything, and knows what it has got. */
function createAttacker(key: string) {
  const policies: string[] = [];
  const made: { id: string; digest: string }[] = [];
  const send = (method: string, url: string, { headers: sent, extras: more }: Step, body?: object): Promise<Got> =>
    service.send(method, url, {
      key,
      headers: sent,
      ...(body === undefined ? {} : { body: { ...body, ...more } }),
    }); // prettier-ignore
  const keep = ({ status, json }: Got): void => {
    if (status < 300) made.push({ id: String(json.id), digest: String(json.digest) });
  };
  return async function attempt(one: Step): Promise<void> {
    const { what, action, auto, dry: dry_run, at: n, other } = one;
    const policy = policies[n] ?? 'p0';
    const remediation = made[n] ?? { id: 'rem_x', digest: '' };
    const written = { rules, remediation_action: action, auto_remediation: auto, severity: 'CRITICAL' }; // prettier-ignore
    switch (what) {
      case 'createPolicy': {
        const name = `p${policies.length}`;
        const body = { name, resource_type: 'AWS::S3::Bucket', ...written };
        const { status, json } = await send('POST', '/v1/policies', one, body);
        if (status === 201) policies.push(String(json.id));
        return;
      }
      case 'updatePolicy':
        return void (await send('PUT', `/v1/policies/${policy}`, one, written));
      case 'put':
        return void (await send('PUT', `/v1/resources/r${n}`, one, bucket(`r${n}`, { other })));
      case 'import':
        return void (await service.send('POST', '/v1/resources/import', {
          key,
          text: JSON.stringify(bucket(`r${n}`)),
          headers: { 'content-type': 'application/x-ndjson' },
        }));
      case 'exempt':
        return void (await send('POST', '/v1/exemptions', one, {
          policy: 'p0',
          resources: ['*'],
          reason: 'exec:fix',
          owner: 'exec:fix',
          expires: '2026-03-02',
        }));
      case 'remediate': {
        const selected = n % 2 === 0 ? { policy_id: policy } : { filter: { severity: ['CRITICAL'] } };
        return keep(await send('POST', path, one, { ...selected, dry_run }));
      } // prettier-ignore
      case 'approve': {
        // Also with the digest of another plan.
        const { digest } = made[other] ?? remediation;
        return void (await send('POST', `${path}/${remediation.id}/approve`, one, { digest }));
      }
      case 'cancel':
        return void (await send('POST', `${path}/${remediation.id}/cancel`, one, {}));
      case 'rollback':
        return keep(await send('POST', `${path}/${remediation.id}/rollback`, one, { dry_run }));
      case 'scan':
        return void (await send('POST', '/v1/scans', one, {}));
      case 'resolve':
        return void (await send('POST', '/v1/violations/resolve', one, {
          filter: { severity: ['CRITICAL'] },
          reason: 'exec:fix',
        }));
      case 'key':
        // Another person, if it could make one.
        return void (await send('POST', '/v1/api-keys', one, { name: 'k', scopes: ['compliance:write'], made_by: 'user_x' })); // prettier-ignore
      case 'restore':
        return void (await send('POST', '/v1/local/restore', one, {}));
      case 'day':
        service.advance(86_400_000);
    }
  };
}

const attempts = (what: string): Step => ({
  what: what as Step['what'],
  action: 'exec:fix',
  auto: true,
  dry: false,
  extras: {},
  headers: {},
  at: 0,
  other: 0,
});
/** The straight way, before what chance adds. */
const straight = ['createPolicy', 'put', 'remediate', 'approve'].map(attempts);

describe('a holder of compliance:write', () => {
  it.each(['none', 'approval', 'four_eyes'] as const)(
    'has no command run where other machines can ask, whatever it writes, with approval %s',
    async (approval) => {
      await fc.assert(
        fc
          .asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
            const sent: string[] = [];
            service = await startTestService({
              isLocal: false,
              receive: ({ url }) => {
                sent.push(url);
                return Promise.resolve({ durationMs: 0, status: 200 });
              },
              config: {
                remediation: {
                  approval,
                  commands: commands(),
                  executors: { 'AWS::S3::*': 'exec:fix' },
                  webhooks: { 'fixes.example.com': { secret: 'long-enough' }, '127.0.0.1:1': { secret: 'long-enough' } },
                },
              },
            }); // prettier-ignore
            const key = await service.keyWith('compliance:write', 'governance:read');
            const attempt = createAttacker(key);
            for (const [n, one] of [...straight, ...steps].entries()) {
              await attempt(one);
              await service.evaluator.run();
              await service.remediate();
              if (n !== 2) continue;
              const waiting = await service.send('GET', path);
              // One that it asked for, and an automatic one.
              expect(waiting.json.remediations).toMatchObject([
                { status: 'planned', counts: { planned: 1 }, requires_approval: 'four_eyes' },
                { status: 'planned', counts: { planned: 1 }, requires_approval: 'four_eyes' },
              ]);
            }
            expect(scripts.read('ran')).toBe('');
            expect(sent).toEqual([]);
          })
          .afterEach(() => service.close()),
        { numRuns: Number(process.env['GOVCTL_ATTACK_RUNS'] ?? 5) },
      );
      service = await startTestService();
    },
  );

  it('chooses neither the command nor its arguments: what it writes is data on stdin', async () => {
    service = await startTestService({ config: { remediation: { commands: commands() } } });
    const key = await service.keyWith('compliance:write', 'governance:read');
    const send = (method: string, url: string, body: object) =>
      service.send(method, url, { key, body });
    const hostile = ['$(touch ran)', '`touch ran`', '; touch ran', '--help', "'\n touch ran\n'", '-rf /', '${IFS}', '%s%n', '\u0000'.repeat(0) + '|| true']; // prettier-ignore
    for (const [n, text] of hostile.entries()) {
      const policy = { name: `${text} ${n}`, resource_type: 'AWS::S3::Bucket', rules, remediation_action: 'exec:fix' }; // prettier-ignore
      await send('POST', '/v1/policies', policy);
      await send('PUT', `/v1/resources/${encodeURIComponent(text)}`, {
        ...bucket(text),
        name: text,
        environment: text.slice(0, 60),
        tags: { [text]: text },
      });
    }
    await send('POST', path, { filter: { severity: ['MEDIUM'] }, dry_run: false, note: hostile.join(' ') }); // prettier-ignore
    await service.remediate();
    const ran = scripts.read('ran').trimEnd().split('\n');
    expect(ran.length).toBeGreaterThan(10);
    expect(new Set(ran)).toEqual(new Set(['ran 0:']));
    const given = scripts.read('stdin').trimEnd().split('\n').map((line) => (JSON.parse(line) as { resource: { id: string } }).resource.id); // prettier-ignore
    expect(new Set(given).size).toBeGreaterThan(5);
    for (const id of given) expect(hostile).toContain(id);
  });

  it('runs nothing that was not in the plan that was approved', async () => {
    const remediation = { approval: 'approval' as const, commands: commands() };
    service = await startTestService({ config: { remediation } });
    const key = await service.keyWith('compliance:write', 'governance:read');
    const send = (method: string, url: string, body: object) =>
      service.send(method, url, { key, body });
    const policy = { name: 'p', resource_type: 'AWS::S3::Bucket', rules, remediation_action: 'patch:{"versioning":{"enabled":true}}' }; // prettier-ignore
    const { id: policyId } = (await send('POST', '/v1/policies', policy)).json;
    await send('PUT', '/v1/resources/a', bucket('a'));
    const asked = { policy_id: 'p', dry_run: false };
    const harmless = (await send('POST', path, asked)).json;
    expect(harmless).toMatchObject({ status: 'planned', requires_approval: 'approval' });
    await send('PUT', `/v1/policies/${String(policyId)}`, { remediation_action: 'exec:fix' });
    const harmful = (await send('POST', path, asked)).json;
    expect(harmful.digest).not.toBe(harmless.digest);
    // The reviewed digest of the one, for the other.
    const replayed = await send('POST', `${path}/${String(harmful.id)}/approve`, { digest: harmless.digest }); // prettier-ignore
    expect([replayed.status, replayed.json.error]).toEqual([409, 'remediation_state']);
    // What was approved is a patch, whatever the policy says by now.
    await send('POST', `${path}/${String(harmless.id)}/approve`, { digest: harmless.digest });
    await service.remediate();
    const { actions: done } = (await service.send('GET', `${path}/${String(harmless.id)}`)).json;
    expect(done).toMatchObject([
      { status: 'skipped', why: 'the policy has changed since the plan was created' },
    ]);
    // The resource is another one than was shown.
    await send('PUT', '/v1/resources/a', bucket('a', { size: 1 }));
    await send('POST', `${path}/${String(harmful.id)}/approve`, { digest: harmful.digest });
    await service.remediate();
    expect(scripts.read('ran')).toBe('');
  });

  it('cannot say who is behind it, nor make somebody up', async () => {
    service = await startTestService();
    const key = await service.keyWith('compliance:write', 'governance:read');
    const made = await service.send('POST', '/v1/api-keys', {
      key,
      body: { name: 'other', scopes: ['compliance:write'] },
    });
    expect(made.status).toBe(403);
    for (const field of ['made_by', 'requested_by', 'approved_by', 'requires_approval', 'status']) {
      const body = { policy_id: 'p', [field]: 'user_x' };
      const got = await service.send('POST', path, { key, body });
      expect([got.status, (got.json.details as { field: string }[])[0]?.field]).toEqual([400, field]);
    } // prettier-ignore
  });
});
