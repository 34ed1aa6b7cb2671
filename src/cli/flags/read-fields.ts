import { stat } from 'node:fs/promises';
import path from 'node:path';
import type * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { explainIssues } from '../../project/read/explain-issue.ts';
import type { Problem } from '../../project/model.ts';
import { parseYaml } from '../../project/read/parse-yaml.ts';
import { readText } from '../../project/read/read-text.ts';
import type { Source } from '../../project/read/source.ts';
import { createSource } from '../../project/read/source.ts';
import type { World } from '../context.ts';
import { notReadable } from './input-file.ts';

/** A schema of an object, and what it makes of a file. */
type FieldSchema<T> = z.ZodType<T>;

/** What a file is said to hold. */
export interface FieldsOf {
  readonly one: string;
  readonly many: string;
  /** A file of a repo may say `kind: Policy`. */
  readonly kind?: string;
}

const policyFields: FieldsOf = { one: 'policy', many: 'policies', kind: 'Policy' };

/**
 * The fields of one object in a YAML or JSON file; `-` is standard input.
 * @throws GovctlError invalid_file with file:line:column of everything that is wrong
 */
export async function readFields<T>(
  world: World,
  file: string,
  schema: FieldSchema<T>,
  of: FieldsOf = policyFields,
): Promise<T> {
  const source =
    file === '-'
      ? createSource('standard input', await readInput(world, of))
      : await readSource(world.cwd, file);
  const { documents, problems } = parseYaml(source);
  if (problems.some(({ level }) => level === 'error')) throw invalid(source, problems, of);
  const [document, second] = documents;
  if (!document) throw new GovctlError('invalid_file', `${source.file} is empty`);
  if (second) {
    throw new GovctlError(
      'invalid_file',
      `${source.file} contains ${documents.length} ${of.many}; expected one`,
      of.kind === undefined ? {} : { hint: 'For files with several policies, use `govctl apply`.' },
    );
  }
  const fields = withoutKind(source, document.value, of);
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  throw invalid(source, explainIssues(source, document, parsed.error.issues, schema), of);
}

/** @throws GovctlError invalid_file for a `key`: it is for what git keeps */
function withoutKind(source: Source, value: unknown, { kind }: FieldsOf): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (kind !== undefined && Object.hasOwn(value, 'key')) {
    throw new GovctlError('invalid_file', `${source.file} has a key, so it is managed in git`, {
      hint: 'Use `govctl apply`, or remove the key.',
    });
  }
  const fields: Record<string, unknown> = { ...value };
  if (kind !== undefined && fields.kind === kind) delete fields.kind;
  return fields;
}

/** Characters. What is longer is no such thing, and parsing it would take its time. */
const longestInput = 1024 * 1024;

async function readInput({ terminal }: World, { one }: FieldsOf): Promise<string> {
  const text = await terminal.readStdin();
  if (text.length <= longestInput) return text;
  throw new GovctlError(
    'invalid_file',
    `Standard input is larger than 1 MiB, the maximum for a ${one}`,
  );
}

async function readSource(cwd: string, file: string): Promise<Source> {
  const absolute = path.resolve(cwd, file);
  const size = await stat(absolute).then(
    (found) => {
      if (found.isFile()) return found.size;
      throw new GovctlError('invalid_file', `${file} is not a file`);
    },
    (cause: unknown) => {
      throw notReadable(file, cause);
    },
  );
  const read = readText(file, absolute, size);
  if (read.source) return read.source;
  throw new GovctlError('invalid_file', `${file}: ${read.problem.message}`, {
    ...(read.problem.hint ? { hint: read.problem.hint } : {}),
  });
}

function invalid(source: Source, problems: readonly Problem[], { one }: FieldsOf): GovctlError {
  return new GovctlError('invalid_file', `${source.file} is not a valid ${one}`, {
    details: problems.map(({ file, line, column, message, hint }) => ({
      field: `${file}:${line}:${column}`,
      message: hint ? `${message}. ${hint}` : message,
    })),
  });
}

/**
 * Reads `--set field=value`: the value is YAML, so `true`, `[a, b]` and `null` mean what they say.
 * @throws GovctlError usage_error
 */
export async function parseSettings(
  settings: readonly string[],
  known: readonly string[],
  one = policyFields.one,
): Promise<Record<string, unknown>> {
  const { parse } = await import('../terminal/yaml.ts');
  const fields: Record<string, unknown> = {};
  for (const setting of settings) {
    const at = setting.indexOf('=');
    const name = setting.slice(0, at);
    if (at < 1) {
      throw new GovctlError('usage_error', `--set ${setting}: must be field=value`);
    }
    if (!known.includes(name)) {
      const nearest = nearestWord(name, known);
      throw new GovctlError('usage_error', `--set ${setting}: a ${one} has no field "${name}"`, {
        hint: nearest ? `Did you mean ${nearest}?` : `Fields: ${known.join(', ')}.`,
      });
    }
    try {
      fields[name] = parse(setting.slice(at + 1));
    } catch (cause) {
      const [why] = (cause as Error).message.split('\n');
      throw new GovctlError('usage_error', `--set ${setting}: invalid YAML: ${why}`, {
        cause,
        hint: `Quote the value: --set '${name}="…"'.`,
      });
    }
  }
  return fields;
}
