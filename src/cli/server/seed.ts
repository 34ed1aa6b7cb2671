import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { readInventory } from '../../inventory/read.ts';
import { loadConfig } from '../../project/config.ts';
import { configFileName } from '../../project/read/discover.ts';
import type { Context, World } from '../context.ts';
import { notReadable, readInputBytes } from '../flags/input-file.ts';
import { count, listWords } from '../terminal/printable.ts';
import { advanceBy } from './clock.ts';
import { withLocalServer } from './with-local.ts';

export interface SeedOptions {
  readonly args: readonly [readonly string[]];
}

/** What is to be sent: folders of policies with what is said of them, and files of resources. */
interface Seeds {
  readonly applies: readonly { readonly cwd: string; readonly argv: readonly string[] }[];
  readonly inputs: readonly string[];
}

/** Who owns policies of files that no govctl.yaml says it of. */
const project = 'local-seed';
/** Milliseconds that the evaluation of what was sent may take. */
const settleWithin = 60_000;

/** Fills a local server by the same ways as anybody would. */
export async function runSeed(context: Context, options: SeedOptions): Promise<ExitCode> {
  const [given] = options.args;
  const { world } = context;
  const seeds = given.length > 0 ? await readSeeds(world, given) : exampleSeeds(world);
  const value = await withLocalServer(context, 'Seeding', async (client, update) => {
    // Before anything is sent to a server that is none for tests.
    await client.local.get();
    const reach = ['--base-url', client.baseUrl, ...profileOf(context)];
    for (const { cwd, argv } of seeds.applies) {
      update('Applying policies');
      const words = ['apply', ...argv, '--auto-approve', '--allow-empty', ...reach];
      await run(context, words, cwd);
    }
    if (seeds.inputs.length > 0) {
      update('Importing resources');
      await run(context, ['resource', 'import', ...seeds.inputs, ...reach], world.cwd);
    }
    update('Evaluating');
    await advanceBy(client, 0, settleWithin, () => undefined);
    return countAll(client);
  });
  const { policies, resources, open_violations: violations, exemptions } = value;
  const there = [
    count(policies, 'policy', 'policies'),
    count(resources, 'resource'),
    count(violations, 'open violation'),
    count(exemptions, 'exemption'),
  ];
  await context.show({
    value: { now_there: value },
    human: (style) => `${style.green('Seeded.')} The server has ${listWords(there)}.\n`,
  });
  return exitCodes.ok;
}

/** The library that comes with govctl, and the inventory that the demo shows. */
function exampleSeeds({ packageRoot }: World): Seeds {
  const cwd = path.join(packageRoot, 'policies-example');
  return {
    applies: [{ cwd, argv: [] }],
    inputs: [path.join(cwd, 'infrastructure', 'snapshot.json')],
  };
}

/** @throws GovctlError invalid_file for what is not there */
async function readSeeds(world: World, given: readonly string[]): Promise<Seeds> {
  const { cwd } = world;
  const folders = given.filter((name) => isFolder(cwd, name));
  const files = given.filter((name) => !folders.includes(name));
  const repos = folders.filter((name) => existsSync(path.resolve(cwd, name, configFileName)));
  const inputs: string[] = [];
  for (const name of files) if (await holdsResources(world, name)) inputs.push(name);
  const policies = given.filter((name) => !inputs.includes(name) && !repos.includes(name));
  const owner = loadConfig(cwd).config.project === undefined ? ['--project', project] : [];
  return {
    applies: [
      ...repos.map((name) => ({ cwd: path.resolve(cwd, name), argv: [] })),
      ...(policies.length > 0 ? [{ cwd, argv: [...policies, ...owner] }] : []),
    ],
    inputs: [...inputs, ...folders],
  };
}

function isFolder(cwd: string, name: string): boolean {
  try {
    return statSync(path.resolve(cwd, name)).isDirectory();
  } catch (cause) {
    throw notReadable(name, cause);
  }
}

/** YAML may be either: policies are no resources in any format. */
async function holdsResources(world: World, file: string): Promise<boolean> {
  if (!/\.ya?ml$/i.test(file)) return true;
  const read = readInventory(await readInputBytes(world, file));
  return read.ok || !read.unknownFormat;
}

const profileOf = ({ flags }: Context): string[] =>
  flags.profile === undefined ? [] : ['--profile', flags.profile];

/**
 * Runs another command line. What it says is shown only where it fails: the sum of all is what is of interest.
 * @throws GovctlError partly_applied
 */
async function run(context: Context, words: readonly string[], cwd: string): Promise<void> {
  const { world } = context;
  const said: string[] = [];
  const keep = { write: (text: string) => Promise.resolve(void said.push(text)) };
  const terminal = { ...world.terminal, stdout: keep, stderr: keep, stderrIsTty: false };
  const code = await context.run(words, { ...world, cwd, terminal });
  if (code === exitCodes.ok) return;
  await world.terminal.stderr.write(said.join(''));
  throw new GovctlError(
    'partly_applied',
    `\`govctl ${words[0]}\` exited with ${code}; see its output above`,
  );
}

/** How many there are of each, afterwards. */
async function countAll(client: Client) {
  const one = { limit: '1' } as const;
  const [policies, resources, violations, exemptions] = await Promise.all([
    client.policies.list({ query: one }),
    client.resources.list({ query: one }),
    client.violations.list({ query: { ...one, status: 'OPEN' } }),
    client.exemptions.list({ query: one }),
  ]);
  return {
    policies: policies.data.pagination?.total ?? policies.data.policies.length,
    resources: resources.data.pagination.total,
    open_violations: violations.data.pagination.total,
    exemptions: exemptions.data.pagination.total,
  };
}
