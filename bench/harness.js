// Measuring, shared by every figure: whole processes in turn (A B A B ...), medians, ratios pair by pair.
import { spawn } from 'node:child_process';
import {
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { makePolicy, policyYaml } from './policies.js';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const govctl = path.join(root, 'bin', 'govctl.js');
export const peer = (name) => path.join(root, 'bench', 'peers', name);

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const tempFolders = [];
process.on('exit', () => {
  for (const folder of tempFolders) rmSync(folder, { recursive: true, force: true });
});

export function tempFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-bench-'));
  tempFolders.push(folder);
  return folder;
}

/** A repo of `count` policies, one file each. */
export function writeRepo(folder, count, baseUrl, make = makePolicy) {
  mkdirSync(path.join(folder, 'policies'), { recursive: true });
  writeFileSync(
    path.join(folder, 'govctl.yaml'),
    `project: bench\n${baseUrl ? `base_url: ${baseUrl}\n` : ''}paths: [policies]\n`,
  );
  for (let n = 0; n < count; n++) {
    const policy = make(n);
    writeFileSync(path.join(folder, 'policies', `${policy.name}.yaml`), policyYaml(policy));
  }
}

/** Runs `node ...args` to its end; wall milliseconds, and peak resident MiB when `memory` is asked for. */
export function runNode(args, { cwd = root, env = {}, memory = false, expect = [0] } = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let peak = 0;
    // VmHWM only grows, so the last reading before the end is the peak (to within one interval).
    const poll = memory
      ? setInterval(() => (peak = Math.max(peak, peakMemory(child.pid))), 5)
      : undefined;
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('close', (status) => {
      clearInterval(poll);
      const ms = performance.now() - started;
      if (!expect.includes(status))
        reject(new Error(`node ${args.join(' ')} exited with ${status}\n${stdout}${stderr}`));
      else resolve({ ms, stdout, stderr, peak });
    });
  });
}

/** MiB, from Linux's accounting; 0 elsewhere. */
export function peakMemory(pid) {
  try {
    return (
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    );
  } catch {
    return 0;
  }
}

/** Both in turn, after one warm-up each; the ratio is the median of the pairs' ratios. */
export async function comparePairs(ours, theirs, runs) {
  await ours();
  await theirs();
  const pairs = [];
  for (let run = 0; run < runs; run++) pairs.push([await ours(), await theirs()]);
  return {
    ours: median(pairs.map(([a]) => a)),
    peer: median(pairs.map(([, b]) => b)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  };
}

/**
 * The row of a figure of whole processes: ours and a peer's in turn, then our peak memory.
 * @param ours @param theirs run one process, as `runNode`; `true` asks for the memory
 */
export async function compareProcesses({ figure, peer, most, runs, ours, theirs }) {
  const times = await comparePairs(
    async () => (await ours()).ms,
    async () => (await theirs()).ms,
    runs,
  );
  const { peak } = await ours(true);
  return {
    figure,
    peer,
    ours: times.ours,
    theirs: times.peer,
    unit: 'ms',
    ratio: times.ratio,
    limit: { most },
    peak,
  };
}

/** Starts `node ...args` and waits until `url` answers with a success; `stop` ends it and gives its peak memory. */
export async function startServer(args, url, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr = (stderr + chunk).slice(-4000)));
  const ended = new Promise((resolve) => child.on('close', resolve));
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`server did not start: ${stderr}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    pid: child.pid,
    async stop() {
      const peak = peakMemory(child.pid);
      child.kill('SIGTERM');
      await ended;
      return peak;
    },
  };
}

export const benchKey = `gk_${'b'.repeat(43)}`;

/** The built govctl server on a fresh data folder. */
export async function startGovctl(
  port,
  {
    dataDir = path.join(tempFolder(), 'data'),
    metrics = true,
    nodeArgs = [],
    command = govctl,
    args: more = [],
  } = {},
) {
  const url = `http://127.0.0.1:${port}`;
  const args = [
    ...nodeArgs,
    command,
    'server',
    '--port',
    String(port),
    '--data-dir',
    dataDir,
    '--rate-limit',
    'report',
    ...more,
  ];
  if (!metrics) args.push('--no-metrics');
  const server = await startServer(args, `${url}/readyz`, { GOVCTL_SERVER_API_KEY: benchKey });
  return { ...server, url, dataDir };
}

/** The environment of a command whose repo names this server: a key goes only where the user says. */
export const loginAt = (url) => ({ GOVCTL_TOKEN: benchKey, GOVCTL_TRUSTED_URLS: url });

/** Milliseconds of `count` requests made by `one(n)`, `concurrency` at a time. */
export async function runConcurrently(count, concurrency, one) {
  let next = 0;
  const lane = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

export async function postPolicies(url, from, count, concurrency = 64) {
  await runConcurrently(count, concurrency, async (n) => {
    const answer = await fetch(`${url}/v1/policies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(makePolicy(from + n)),
    });
    if (answer.status !== 201) throw new Error(`POST ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  });
}

/** Deletes until `kept` policies are left. */
export async function deletePolicies(url, kept) {
  const headers = { authorization: `Bearer ${benchKey}` };
  for (;;) {
    const answer = await fetch(`${url}/v1/policies?limit=100`, { headers });
    const { policies, pagination } = await answer.json();
    const doomed = policies.slice(0, Math.max(0, pagination.total - kept));
    if (doomed.length === 0) return;
    await runConcurrently(doomed.length, 64, async (n) => {
      await fetch(`${url}/v1/policies/${doomed[n].id}`, { method: 'DELETE', headers });
    });
  }
}

/** A process of bench/attack that tells something once, when it is told to `stop` or by itself. */
export function startTeller(name, settings) {
  const child = spawn(
    process.execPath,
    [path.join(root, 'bench', 'attack', `${name}.js`), JSON.stringify(settings)],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  process.once('exit', () => child.kill());
  const told = new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (status) => reject(new Error(`${name} ended with ${status}`)));
  });
  // Whoever waits for it later gets the error then.
  told.catch(() => undefined);
  return {
    told,
    stop() {
      child.send('stop');
      return told;
    },
  };
}

/** KiB of all files below a folder. */
export const folderSize = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, path: parent, name }) =>
        sum + statSync(path.join(parentPath ?? parent, name)).size,
      0,
    ) / 1_024;
