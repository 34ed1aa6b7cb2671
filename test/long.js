// `npm run kills -- --count 2000`, `npm run power-cuts -- --count 1000000`, `npm run soak -- --minutes 30`: a test that
// `npm test` runs briefly, for as long as it is asked to. Each says how far it is, and ends with a line of numbers.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const tests = {
  kills: { file: 'test/crash/kills.test.ts', option: '--count', variable: 'GOVCTL_KILLS', usual: '2000' }, // prettier-ignore
  'power-cuts': { file: 'test/crash/power-cut.test.ts', option: '--count', variable: 'GOVCTL_POWER_CUTS', usual: '1000000' }, // prettier-ignore
  soak: { file: 'test/soak/soak.test.ts', option: '--minutes', variable: 'GOVCTL_SOAK_MINUTES', usual: '30' }, // prettier-ignore
};

const [name, ...given] = process.argv.slice(2);
const { file, option, variable, usual } = tests[name];
const [word, number = usual] = given;
if ((word !== undefined && word !== option) || given.length > 2 || !(Number(number) > 0)) {
  console.error(`usage: npm run ${name} -- ${option} ${usual}`);
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('run.js', import.meta.url)), file],
  { stdio: 'inherit', env: { ...process.env, [variable]: number, GOVCTL_PROGRESS: '1' } },
);
process.exitCode = status ?? 1;
