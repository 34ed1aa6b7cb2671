import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTool, runTool } from '../../support/system-tool.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let folder: string;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const outcome = await runCommandLine(['completion', shell]);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    scripts[shell] = path.join(folder, `govctl.${shell}`);
    writeFileSync(scripts[shell], outcome.stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (shell: string): boolean => hasTool(shell, () => runTool(shell, '-c', 'exit 0'));

/** What bash offers for the last word of a line. */
function completeInBash(...words: string[]): string[] {
  const script = `
    govctl() { [[ "$*" == 'completion profiles' ]] && printf 'default\\nstaging\\n'; }
    source "$1"; shift
    COMP_WORDS=(govctl "$@"); COMP_CWORD=$#
    _govctl
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['-c', script, 'bash', scripts.bash ?? '', ...words], {
    encoding: 'utf8',
  });
  return answer.split('\n').filter(Boolean);
}

describe.skipIf(!has('bash'))('completion in bash', () => {
  it('is valid bash', () => {
    expect(spawnSync('bash', ['-n', scripts.bash ?? ''], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('offers commands, and those that begin as typed', () => {
    expect(completeInBash('')).toEqual(expect.arrayContaining(['policy', 'auth', 'server', 'api']));
    expect(completeInBash('pol')).toEqual(['policy']);
    expect(completeInBash('policy', '')).toEqual(
      expect.arrayContaining(['list', 'get', 'create', 'update', 'delete', 'enable', 'disable']),
    );
  });

  it('offers the formats that the command takes, and no others', () => {
    expect(completeInBash('validate', '-o', 's')).toEqual(['sarif']);
    expect(completeInBash('policy', 'list', '-o', 's')).toEqual([]);
    expect(completeInBash('completion', '-')).not.toContain('--output');
  });

  it('offers the types of events where one is to be given', () => {
    expect(completeInBash('event', 'trigger', 'scan')).toEqual(['scan.completed', 'scan.failed']);
    expect(completeInBash('webhook', 'create', '--event', 'user.l')).toEqual(['user.login']);
  });

  it('offers the options of the command and the global ones', () => {
    const options = completeInBash('policy', 'list', '--');
    expect(options).toEqual(
      expect.arrayContaining(['--severity', '--all', '--output', '--profile']),
    );
    expect(options).not.toContain('--tls-cert');
    expect(completeInBash('policy', 'list', '--sev')).toEqual(['--severity']);
  });

  it('finds the command behind options and their values', () => {
    expect(completeInBash('--profile', 'auth', '-q', 'policy', 'li')).toEqual(['list']);
    expect(completeInBash('policy', '-o', 'json', 'ge')).toEqual(['get']);
  });

  it('offers what an option may be', () => {
    expect(completeInBash('policy', 'list', '--order', '')).toEqual(['asc', 'desc']);
    expect(completeInBash('-o', 'j')).toEqual(['json']);
    expect(completeInBash('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  it('offers the profiles there are', () => {
    expect(completeInBash('--profile', '')).toEqual(['default', 'staging']);
    expect(completeInBash('auth', 'switch', 's')).toEqual(['staging']);
  });

  it('leaves files to bash where a value can be anything', () => {
    expect(completeInBash('policy', 'create', '-f', '')).toEqual([]);
  });
});

describe.skipIf(!has('zsh'))('completion in zsh (needs zsh)', () => {
  it('is valid zsh', () => {
    expect(spawnSync('zsh', ['-n', scripts.zsh ?? ''])).toMatchObject({ status: 0 });
  });
});

describe.skipIf(!has('fish'))('completion in fish (needs fish)', () => {
  it('is valid fish', () => {
    expect(spawnSync('fish', ['-n', scripts.fish ?? ''])).toMatchObject({ status: 0 });
  });
});

describe('govctl completion', () => {
  it('names the nearest shell', async () => {
    const outcome = await runCommandLine(['completion', 'bsh']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('Did you mean bash?');
  });

  it('prints no profile where there is none', async () => {
    const outcome = await runCommandLine(['completion', 'profiles'], {
      env: { GOVCTL_CONFIG_DIR: folder },
    });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('leaves out profile names that a shell would expand, of a file edited by hand', async () => {
    const config = mkdtempSync(path.join(folder, 'config-'));
    const login = {
      base_url: 'http://127.0.0.1:1',
      method: 'api_key',
      stored_in: 'file',
      logged_in_at: '2026-01-01T00:00:00Z',
    };
    const profiles = { staging: login, '$(touch${IFS}ran)': login, '`touch ran`': login };
    writeFileSync(
      path.join(config, 'profiles.json'),
      JSON.stringify({ format_version: 1, current: 'staging', profiles }),
      { mode: 0o600 },
    );
    const outcome = await runCommandLine(['completion', 'profiles'], {
      env: { GOVCTL_CONFIG_DIR: config },
    });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'staging\n', stderr: '' });
  });
});

describe('completion in PowerShell', () => {
  it('describes every command, option and value, in strings that cannot end early', async () => {
    const { exitCode, stdout } = await runCommandLine(['completion', 'powershell']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName govctl');
    expect(stdout).toMatch(/\$words\['policy'\] = @\('list\|/);
    expect(stdout).toContain("$values['validate|--output'] = @(");
    expect(stdout).toMatch(/\$options\[''\] = @\(.*'-v\|.*'--verbose\|/);
    const tables = stdout.split('\n').filter((line) => /^ {4}\$\w+\[/.test(line));
    expect(tables.length).toBeGreaterThan(100);
    const text = String.raw`'(?:[^'\u2018-\u201b]|''|[\u2018-\u201b]{2})*'`;
    const table = new RegExp(`^ {4}\\$\\w+\\[${text}\\] = @\\((?:${text}(?:, ${text})*)?\\)$`);
    expect(tables.filter((line) => !table.test(line))).toEqual([]);
    const keys = tables.map((line) => line.slice(0, line.indexOf(' = ')));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
