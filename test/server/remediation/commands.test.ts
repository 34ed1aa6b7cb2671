import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemediationWithActions } from '../../../src/contract/remediations.ts';
import type { CommandConfig, RemediationConfig } from '../../../src/server/config/config.ts';
import { images } from '../../../src/server/remediation/collection.ts';
import { until } from '../../support/until.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { isGone, scriptFolder } from './scripts.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let scripts: ReturnType<typeof scriptFolder>;
beforeEach(() => void (scripts = scriptFolder()));
afterEach(async () => {
  await service.close();
  scripts.remove();
});

const path = '/v1/compliance/remediate';
const hour = 3_600_000;
const plain = { versioning: { enabled: false } };
const bucket = { id: 'a', type: 'AWS::S3::Bucket', ...plain };
const good = { ...bucket, versioning: { enabled: true } };
const print = (resource: object): string => `cat >/dev/null; echo '${JSON.stringify(resource)}'`;

const read = async (id: string): Promise<RemediationWithActions> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as RemediationWithActions;

/** A server with a policy that the only resource fails, and that is remediated by `action`. */
async function start(remediation: RemediationConfig, action = 'exec:fix', isLocal = true) {
  service = await startTestService({ config: { remediation }, isLocal });
  inventory = inventoryOf(service);
  await inventory.createPolicy('versioning', {
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: action,
  });
  await inventory.put('a', plain);
}

async function plan(dry_run = false): Promise<RemediationWithActions> {
  const { json } = await inventory.ok('POST', path, { body: { policy_id: 'versioning', dry_run } });
  return json as RemediationWithActions;
}

/** What came of running a command for the resource. */
async function run(command: CommandConfig, action?: string): Promise<RemediationWithActions> {
  await start({ commands: { fix: command }, executors: { '*': 'exec:fix' } }, action);
  const { id } = await plan();
  await service.remediate();
  return read(id);
}

const onlyAction = ({ actions: [action] }: RemediationWithActions) => action;

describe('a command', () => {
  it('gets the action as JSON on stdin, its own arguments and variables, and nothing else', async () => {
    process.env['GOVCTL_TEST_OTHER'] = 'not for commands';
    const text = 'cat >stdin; env >env; for arg; do echo "$arg" >>args; done; pwd >cwd';
    const command = scripts.command(text, { env: { TOKEN: 'sesame-open' } });
    const args = ['$(touch injected)', '; touch injected', 'two words', ''];
    const { id } = await run({ ...command, command: [...command.command, ...args] });
    delete process.env['GOVCTL_TEST_OTHER'];
    const given = JSON.parse(scripts.read('stdin')) as Record<string, unknown>;
    expect(given).toMatchObject({
      format_version: 1,
      remediation_id: id,
      action: 1,
      policy: { name: 'versioning', severity: 'MEDIUM' },
      resource: { ...bucket, provider: 'aws' },
    });
    expect(scripts.read('args')).toBe(`${args.join('\n')}\n`);
    // Shells set some of their own.
    const names = scripts.read('env').split('\n').map((line) => line.split('=')[0]); // prettier-ignore
    expect(names.filter((name) => !/^(PWD|OLDPWD|SHLVL|_|)$/.test(name ?? ''))).toEqual(['TOKEN']);
    expect(scripts.read('injected')).toBe('');
    expect(JSON.stringify(await read(id))).not.toContain('sesame-open');
  });

  it('reads all of a resource that is larger than a pipe', async () => {
    await start({ commands: { fix: scripts.command('sleep 0.1; cat >stdin') } });
    const text = 'ä'.repeat(300_000);
    await inventory.put('a', { ...plain, text });
    await plan();
    await service.remediate();
    const given = JSON.parse(scripts.read('stdin')) as { resource: { text: string } };
    expect(given.resource.text).toBe(text);
  });

  it('that prints the resource as it is now completes its action, as it passes', async () => {
    const done = await run(scripts.command(print(good)));
    expect(done.status).toBe('completed');
    expect(onlyAction(done)).toMatchObject({
      method: 'exec',
      executor: 'exec:fix',
      status: 'completed',
      before_image: true,
      outcome: { exit_code: 0 },
    });
    const image = await service.deps.store.get(images, `${done.id}:0001`);
    expect(image?.doc.resource).toMatchObject(plain);
    const [violation] = await inventory.violations();
    expect(violation).toMatchObject({ status: 'RESOLVED', remediation_id: done.id });
  });

  it('that prints nothing is unverified until the resource is seen again', async () => {
    const done = await run(scripts.command('cat >/dev/null; echo changed >&2'));
    expect(done.status).toBe('running');
    expect(onlyAction(done)).toMatchObject({
      status: 'unverified',
      outcome: { exit_code: 0, last_line: 'changed' },
    });
    await inventory.put('a', { versioning: { enabled: true } });
    expect(await read(done.id)).toMatchObject({ status: 'completed' });
  });

  it('whose resource is not seen again within a day has failed', async () => {
    const { id } = await run(scripts.command('true'));
    service.advance(24 * hour);
    await service.remediate();
    expect(onlyAction(await read(id))).toMatchObject({
      status: 'failed',
      why: 'the resource was not evaluated again within 24 hours',
    });
  });

  it('that lies is found out: it says done, and the resource still fails', async () => {
    const printed = await run(scripts.command(print(bucket)));
    expect(onlyAction(printed)).toMatchObject({
      status: 'failed',
      why: 'the resource was evaluated again and still fails',
      outcome: { exit_code: 0 },
    });
    await service.close();
    const silent = await run(scripts.command('exit 0'));
    await inventory.put('a', plain);
    expect(onlyAction(await read(silent.id))).toMatchObject({ status: 'failed' });
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });

  it('that fails has its exit code and its last line on stderr told, without the values of its variables', async () => {
    const command = scripts.command('echo one >&2; echo "no: $TOKEN is bad" >&2; exit 3', {
      env: { TOKEN: 'sesame-open' },
    });
    const done = await run(command);
    expect(done.status).toBe('failed');
    expect(onlyAction(done)).toMatchObject({
      status: 'failed',
      why: 'the command failed with exit code 3: no: [redacted] is bad',
      outcome: { exit_code: 3, last_line: 'no: [redacted] is bad' },
    });
    const { events } = (await inventory.ok('GET', '/v1/events?type=policy.enforcement.failed'))
      .json;
    expect(events).toHaveLength(1);
    expect(JSON.stringify([events, service.logged])).not.toContain('sesame-open');
  });

  it('that hangs and ignores SIGTERM is killed with all that it has started', async () => {
    const text = `trap '' TERM; (trap '' TERM; sleep 300) & echo $! >child; while :; do sleep 300; done`;
    const done = await run(scripts.command(text, { timeoutMs: 4_000 }));
    expect(onlyAction(done)).toMatchObject({
      status: 'failed',
      why: 'the command did not finish within 4 s and was killed',
      outcome: { signal: 'SIGKILL' },
    });
    await until(() => isGone(scripts.read('child')));
  });

  it('that writes without end is killed', async () => {
    const done = await run(scripts.command('exec yes'));
    expect(onlyAction(done)).toMatchObject({
      status: 'failed',
      why: 'the command wrote more than 64 MiB and was killed',
      outcome: { signal: 'SIGTERM' },
    });
  });

  it('leaves nothing running in its group', async () => {
    const done = await run(scripts.command('sleep 300 & echo $! >child; exit 0'));
    expect(onlyAction(done)).toMatchObject({ status: 'unverified' });
    await until(() => isGone(scripts.read('child')));
  });

  it('that a signal ends has failed', async () => {
    const done = await run(scripts.command('kill -SEGV $$'));
    expect(onlyAction(done)).toMatchObject({
      status: 'failed',
      why: 'the command was stopped by SIGSEGV',
    });
  });

  it('that cannot be started has failed', async () => {
    const done = await run({ command: ['/not/there'], env: {}, timeoutMs: 1_000 });
    expect(onlyAction(done)).toMatchObject({
      status: 'failed',
      why: 'the command could not be started: ENOENT',
      before_image: true,
    });
  });

  it.each([
    ['more than 1 MiB', 'head -c 3000000 /dev/zero', 'the output is larger than 1 MiB'],
    ['no JSON', 'echo done', 'the output is not a JSON resource'],
    ['JSON that is no resource', 'echo "[1]"', 'the output is not a JSON resource'],
    ['numbers out of range', print({ ...good, n: 1 }).replace('1}', '1e999}'), 'the output is not a JSON resource'],
    ['another ID', print({ ...good, id: 'b' }), 'the output is a different resource'],
    ['another type', print({ ...good, type: 'AWS::S3::Other' }), 'the output is a different resource'],
  ])('that prints %s is not believed', async (_, text, ignored) => {
    const done = await run(scripts.command(text));
    expect(onlyAction(done)).toMatchObject({ status: 'unverified', outcome: { ignored } });
    const stored = (await inventory.ok('GET', '/v1/resources')).json.resources;
    expect(stored).toMatchObject([bucket]);
  }); // prettier-ignore

  it('that writes very much to stderr has only its last line stored', async () => {
    const text = 'head -c 3000000 /dev/zero | tr "\\0" x >&2; echo >&2; echo last >&2';
    expect(onlyAction(await run(scripts.command(text)))).toMatchObject({
      outcome: { exit_code: 0, last_line: 'last' },
    });
  });

  describe('while it runs', () => {
    const waits = (then: string) =>
      scripts.command(
        `cat >/dev/null; echo >started; while [ ! -e go ]; do sleep 0.05; done; ${then}`,
      );

    /** Runs a command, does something else meanwhile, and lets it end. */
    async function during(then: string, meanwhile: (id: string) => Promise<unknown>) {
      await start({ commands: { fix: waits(then) } });
      await inventory.put('b', plain);
      const { id } = await plan();
      const running = service.remediate();
      await until(() => scripts.read('started') !== '');
      await meanwhile(id);
      scripts.write('go', '');
      await running;
      return read(id);
    }

    it('can be cancelled: it ends, and no other begins', async () => {
      const done = await during(print(good), (id) =>
        inventory.ok('POST', `${path}/${id}/cancel`, { body: {} }),
      );
      expect(done).toMatchObject({
        status: 'cancelled',
        counts: { completed: 1, cancelled: 1 },
        actions: [{ status: 'completed' }, { status: 'cancelled' }],
      });
    });

    it('is not verified by what others see of the resource meanwhile', async () => {
      const done = await during('true', () => inventory.put('a', { ...plain, seen: true }));
      expect(onlyAction(done)).toMatchObject({ status: 'unverified', outcome: { exit_code: 0 } });
      await inventory.put('a', { versioning: { enabled: true } });
      expect(onlyAction(await read(done.id))).toMatchObject({ status: 'completed' });
    });

    it('brings no resource back that was deleted meanwhile', async () => {
      const done = await during(print(good), () => inventory.ok('DELETE', '/v1/resources/a'));
      expect(onlyAction(done)).toMatchObject({ status: 'failed', why: 'the resource was deleted' });
      expect((await service.send('GET', '/v1/resources/a')).status).toBe(404);
      // And the others go on.
      expect(done.actions[1]?.status).not.toBe('planned');
      expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
    });
  });

  it('runs once for each resource, in the order of the plan', async () => {
    await start({ commands: { fix: scripts.command('tr "," "\\n" | grep resource >>lines') } });
    await inventory.put('b', plain);
    await inventory.put('c', plain);
    await plan();
    await service.remediate();
    await service.remediate();
    const ids = scripts.read('lines').match(/"id":"[abc]"/g);
    expect(ids).toEqual(['"id":"a"', '"id":"b"', '"id":"c"']);
  });
});

describe('a patch', () => {
  const patch = 'patch:{"versioning":{"enabled":true}}';

  it('is carried out by the command of its type, which is told it', async () => {
    const command = scripts.command(`cat >stdin; echo '${JSON.stringify(good)}'`);
    const done = await run(command, patch);
    expect(onlyAction(done)).toMatchObject({
      method: 'patch',
      executor: 'exec:fix',
      status: 'completed',
    });
    expect(JSON.parse(scripts.read('stdin'))).toMatchObject({
      patch: { versioning: { enabled: true } },
      changes: [{ path: 'versioning.enabled', before: false, after: true }],
    });
  });

  it('goes to the executor of the type itself, else of the longest pattern', async () => {
    const fix = scripts.command('true');
    const executorOf = async (executors: RemediationConfig['executors'] = {}) => {
      await start({ executors, commands: { fix, 'aws-fix': fix } }, patch);
      const { executor } = onlyAction(await plan(true)) ?? {};
      await service.close();
      return executor;
    };
    const all = { '*': 'inventory', 'AWS::*': 'exec:aws-fix', 'AWS::S3::*': 'exec:fix' };
    expect(await executorOf(all)).toBe('exec:fix');
    expect(await executorOf({ ...all, 'AWS::S3::Bucket': 'inventory' })).toBe('inventory');
    expect(await executorOf({ 'AWS::*': 'exec:aws-fix', '*': 'exec:fix' })).toBe('exec:aws-fix');
    expect(await executorOf({ 'AWS::EC2::*': 'exec:fix' })).toBe('inventory');
    await start({ executors: { 'AWS::EC2::*': 'exec:fix' }, commands: { fix } }, patch, false);
    const refused = await service.send('POST', path, { body: { policy_id: 'versioning' } });
    expect([refused.status, refused.json.error]).toEqual([409, 'remediator_not_configured']);
    expect(refused.json.error_description).toMatch(/no remediation\.executors for AWS::S3::Bucket/);
  });

  it('of a command is rolled back by the command', async () => {
    const echo = `input=$(cat); case "$input" in *rolls_back*) echo '${JSON.stringify(bucket)}';; *) echo '${JSON.stringify(good)}';; esac`;
    const { id } = await run(scripts.command(echo), patch);
    const body = { dry_run: false };
    const back = (await inventory.ok('POST', `${path}/${id}/rollback`, { body })).json;
    await service.remediate();
    expect(await read(String(back.id))).toMatchObject({ status: 'completed', rolls_back: id });
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });

  it('is taken back only where the resource is seen as it was', async () => {
    // It does the same whatever it is told.
    const { id } = await run(scripts.command(print(good)), patch);
    const body = { dry_run: false };
    const back = (await inventory.ok('POST', `${path}/${id}/rollback`, { body })).json;
    await service.remediate();
    expect(await read(String(back.id))).toMatchObject({
      status: 'failed',
      actions: [{ status: 'failed', why: 'versioning.enabled was not changed back' }],
    });
    expect(await inventory.violations('status=OPEN')).toHaveLength(0);
    await service.close();
    const silent = `case "$(cat)" in *rolls_back*) ;; *) echo '${JSON.stringify(good)}';; esac`;
    const done = await run(scripts.command(silent), patch);
    const again = (await inventory.ok('POST', `${path}/${done.id}/rollback`, { body })).json;
    await service.remediate();
    expect(onlyAction(await read(String(again.id)))).toMatchObject({ status: 'unverified' });
    await inventory.put('a', plain);
    expect(await read(String(again.id))).toMatchObject({ status: 'completed' });
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });

  it('of another kind cannot be rolled back, as what it changed is not known', async () => {
    const { id } = await run(scripts.command(print(good)));
    const refused = await service.send('POST', `${path}/${id}/rollback`, { body: {} });
    expect(refused.json.error_description).toBe(
      'Nothing to remediate: the changes by exec:fix are unknown, so they cannot be rolled back',
    );
  });
});

describe('a plan', () => {
  it('is refused where the configuration does not have its command, whatever its name', async () => {
    await start({ commands: { other: scripts.command('true') } });
    for (const name of ['fix', 'toString', 'constructor', '__proto__x']) {
      const policy = { remediation_action: `exec:${name}` };
      const [violation] = await inventory.violations();
      const sent = await service.send('PUT', `/v1/policies/${violation?.policy_id ?? ''}`, { body: policy }); // prettier-ignore
      if (sent.status !== 200) continue;
      const refused = await service.send('POST', path, { body: { policy_id: 'versioning' } });
      expect([refused.status, refused.json.error]).toEqual([409, 'remediator_not_configured']);
      expect(refused.json.error_description).toContain(`no remediation.commands.${name}`);
    }
  });

  it('runs no command that has changed since, and a command that has another digest', async () => {
    await start({ commands: { fix: scripts.command('echo >>ran') }, approval: 'approval' });
    const { id, digest } = await plan();
    const { store } = service.deps;
    const { actions } = await import('../../../src/server/remediation/collection.ts');
    await store.transact(async (tx) => {
      const row = await tx.get(actions, `${id}:0001`);
      if (row) await tx.replace(actions, { ...row.doc, command_fingerprint: '000000000000' });
    });
    await inventory.ok('POST', `${path}/${id}/approve`, { body: { digest } });
    await service.remediate();
    expect(onlyAction(await read(id))).toMatchObject({
      status: 'skipped',
      why: 'the command has changed since the plan was created',
    });
    expect(scripts.read('ran')).toBe('');
    await service.close();
    await start({ commands: { fix: scripts.command('echo other') } });
    expect((await plan(true)).digest).not.toBe(digest);
  });

  it('with a command needs four eyes where other machines can ask, whatever is configured', async () => {
    const remediation = { commands: { fix: scripts.command('echo >>ran') } };
    for (const approval of ['none', 'approval', 'four_eyes'] as const) {
      await start({ ...remediation, approval }, 'exec:fix', false);
      const { id, status, digest, requires_approval } = await plan();
      expect([status, requires_approval]).toEqual(['planned', 'four_eyes']);
      const refused = await service.send('POST', `${path}/${id}/approve`, { body: { digest } });
      expect([refused.status, refused.json.error]).toEqual([403, 'approval_refused']);
      await service.remediate();
      await service.close();
    }
    // A proxy before a local server.
    await start({ ...remediation, approval: 'none' });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const body = { policy_id: 'versioning', dry_run: false };
    const { json } = await inventory.ok('POST', path, { body, headers });
    expect(json).toMatchObject({ status: 'planned', requires_approval: 'four_eyes' });
    await service.remediate();
    expect(scripts.read('ran')).toBe('');
  });
});
