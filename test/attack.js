// `npm run test:attack`: the attacks, and patterns against their definition, with twenty times as many random tries as `npm test -- test/attack` makes; `-- 100` for another number.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const times = process.argv[2] ?? '20';
const { status } = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('run.js', import.meta.url)),
    'test/attack',
    'test/engine/re2-machine.test.ts',
    '--testTimeout=3600000',
  ],
  { stdio: 'inherit', env: { ...process.env, GOVCTL_ATTACKS: times } },
);
process.exitCode = status ?? 1;
