import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GovctlError } from '../../../src/contract/errors.ts';
import { readServerConfig } from '../../../src/server/config/read-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-config-test-'));
  program('fix', 0o700);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);

function program(name: string, mode: number): void {
  writeFileSync(at(name), '#!/bin/sh\n');
  chmodSync(at(name), mode);
}

type Env = Readonly<Record<string, string>>;

function read(remediation: unknown, env: Env = {}) {
  writeFileSync(at('server.yaml'), JSON.stringify({ remediation }), { mode: 0o600 });
  return readServerConfig(at('server.yaml'), env);
}

async function refusal(remediation: unknown, env: Env = {}): Promise<string> {
  const error: unknown = await read(remediation, env).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GovctlError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.error).toBe('invalid_file');
  return error.message.replaceAll(`${folder}/`, '');
}

const fix = (fields: object = {}) => ({ commands: { fix: { command: [at('fix')], ...fields } } });

describe('the executors of the configuration', () => {
  test('are commands with their variables, and webhooks with their secrets', async () => {
    const { config, notices } = await read(
      {
        executors: {
          'AWS::S3::Bucket': 'exec:fix',
          'AWS::*': 'webhook:https://fixes.example.com/aws',
          '*': 'inventory',
        },
        commands: {
          fix: {
            command: [at('fix'), '--fast', ''],
            env: ['AWS_PROFILE', 'NOT_SET'],
            timeout_seconds: 5,
            cwd: folder,
          },
          other: { command: [at('fix')] },
        },
        webhooks: { 'fixes.example.com': { secret: '${FIX_SECRET}' } },
      },
      { AWS_PROFILE: 'prod', PATH: '/bin', FIX_SECRET: 'a-long-secret' },
    );
    expect(config.remediation).toMatchObject({
      executors: { 'AWS::S3::Bucket': 'exec:fix' },
      commands: {
        fix: {
          command: [at('fix'), '--fast', ''],
          env: { AWS_PROFILE: 'prod' },
          timeoutMs: 5_000,
          cwd: folder,
        },
        other: { command: [at('fix')], env: {}, timeoutMs: 60_000 },
      },
      webhooks: { 'fixes.example.com': { secret: 'a-long-secret' } },
    });
    expect(notices).toEqual([]);
  });

  test.each([
    [{ executors: { 'AWS::S3': 'inventory' } }, /executors\.AWS::S3 must have three parts/],
    [{ executors: { '*': 'shell:rm' } }, /executors\.\* must be inventory, exec:NAME or webhook/],
    [{ executors: { '*': 'exec:fix' } }, /refers to the command fix, which is missing in rem/],
    [{ executors: { '*': 'exec:toString' }, commands: {} }, /the command toString, which is miss/],
    [{ executors: { '*': 'webhook:https://a.example/' } }, /secret: add a\.example to remediation/],
    [{ executors: { '*': 'webhook:http://a.example/' } }, /must be a URL that begins with https/],
    [
      {
        executors: { '*': 'webhook:https://a.example/?code=1' },
        webhooks: { 'a.example': { secret: 'long-enough' } },
      },
      /executors\.\* must be a URL without a query/,
    ],
    [
      { executors: { '*': 'webhook:https://u:p@a.example/' } },
      /must not contain a user name or pass/,
    ],
    [{ commands: { 'a b': { command: ['/bin/true'] } } }, /a b must be a name such as close-bu/],
    [{ commands: { a: { command: 'rm -rf /' } } }, /commands\.a\.command must be an array/],
    [{ commands: { a: { command: [] } } }, /commands\.a\.command/],
    [{ commands: { a: { command: ['fix.sh'] } } }, /command must begin with an absolute path/],
    [{ commands: { a: { command: ['/not/there'] } } }, /a\.command: \/not\/there does not exist/],
    [{ commands: { a: { command: ['/tmp'] } } }, /a\.command: \/tmp is not a file/],
    [{ commands: { a: { command: ['/bin/sh'], cwd: 'here' } } }, /a\.cwd must be an absolute/],
    [{ commands: { a: { command: ['/bin/sh'], cwd: '/no' } } }, /a\.cwd: \/no is not a directory/],
    [{ commands: { a: { command: ['/bin/sh'], env: ['A B'] } } }, /must be a variable name/],
    [
      { commands: { a: { command: ['/bin/sh'], env: ['GOVCTL_SERVER_API_KEY'] } } },
      /env\[0\] must not be a variable of govctl/,
    ],
    [{ commands: { a: { command: ['/bin/sh'], timeout_seconds: 601 } } }, /timeout_seconds/],
    [{ commands: { a: { command: ['/bin/sh'], shell: true } } }, /a\.shell is not a known field/],
    [{ webhooks: { 'https://a.example/': { secret: 'long-enough' } } }, /must be a host such as/],
  ])('are refused, with the file and the field: %j', async (remediation, said) => {
    const text = await refusal(remediation);
    expect(text).toMatch(/^server\.yaml:/);
    expect(text).toMatch(said);
  });

  test('need a program that this user can execute', async () => {
    mkdirSync(at('closed'));
    program('plain', 0o600);
    expect(await refusal({ commands: { a: { command: [at('plain')] } } })).toBe(
      'server.yaml: remediation.commands.a.command: plain is not executable by this user',
    );
  });

  test('get no variable as an argument, which all users of the machine could see', async () => {
    const said = await refusal(fix({ command: [at('fix'), '--token=${TOKEN}'] }), {
      TOKEN: 'sesame',
    });
    expect(said).toMatch(/commands\.fix\.command\.1 must not refer to a variable: .* list the var/);
    expect(said).not.toContain('sesame');
  });

  test('tell no secret where it is wrong, and say where others can read it', async () => {
    const given = { webhooks: { 'a.b.example': { secret: 'sesame' } } };
    const said = await refusal(given);
    expect(said).toMatch(/webhooks\.a\.b\.example\.secret must be a string of 8 to 1,024 char/);
    expect(said).not.toContain('sesame');
    writeFileSync(at('server.yaml'), 'remediation: {webhooks: {a.example: {secret: sesame-open}}}');
    chmodSync(at('server.yaml'), 0o644);
    const { notices } = await readServerConfig(at('server.yaml'), {});
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/contains a secret and is readable by others on this machine/);
  });
});
