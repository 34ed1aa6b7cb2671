import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { MinimalService } from '../../support/minimal-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let folder: string;
let service: MinimalService;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-api-'));
  service = createMinimalService();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (argv: readonly string[], more: FakeWorldSettings = {}) =>
  runCommandLine(['api', ...argv], {
    cwd: folder,
    fetch: service.fetch,
    ...more,
    env: {
      GOVCTL_TOKEN: 'token',
      GOVCTL_BASE_URL: 'https://service.example.com',
      GOVCTL_CONFIG_DIR: folder,
    },
  });
const body = { name: 'n', resource_type: 'A::B', rules: [{ condition: 'true', effect: 'DENY' }] };

describe('govctl api', () => {
  it('prints the body as it came into a pipe, and laid out on a terminal', async () => {
    service.put({ name: 'one' });
    const piped = await run(['GET', '/v1/policies']);
    expect(piped).toMatchObject({ exitCode: 0, stderr: '' });
    expect(piped.stdout).toMatch(/^\{"policies":\[\{"enabled":true,"name":"one"/);
    const shown = await run(['GET', '/v1/policies'], { tty: true });
    expect(shown.stdout).toMatch(/^\{\n {2}"policies": \[/);
    expect(JSON.parse((await run(['/v1/policies'])).stdout)).toEqual(JSON.parse(piped.stdout));
  });

  describe('of a file', () => {
    const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x0a]);
    const get = ['GET', '/v1/reports/rpt_1/download/pdf'];
    const answering = (answer: () => Response): FakeWorldSettings => ({
      fetch: () => Promise.resolve(answer()),
    });

    it('hands its bytes on as they are', async () => {
      const out: Buffer[] = [];
      const world = createFakeWorld({
        ...answering(() => new Response(bytes, { headers: { etag: '"a"' } })),
        cwd: folder,
        env: {
          GOVCTL_TOKEN: 'token',
          GOVCTL_BASE_URL: 'https://service.example.com',
          GOVCTL_CONFIG_DIR: folder,
        },
      });
      const { stdout } = world.terminal;
      const terminal = {
        ...world.terminal,
        stdout: {
          ...stdout,
          write: async (data: string | Uint8Array) => void out.push(Buffer.from(data)),
        },
      };
      expect((await runCommandLine(['api', ...get], { ...world, terminal })).exitCode).toBe(0);
      expect(Buffer.concat(out).equals(bytes)).toBe(true);
    });

    it('refuses to write it to a terminal, and in another form', async () => {
      const settings = answering(() => new Response(bytes));
      const shown = await run(get, { ...settings, tty: true });
      expect([shown.exitCode, shown.stdout]).toEqual([3, '']);
      expect(shown.stderr).toContain('> FILE');
      expect((await run([...get, '-o', 'json'], settings)).exitCode).toBe(3);
    });

    it('shows an error as one', async () => {
      const error = { error: 'report_not_found', error_description: 'There is no report rpt_1' };
      const got = await run(
        get,
        answering(() => Response.json(error, { status: 404 })),
      );
      expect(got.exitCode).toBe(1);
      expect(JSON.parse(got.stdout)).toEqual(error);
      expect(got.stderr).toContain('There is no report rpt_1');
    });
  });

  it('sends query fields of a GET in the query, and joins them with those of the path', async () => {
    await run(['get', '/v1/policies?offset=1', '-f', 'limit=5', '-f', 'severity=HIGH,LOW']);
    expect(Object.fromEntries(service.requests[0]?.query ?? [])).toEqual({
      offset: '1',
      limit: '5',
      severity: 'HIGH,LOW',
    });
  });

  it('sends fields of a POST in the body, read as YAML', async () => {
    const fields = [
      'name=n',
      'resource_type=A::B',
      'rules=[{condition: "true", effect: DENY}]',
      'enabled=false',
    ];
    const outcome = await run([
      'POST',
      '/v1/policies',
      ...fields.flatMap((field) => ['-f', field]),
    ]);
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ ...body, enabled: false });
  });

  it('takes the body as JSON, from a file and from standard input', async () => {
    const text = JSON.stringify(body);
    writeFileSync(path.join(folder, 'b.json'), text);
    for (const [data, stdin] of [[text], ['@b.json'], ['-', text], ['@-', text]] as const) {
      service.policies.clear();
      const outcome = await run(['/v1/policies', '--data', data], stdin ? { stdin } : {});
      expect(outcome.exitCode).toBe(0);
      expect(service.requests.at(-1)).toMatchObject({ method: 'POST', body: text });
    }
  });

  it('prints status and headers with --include', async () => {
    const outcome = await run(['GET', '/v1/policies', '--include']);
    expect(outcome.stdout).toMatch(/^HTTP 200\ncontent-type: application\/json\n\n\{/);
  });

  it('sends headers, which go before its own', async () => {
    await run(['GET', '/v1/policies', '-H', 'X-Trace: 7', '-H', 'accept: text/csv']);
    expect(service.requests[0]?.headers).toMatchObject({ 'x-trace': '7', accept: 'text/csv' });
  });

  it('joins every page with --paginate', async () => {
    for (let i = 0; i < 230; i++) service.put({ name: `p${i}` });
    const outcome = await run(['GET', '/v1/policies', '--paginate', '-o', 'json']);
    expect(JSON.parse(outcome.stdout).policies).toHaveLength(230);
    expect(JSON.parse(outcome.stdout).pagination).toMatchObject({ total: 230, has_more: false });
    expect(service.requests).toHaveLength(3);
    const lines = await run(['GET', '/v1/policies', '--paginate', '-o', 'ndjson']);
    expect(lines.stdout.trim().split('\n')).toHaveLength(230);
  });

  it('prints the body of an error too, and exits by its kind', async () => {
    const outcome = await run(['GET', '/v1/policies/pol_none']);
    expect(outcome.exitCode).toBe(1);
    expect(JSON.parse(outcome.stdout)).toEqual({ message: 'resource not found' });
    expect(outcome.stderr).toContain('resource not found');
  });

  it('sends a change once, whatever becomes of it', async () => {
    service.setFaults({ onRequest: () => 'error-after' });
    const outcome = await run(['POST', '/v1/policies', '-d', JSON.stringify(body)]);
    expect(outcome.exitCode).toBe(1);
    expect(service.requests).toHaveLength(1);
  });

  it('asks what needs no token without one, logged in or not', async () => {
    const seen: (string | undefined)[] = [];
    const outcome = await runCommandLine(['api', 'GET', '/healthz'], {
      cwd: folder,
      env: { GOVCTL_BASE_URL: 'https://service.example.com', GOVCTL_CONFIG_DIR: folder },
      fetch: async (_, { headers }) => {
        seen.push(headers.authorization);
        return new Response('{"status":"ok"}');
      },
    });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '{"status":"ok"}' });
    expect(seen).toEqual([undefined]);
  });

  it('asks paths that are not known, with a warning', async () => {
    const outcome = await run(['GET', '/v1/policy']);
    expect(outcome.stderr).toContain('did you mean /v1/policies?');
    expect(service.requests[0]?.path).toBe('/v1/policy');
  });

  it('warns of a query field that is not known, with the nearest', async () => {
    const outcome = await run(['GET', '/v1/policies', '-f', 'sevrity=HIGH']);
    expect(outcome.stderr).toContain('did you mean severity?');
    expect(outcome.exitCode).toBe(0);
  });

  it.each([
    [[], 'No path given'],
    [['GET'], 'No path given for GET'],
    [['FETCH', '/v1/policies'], 'not a supported method'],
    [['DELET', '/v1/policies/x'], 'Did you mean DELETE?'],
    [['DELETE', '/v1/policies'], 'does not support DELETE'],
    [['GET', 'v1/policies'], 'must start with a single /'],
    [['policies'], 'Did you mean /v1/policies?'],
    [['v1/policies'], 'Did you mean /v1/policies?'],
    [['GET', 'https://evil.example.com/v1'], 'must start with a single /'],
    [['GET', '//evil.example.com/v1'], 'must start with a single /'],
    [['GET', '/v1/policies', '-f', 'limit'], 'name=value'],
    [['POST', '/v1/policies', '-d', '{"a": '], 'is not valid JSON'],
    [['POST', '/v1/policies', '-d', '@none.json'], 'could not be read'],
    [['POST', '/v1/policies', '-d', '{}', '-f', 'a=1'], 'Use either --data or --field'],
    [['GET', '/v1/policies', '-H', 'no colon'], 'Name: value'],
    [['GET', '/v1/policies', '-H', 'a: b\r\nc: d'], 'Name: value'],
    [['POST', '/v1/policies', '--paginate', '-d', '{}'], '--paginate requires GET'],
  ])('refuses %j and sends nothing', async (argv, why) => {
    const outcome = await run(argv);
    expect([1, 3]).toContain(outcome.exitCode);
    expect(outcome.stderr).toContain(why);
    expect(service.requests).toEqual([]);
  });

  it('lists every endpoint of the contract', async () => {
    const outcome = await run(['--list', '-o', 'json']);
    const rows = Object.values(contract).flatMap((verbs): Endpoint[] => Object.values(verbs));
    expect(JSON.parse(outcome.stdout).endpoints).toHaveLength(rows.length);
    const table = await run(['--list']);
    expect(table.stdout).toMatch(/PUT +\/v1\/policies\/:id +compliance:write +Update a policy/);
    expect(service.requests).toEqual([]);
  });
});
