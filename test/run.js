// `npm test`: installs and builds if needed, then every check and every test but the slow ones, which
// `npm run test:slow` runs. `npm test -- PATH` runs only the tests there, and builds only for tests of the built program.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { install, setup } from '../bin/setup.js';
import { readTally, sayTally } from './tally.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = path.join(root, 'test-results', 'vitest.json');

/** Directories and files whose tests take longer than a change should wait for. CI runs them after the others. */
const slow = [
  'test/attack/',
  'test/corpus/',
  'test/crash/',
  'test/e2e/',
  'test/inventory/same-verdict/',
  'test/report/formats/pdf/',
  'test/server/backup/',
  'test/soak/',
  'in-browser.test.ts',
];
const only = process.argv[2] === '--slow' ? slow : process.argv.slice(2);

const checks = [
  [
    'lint',
    ['eslint', '-c', '.config/eslint.config.js', '--max-warnings', '0', 'src', 'test', 'bench'],
  ],
  ['formatting', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['types', ['tsc', '--noEmit', '-p', '.']],
  ['import rules', ['depcruise', '--config', '.config/dependency-cruiser.cjs', 'src']],
  ['unused code', ['knip', '--config', '.config/knip.json']],
  ['package', ['publint', '--strict']],
  ['package types', ['attw', '--pack', '.', '--profile', 'esm-only']],
];

function run([command, ...args], inherit) {
  const local = path.join(root, 'node_modules', '.bin', command);
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command === 'node' ? process.execPath : local, args, {
      cwd: root,
      // What is checked is packed as it was built: a check that builds again would take `dist` from the others.
      env: { ...process.env, ...(!inherit && { npm_config_ignore_scripts: 'true' }) },
      stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('close', (status) => resolve({ ok: status === 0, output }));
  });
}

async function check([name, command]) {
  const started = Date.now();
  const { ok, output } = await run(command, false);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${ok ? '' : `\n${output}`}`);
  return ok;
}

/** Two at a time: a bare CI machine has two cores. */
async function runChecks() {
  const waiting = [...checks];
  const results = [];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await check(next));
  };
  await Promise.all([lane(), lane()]);
  return results;
}

const everythingIn = (place) => (place.endsWith('/') ? `${place}**` : `**/*${place}`);

async function runTests() {
  rmSync(report, { force: true });
  mkdirSync(path.dirname(report), { recursive: true });
  const { ok } = await run(
    [
      'vitest',
      'run',
      '--config',
      '.config/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(only.length > 0 ? only : slow.flatMap((place) => ['--exclude', everythingIn(place)])),
    ],
    true,
  );
  return readTally(report, ok, root);
}

/** Whether a test there runs the built program; a filter that is no path may mean any. */
function needsBuild(given) {
  const place = path.join(root, given);
  if (!existsSync(place)) return true;
  const files = statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true }).map((file) => path.join(place, file))
    : [place];
  return files
    .filter((file) => file.endsWith('.ts'))
    .some((file) => /\b(?:runCli|startBuiltServer|govctl\.js)\b/.test(readFileSync(file, 'utf8')));
}

if (only.length === 0 || only.some(needsBuild)) setup();
else install();
const verdicts = only.length > 0 ? [] : await runChecks();
const tests = await runTests();
const passed = tests.passed + verdicts.filter(Boolean).length;
const failed = tests.failed + verdicts.filter((ok) => !ok).length;
// Once more and short: the details are far above, and CI repeats these lines at its end.
for (const failure of tests.failures) console.log(`FAIL ${failure}`);
console.log(sayTally({ ...tests, passed, failed }));
process.exitCode = failed === 0 && tests.ok ? 0 : 1;
