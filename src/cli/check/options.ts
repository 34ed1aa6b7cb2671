import { GovctlError } from '../../contract/errors.ts';
import type { severities } from '../../contract/policies.ts';
import type { Format } from '../../inventory/formats/formats.ts';
import { parseText } from '../../inventory/text/parse.ts';
import type { PolicySet } from '../../project/policy-sets.ts';
import type { World } from '../context.ts';
import { readWholeFile } from '../flags/input-file.ts';

/** What the command line says. */
export interface CheckOptions {
  readonly args: [inputs: string[]];
  readonly policies?: readonly string[];
  readonly format?: Format;
  readonly parameters?: readonly string[];
  readonly parametersFile?: string;
  readonly source?: string;
  readonly failOn?: (typeof severities)[number];
  readonly onError: 'fail' | 'warn';
  readonly onUnknown: 'fail' | 'warn';
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly pruneBaseline?: boolean;
  readonly failUnusedExemptions?: boolean;
  /** Default: true. */
  readonly inlineSkips?: boolean;
  readonly set?: PolicySet;
  readonly policy?: readonly string[];
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly framework?: readonly string[];
  readonly all?: boolean;
  readonly allConditions?: boolean;
  readonly explain?: string | true;
  readonly now?: string;
  readonly watch?: boolean;
  readonly jobs?: number;
  readonly fix?: boolean;
  readonly write?: boolean;
  readonly fixParameter?: readonly string[];
}

/**
 * Options with what follows from one another. `--explain FILE` without any input means that file: an option with an
 * optional value swallows the argument after it.
 * @throws GovctlError usage_error
 */
export function settleOptions(options: CheckOptions): CheckOptions {
  const [inputs] = options.args;
  if (inputs.length === 0) {
    if (typeof options.explain === 'string') {
      return { ...options, args: [[options.explain]], explain: true };
    }
    throw new GovctlError('usage_error', 'No input files given', {
      hint: 'Pass a file or directory, for example `govctl check template.yaml`, or - for standard input.',
    });
  }
  if (options.baseline !== undefined && options.writeBaseline !== undefined) {
    throw new GovctlError('usage_error', 'Use either --baseline or --write-baseline', {
      hint: '--write-baseline replaces the file with the current failures.',
    });
  }
  if (options.pruneBaseline && options.baseline === undefined) {
    throw new GovctlError('usage_error', '--prune-baseline requires --baseline FILE');
  }
  if (options.write && (!options.fix || options.watch || options.writeBaseline !== undefined)) {
    throw new GovctlError(
      'usage_error',
      options.fix
        ? '--write cannot be used with --watch or --write-baseline'
        : '--write requires --fix',
    );
  }
  if (options.fixParameter !== undefined && !options.fix) {
    throw new GovctlError('usage_error', '--fix-parameter requires --fix');
  }
  if (options.watch && inputs.includes('-')) {
    throw new GovctlError('usage_error', '--watch cannot be used with standard input');
  }
  return options;
}

/** Milliseconds since the epoch. @throws GovctlError usage_error */
export function parseNow(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new GovctlError('usage_error', `--now ${text}: must be a date or a time`, {
    hint: 'Use a format such as 2026-01-31T12:00:00Z or 2026-01-31.',
  });
}

/** Parameters by name; the command line wins over the file. @throws GovctlError usage_error, interrupted */
export async function readParameters(
  world: Pick<World, 'cwd' | 'signal'>,
  { parameters = [], parametersFile }: Pick<CheckOptions, 'parameters' | 'parametersFile'>,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (parameters.length === 0 && parametersFile === undefined) return undefined;
  const given = pairsOf('--parameters', parameters);
  const fromFile =
    parametersFile === undefined ? [] : await readParametersFile(world, parametersFile);
  return { ...Object.fromEntries(fromFile), ...given };
}

/** `KEY=VALUE` each. @throws GovctlError usage_error */
export const pairsOf = (flag: string, texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new GovctlError('usage_error', `${flag} ${text}: must be KEY=VALUE`);
    }),
  );

async function readParametersFile(
  world: Pick<World, 'cwd' | 'signal'>,
  file: string,
): Promise<[string, string][]> {
  try {
    const read = parseText((await readWholeFile(world, file)).toString('utf8'));
    const problem = read.ok ? read.parsed.problems[0] : read.problem;
    if (!read.ok || problem) throw new Error(problem?.message);
    return listParameters(read.parsed.document);
  } catch (cause) {
    if (world.signal.aborted) throw cause;
    throw new GovctlError(
      'usage_error',
      `--parameters-file ${file}: ${(cause as Error).message.split('\n')[0] ?? ''}`,
      {
        cause,
        hint: 'Use KEY: VALUE pairs, or a parameters file of the AWS CLI or Azure.',
      },
    );
  }
}

/** `{Key: value}`, the AWS CLI's `[{ParameterKey, ParameterValue}]`, or either below `Parameters` / Azure's `parameters`. */
function listParameters(value: unknown): [string, string][] {
  if (Array.isArray(value)) {
    return (value as unknown[]).map((item) => {
      const { ParameterKey: key, ParameterValue: held } = (item ?? {}) as Record<string, unknown>;
      if (typeof key !== 'string') throw new Error('a list item has no ParameterKey');
      return [key, textOf(held)];
    });
  }
  if (typeof value !== 'object' || value === null) throw new Error('no parameters found');
  const fields = value as Record<string, unknown>;
  for (const wrapper of ['Parameters', 'parameters']) {
    if (Object.hasOwn(fields, wrapper)) return listParameters(fields[wrapper]);
  }
  return Object.entries(fields).map(([key, held]) => [key, textOf(unwrap(held))]);
}

/** Azure writes `{"value": …}`. */
const unwrap = (held: unknown): unknown =>
  typeof held === 'object' && held !== null && Object.hasOwn(held, 'value')
    ? (held as { value: unknown }).value
    : held;

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return JSON.stringify(value) ?? '';
}
