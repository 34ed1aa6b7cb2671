import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { withBlock } from './generated-block.ts';
import { runCommandLine } from '../support/fake-world.ts';
import { makeRepo } from '../support/temp-repo.ts';
import { hasInputs } from './public-inputs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const templates = path.resolve(root, '../shared/data/cloudformation');

interface Checked {
  readonly results: readonly { policy: string; resource: string; file: string; status: string }[];
  readonly fixes: readonly { policy: string; resource: string; file: string; offered: boolean }[];
  readonly fix_diffs: readonly { diff: string }[];
}

interface Figure {
  readonly what: string;
  readonly set: string;
  readonly offered: number;
  readonly all: number;
}

/** Of all tests here, for docs/truth.md. */
const figures: Figure[] = [];

const keyOf = ({ policy, resource, file }: Omit<Checked['fixes'][number], 'offered'>): string =>
  [policy, resource, file].join(' ');

describe.runIf(hasInputs('cloudformation'))('fixes of published templates', () => {
  test.each(['baseline', 'strict'])(
    'of the %s set: at least 70 % are offered; each then passes, and nothing else is found',
    async (set) => {
      const cwd = makeRepo();
      cpSync(templates, path.join(cwd, 'templates'), { recursive: true });
      const policies = path.join(root, 'policies-example/aws');
      const words = ['check', 'templates', '--policies', policies, '--set', set, '--allow-outside'];
      const check = async (...more: string[]) => {
        const { stdout } = await runCommandLine([...words, ...more, '-o', 'json'], { cwd });
        return JSON.parse(stdout) as Checked;
      };
      const before = await check();
      const { fixes, fix_diffs: diffs, results: left } = await check('--fix', '--write');
      const offered = new Set(fixes.filter((one) => one.offered).map(keyOf));
      figures.push({ what: 'templates of CloudFormation', set, offered: offered.size, all: fixes.length }); // prettier-ignore
      expect(offered.size / fixes.length).toBeGreaterThanOrEqual(0.7);
      const verdict = (one: Checked['results'][number]) => `${keyOf(one)} ${one.status}`;
      const known = new Set(before.results.filter((one) => !offered.has(keyOf(one))).map(verdict));
      expect(left.map(verdict).filter((one) => !known.has(one))).toEqual([]);
      // Nothing but lines that are new, or that hold what was changed.
      for (const { diff } of diffs) {
        const removed = diff.split('\n').filter((line) => /^-(?!-- a\/)/.test(line));
        const added = diff.split('\n').filter((line) => /^\+(?!\+\+ b\/)/.test(line));
        expect(removed.length).toBeLessThanOrEqual(added.length);
      }
    },
    600_000,
  );
});

const plans = path.resolve(root, '../shared/data/terraform-plan');

describe.runIf(hasInputs('terraform-plan'))('fixes of the sources of published plans', () => {
  test.each(['baseline', 'strict'])(
    'of the %s set: at least 70 % are offered, and no line goes but those that change',
    async (set) => {
      const policies = path.join(root, 'policies-example');
      const given = ['LOG_BUCKET=logs', 'KMS_KEY=alias/our-key'].flatMap((one) => [
        '--fix-parameter',
        one,
      ]);
      let [offered, all] = [0, 0];
      const sources = readdirSync(plans, { recursive: true, encoding: 'utf8' });
      for (const source of sources.filter((file) => file.endsWith('.tf'))) {
        // Each is a root module of its own, whatever else is in its folder.
        const cwd = makeRepo();
        cpSync(path.join(plans, source), path.join(cwd, 'main.tf'));
        cpSync(path.join(plans, source.replace(/\.tf$/, '.json')), path.join(cwd, 'plan.json'));
        const words = ['plan.json', '--source', '.', '--policies', policies, '--set', set];
        const { stdout } = await runCommandLine(
          ['check', ...words, '--allow-outside', '--fix', '--write', ...given, '-o', 'json'],
          { cwd },
        );
        const { fixes, fix_diffs: diffs } = JSON.parse(stdout) as Checked;
        offered += fixes.filter((one) => one.offered).length;
        all += fixes.length;
        for (const { diff } of diffs) {
          const removed = diff.split('\n').filter((line) => /^-(?!-- a\/)/.test(line));
          const added = diff.split('\n').filter((line) => /^\+(?!\+\+ b\/)/.test(line));
          expect(removed.length).toBeLessThanOrEqual(added.length);
        }
      }
      figures.push({
        what: 'plans of Terraform, with `LOG_BUCKET` and `KMS_KEY`',
        set,
        offered,
        all,
      });
      expect(offered / all).toBeGreaterThanOrEqual(0.7);
    },
    600_000,
  );
});

test.runIf(hasInputs('cloudformation') && hasInputs('terraform-plan'))(
  'docs/truth.md has the figures',
  async () => {
    const rows = figures.map(
      ({ what, set, offered, all }) =>
        `| ${what} | ${set} | ${all} | ${offered} | ${((100 * offered) / all).toFixed(1)}% |`,
    );
    const body = `| files | set | findings whose policy has a patch | fixes | |\n|---|---|---|---|---|\n${rows.join('\n')}`;
    const file = path.join(root, 'docs/truth.md');
    await expect(withBlock(file, 'test/corpus/fixes.test.ts', body)).toMatchFileSnapshot(file);
  },
);
