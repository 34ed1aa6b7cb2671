import { defined } from '../../contract/defined.ts';
import { execFile } from 'node:child_process';
import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { loadConfig } from '../../project/config.ts';
import { gitEnvironment } from '../../project/git.ts';
import type { Context, World } from '../context.ts';
import { configDir } from '../credentials/config-dir.ts';
import { probeKeychain, systemKeychain } from '../credentials/keychain.ts';
import { readProfiles } from '../credentials/profiles.ts';
import type { Finding } from './finding.ts';
import { failure } from './finding.ts';

/** What this machine and this folder have to offer. */
export async function machineChecks({ world, version }: Context): Promise<Finding[]> {
  return Promise.all([
    { check: 'govctl', status: 'ok' as const, message: version },
    checkNode(process.versions.node),
    checkLogins(world),
    checkKeychain(world),
    checkProject(world.cwd),
    checkGit(world),
    checkDisk(world.cwd),
  ]);
}

const oldestNode = [20, 19] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const recent = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (recent) return { check: 'node', status: 'ok', message: version };
  const needed = `requires ${oldestNode.join('.')} or newer`;
  return {
    check: 'node',
    status: 'fail',
    message: `${version}, but govctl ${needed}`,
    hint: 'Install a newer Node.js.',
  };
}

async function checkLogins(world: World): Promise<Finding> {
  const check = 'logins';
  const folder = configDir(world.env);
  try {
    const open = await openToOthers(folder);
    if (open.length > 0) {
      return {
        check,
        status: 'warn',
        message: `readable by others: ${open.join(', ')}`,
        hint: `Run \`chmod -R go-rwx ${folder}\`.`,
      };
    }
    const { profiles, current } = await readProfiles(folder, async () => {});
    const names = Object.keys(profiles);
    return names.length === 0
      ? { check, status: 'ok', message: `none in ${folder}` }
      : { check, status: 'ok', message: `${names.join(', ')} in ${folder}; current: ${current}` };
  } catch (error) {
    return failure(check, error);
  }
}

/** Files of logins, and their folder, that the group or others may read. */
async function openToOthers(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const credentials = path.join(folder, 'credentials');
  const inside = await readdir(credentials).catch(() => []); // none yet
  const candidates = [
    path.join(folder, 'profiles.json'),
    ...inside.map((name) => path.join(credentials, name)),
  ];
  const open = await Promise.all(
    candidates.map(async (file) => {
      const mode = await stat(file).then(
        (found) => found.mode,
        () => 0,
      );
      return (mode & 0o077) === 0 ? [] : [file];
    }),
  );
  return open.flat();
}

async function checkKeychain({ env, keychain }: World): Promise<Finding> {
  const check = 'keychain';
  if (env.GOVCTL_KEYRING === 'off') {
    return {
      check,
      status: 'ok',
      message: 'disabled by GOVCTL_KEYRING; credentials are stored in files',
    };
  }
  const why = await probeKeychain(keychain ?? systemKeychain());
  if (why === undefined) return { check, status: 'ok', message: 'stores and returns secrets' };
  return {
    check,
    status: 'warn',
    message: `cannot be used (${why})`,
    hint: 'Credentials are stored in files that only you can read. Set GOVCTL_KEYRING=off to skip the keychain.',
  };
}

function checkProject(cwd: string): Finding {
  const check = 'govctl.yaml';
  const { file, config, problems } = loadConfig(cwd);
  const [problem] = problems.filter(({ level }) => level === 'error');
  if (problem) {
    const { line, column, message, hint } = problem;
    return {
      check,
      status: 'fail',
      message: `${problem.file}:${line}:${column}: ${message}`,
      ...defined({ hint }),
    };
  }
  if (file === undefined) {
    return {
      check,
      status: 'ok',
      message: 'no repo in this directory; run `govctl init` to create one',
    };
  }
  const owner = config.project ? `, project ${config.project}` : '';
  return { check, status: 'ok', message: `${file}${owner}` };
}

async function checkGit({ env }: World): Promise<Finding> {
  const check = 'git';
  const answer = await new Promise<string | undefined>((resolve) => {
    // Not in the repo, which could bring a git of its own.
    const cwd = path.dirname(process.execPath);
    execFile(
      'git',
      ['--version'],
      { cwd, env: gitEnvironment(env), timeout: 5_000 },
      (error, stdout) => resolve(error ? undefined : stdout.trim()),
    );
  });
  if (answer !== undefined)
    return { check, status: 'ok', message: answer.replace(/^git version /, '') };
  return {
    check,
    status: 'warn',
    message: 'not found',
    hint: 'Plans will not include the git commit.',
  };
}

/** Bytes below which a server's folder is about to be full. */
const littleSpace = 200 * 1024 * 1024;

async function checkDisk(cwd: string): Promise<Finding> {
  const check = 'disk';
  const { bavail, bsize } = await statfs(cwd);
  const free = bavail * bsize;
  const message = `${Math.floor(free / 1024 / 1024).toLocaleString('en')} MiB free in ${cwd}`;
  if (free >= littleSpace) return { check, status: 'ok', message };
  return {
    check,
    status: 'warn',
    message,
    hint: 'A server with its data in this directory becomes read-only when the disk is full.',
  };
}
