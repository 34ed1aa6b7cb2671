// `npm run test:nodes`: every test on Node 22 and 24, whichever version runs this script.
// `npm run test:nodes -- 24 test/cli` runs one version and one directory; `-- 22.13.0` runs an exact version.
// Node is installed from packages into node_modules/.cache.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { setup } from '../bin/setup.js';
import { readTally, sayTally } from './tally.js';

/** The version for each major. */
const versions = { 20: '20.19.0', 22: '22.23.3', 24: '24.21.0' };
const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const isVersion = (argument) => /^\d+(\.\d+\.\d+)?$/.test(argument);
const asked = given.filter(isVersion);
const only = given.filter((argument) => !isVersion(argument));

/** The directory with the executable of this version; installs it if it is missing. */
function install(version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = path.join(root, 'node_modules', '.cache', 'nodes', version);
  const bin = path.join(folder, 'node_modules', name, 'bin');
  if (!existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = spawnSync(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`],
      { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
    );
    if (status !== 0) throw new Error(`${name}@${version} cannot be installed\n${stderr}`);
  }
  return bin;
}

/** Runs the tests with this version; child processes find it as `node`, too. */
async function run(version) {
  const bin = install(version);
  const report = path.join(root, 'test-results', `node-${version}.json`);
  rmSync(report, { force: true });
  const started = Date.now();
  const ok = await new Promise((resolve) => {
    const child = spawn(
      path.join(bin, process.platform === 'win32' ? 'node.exe' : 'node'),
      [
        path.join(root, 'node_modules', 'vitest', 'vitest.mjs'),
        ...['run', '--config', '.config/vitest.config.ts'],
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
        ...only,
      ],
      {
        cwd: root,
        env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
        stdio: 'inherit',
      },
    );
    child.on('close', (status) => resolve(status === 0));
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  const tally = readTally(report, ok, root);
  return { ...tally, line: `Node ${version}: ${sayTally(tally)} (${seconds} s)` };
}

setup();
const results = [];
for (const version of asked.length > 0 ? asked : ['22', '24']) {
  results.push(await run(versions[version] ?? version));
}
for (const { line, failures } of results) {
  for (const failure of failures) console.log(`FAIL ${failure}`);
  console.log(line);
}
process.exitCode = results.every(({ failed }) => failed === 0) ? 0 : 1;
