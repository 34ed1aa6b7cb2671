import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { FrameworkId, FrameworkInput } from '../../contract/frameworks.ts';
import type { DefinedControl, FrameworkDefinition } from '../../contract/frameworks.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import type { Client } from '../../client/client.ts';
import { findControlFaults } from '../../engine/frameworks/definition.ts';
import { catalogueOf, frameworkIdOf } from '../../engine/frameworks/frameworks.ts';
import type { Catalogue } from '../../engine/frameworks/catalogue.ts';
import { controlKey } from '../../engine/labels.ts';
import { decodeText } from '../../inventory/text/decode-text.ts';
import { frameworkKind } from '../../project/kinds/framework.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { invalidInput } from '../../project/read/imported.ts';
import type { Imported } from '../../project/read/imported.ts';
import { readControlsCsv } from '../../project/read/read-controls-csv.ts';
import { readOscal } from '../../project/read/read-oscal.ts';
import { documentToYaml } from '../../project/write/export.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import type { Context, Run } from '../context.ts';
import { readFileOrStdin } from '../flags/input-file.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { withOurServer } from '../objects/our-server.ts';
import { warnIfOwned } from '../objects/owned.ts';
import { count, printable } from '../terminal/printable.ts';

interface ImportOptions {
  readonly args: [file: string];
  readonly id?: string;
  readonly format?: 'oscal' | 'csv';
  readonly out?: string;
}

/** Bytes of a file. */
const mostBytes = 64 * 1024 * 1024;

/** A framework that a file defines, and controls of it that the built-in one lacks. */
interface Read {
  readonly id: string;
  readonly builtIn: Catalogue | undefined;
  /** Absent: a table says none. */
  readonly name?: string | undefined;
  readonly version?: string;
  readonly controls: readonly DefinedControl[];
  readonly leftOut: readonly string[];
}

/** Defines a custom framework from a file, or imports texts for the controls of a built-in one. */
export const runImport: Run<ImportOptions> = async (context, options) => {
  const read = await readFile(context, options);
  const { id, builtIn, version, controls, leftOut } = read;
  const said = { ...(version === undefined ? {} : { version }), controls: [...controls] };
  const { out } = options;
  let name = read.name ?? id;
  if (out === undefined) name = await send(context, read, said);
  else await write(context, out, documentToYaml(frameworkKind, { id, name, ...said }, id));
  const counted = count(controls.length, 'control');
  const what = builtIn ? `titles for ${counted} of ${builtIn.name}` : `${id} with ${counted}`;
  await context.show({
    value: {
      id,
      name,
      ...(version === undefined ? {} : { version }),
      built_in: builtIn !== undefined,
      controls: controls.length,
      left_out: leftOut,
      ...(out === undefined ? {} : { file: out }),
    },
    human: (style) =>
      [
        out === undefined
          ? `${style.green('Imported')} ${printable(name === id ? what : `${what}: ${name}`)}`
          : `${style.green('Wrote')} ${printable(`${what} to ${out}`)}`,
        ...(leftOut.length > 0 && builtIn
          ? [`Skipped ${count(leftOut.length, 'control')} not defined in ${builtIn.name} (${builtIn.version}).`] // prettier-ignore
          : []),
        out === undefined
          ? `To show the framework, run \`govctl framework show ${id} --all\`.`
          : 'To preview the changes, run `govctl plan`.',
        '',
      ].join('\n'),
  });
  return exitCodes.ok satisfies ExitCode;
};

/** @throws GovctlError invalid_file, usage_error */
async function readFile({ world }: Context, options: ImportOptions): Promise<Read> {
  const { name: file, bytes } = await readFileOrStdin(world, options.args[0], mostBytes);
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw invalidInput(file, decoded.problem.message);
  const { text } = decoded;
  const format = options.format ?? formatOf(file, text);
  const imported = format === 'csv' ? readControlsCsv(file, text) : readOscal(file, text);
  const id = idOf(options.id, imported);
  const builtIn = catalogueOf(id);
  const has = new Set(builtIn?.controls.map((one) => controlKey(id, one)));
  const isKnown = (one: DefinedControl): boolean => !builtIn || has.has(controlKey(id, one.id));
  const controls = imported.controls.filter(isKnown);
  if (builtIn && controls.length === 0) {
    const why = `none of the control IDs in the file exist in ${builtIn.name} (${builtIn.version})`;
    throw invalidInput(file, why, 'For a custom framework, pass another --id.');
  }
  const { name, version } = imported;
  const read = { id, name, ...(version === undefined ? {} : { version }), controls };
  refuseFaults(file, read, builtIn, imported.lines);
  const leftOut = imported.controls.filter((one) => !isKnown(one)).map((one) => one.id);
  return { ...read, builtIn, leftOut };
}

/** What a server would refuse. @throws GovctlError invalid_file */
function refuseFaults(
  file: string,
  read: Pick<Read, 'id' | 'name' | 'version' | 'controls'>,
  builtIn: Catalogue | undefined,
  lines?: Imported['lines'],
): void {
  const lineOf = (index: number): number | undefined => {
    const control = read.controls[index];
    return control && lines?.get(control);
  };
  const parsed = parseToFirstIssue(FrameworkInput, {
    ...read,
    name: read.name ?? read.id,
    controls: [...read.controls],
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { path: at = [], message = '' } = issue ?? {};
    const line = at[0] === 'controls' ? lineOf(Number(at[1])) : undefined;
    const [place, field] = line === undefined ? [file, at] : [`${file}:${line}`, at.slice(2)];
    throw invalidInput(place, `${field.join('.')} ${message}`.trim());
  }
  const nameOf = (index: number): string => `line ${lineOf(index) ?? ''}`;
  const faults = findControlFaults(read.id, read.controls, builtIn, lines && nameOf);
  if (faults.length === 0) return;
  const details = faults.map((fault) => {
    const [, index = '', column = ''] = /^controls\[(\d+)\]\.(\w+)$/.exec(fault.field) ?? [];
    const line = lineOf(Number(index));
    if (line === undefined) return fault;
    return { field: `${file}:${line}`, message: `${column} ${fault.message}` };
  });
  throw new GovctlError('invalid_file', `${file} cannot be imported`, { details });
}

const formatOf = (file: string, text: string): 'oscal' | 'csv' =>
  path.extname(file).toLowerCase() === '.csv' || !/^\s*[{[]/.test(text) ? 'csv' : 'oscal';

/** The given ID, else that of the built-in framework that the file's title names. */
function idOf(given: string | undefined, { name = '' }: Imported): string {
  const id = given ?? (/\b800-53\b/.test(name) ? 'nist-800-53' : undefined);
  if (id === undefined) {
    throw new GovctlError('usage_error', 'No framework ID given', {
      hint: 'Pass --id: soc2, iso27001, pci, hipaa, nist-800-53, or the ID of a custom framework.',
    });
  }
  const parsed = FrameworkId.safeParse(frameworkIdOf(id));
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', `--id ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
}

/** Replaces what is there; its tags stay, and its name where the file says none. @returns the name */
async function send(
  context: Context,
  { id, name: given }: Pick<Read, 'id' | 'name'>,
  said: { readonly version?: string; controls: DefinedControl[] },
): Promise<string> {
  return withOurServer(context, 'custom frameworks', 'Importing framework', async (client) => {
    const before = await definitionOf(client, id);
    await warnIfOwned(context, id, before?.tags);
    const name = given ?? before?.name ?? id;
    const body = { name, ...said, ...(before?.tags ? { tags: before.tags } : {}) };
    await client.frameworks.put({ params: { id }, body });
    return name;
  });
}

async function definitionOf(client: Client, id: string): Promise<FrameworkDefinition | undefined> {
  try {
    return (await client.frameworkDefinitions.get({ params: { id } })).data;
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'framework_not_found') return undefined;
    throw error;
  }
}

async function write(context: Context, out: string, text: string): Promise<void> {
  try {
    await replaceFile(placeToWrite(writesFrom(context), out), text);
  } catch (cause) {
    if (cause instanceof GovctlError) throw cause;
    throw new GovctlError('file_error', `${out} could not be written: ${whyFileFailed(cause)}`, {
      cause,
    });
  }
}
