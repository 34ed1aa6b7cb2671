import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { openInPlace, openReplacement } from '../../project/write/replace-file.ts';
import type { Replacement } from '../../project/write/replace-file.ts';
import type { Style, Terminal } from './terminal.ts';
import { harmlessJson, harmlessText, harmlessXml } from './harmless.ts';
import { createStyle } from './terminal.ts';
import { writeLines } from './wrap-words.ts';

/** One `-o`: a format on stdout, or into a file. */
export interface OutputTarget {
  readonly format: string;
  /** As the user gave it. */
  readonly file?: string;
  /** The real path of the file. */
  readonly place?: string;
}

/**
 * What a command has to say. `value` is the stable JSON contract, without `format_version`; json, yaml and ndjson
 * print it as it is. Views are functions so that only what is asked for is made.
 */
export interface View {
  readonly value: Readonly<Record<string, unknown>>;
  /** The rows for ndjson; default: the value as one line. `written`: they were, as they came. */
  readonly rows?: (() => Iterable<unknown>) | 'written';
  /** json takes one line: a program waits for it on a stream that stays open. */
  readonly oneLine?: true;
  /** A file of it is its owner's only. */
  readonly isSecret?: true;
  /** For people. Ends with a newline unless empty. */
  readonly human: (style: Style, columns: number) => string;
  /** Formats beyond the common ones, e.g. `github`, `markdown`. */
  readonly more?: Readonly<Record<string, (columns: number) => string>>;
}

const formatVersion = 1;

/** Columns of a table that goes into a file. */
const fileColumns = 100;

/**
 * Reads `-o json`, `-o json=FILE`, `-o table,json=FILE`.
 * @param placeOf the real path of a file
 * @throws GovctlError usage_error for an unknown format
 */
export function parseOutputs(
  given: readonly string[],
  known: readonly string[],
  placeOf: (file: string) => string,
): OutputTarget[] {
  const targets = given
    .flatMap((text) => text.split(','))
    .map((text) => {
      const [format = '', ...rest] = text.split('=');
      const file = rest.join('=');
      if (!known.includes(format)) {
        const nearest = nearestWord(format, known);
        throw new GovctlError('usage_error', `-o ${text}: unknown format "${format}"`, {
          hint: `${nearest ? `Did you mean ${nearest}? ` : ''}${known.length > 0 ? `Use ${known.join(', ')}; FORMAT=FILE writes a file.` : 'This command prints no data; omit -o.'}`,
        });
      }
      if (rest.length > 0 && file === '') {
        throw new GovctlError('usage_error', `-o ${text}: missing file name`, {
          hint: `Use -o ${format}=FILE.`,
        });
      }
      return rest.length > 0 ? { format, file, place: placeOf(file) } : { format };
    });
  const [first, second] = targets.filter(({ file }) => file === undefined);
  if (first && second) {
    throw new GovctlError(
      'usage_error',
      `-o ${first.format} and -o ${second.format} both write to standard output`,
      { hint: `Write one of them to a file: -o ${second.format}=FILE.` },
    );
  }
  const places = targets.flatMap(({ place }) => (place === undefined ? [] : [place]));
  const twice = places.find((place, at) => places.indexOf(place) < at && !isDevice(place));
  if (twice === undefined) return targets;
  throw new GovctlError('usage_error', `-o writes ${twice} twice`, {
    hint: 'Use a separate file for each format.',
  });
}

/** Whether standard output shows the view for people: of the formats, at most one goes there. */
export const isForPeople = (targets: readonly OutputTarget[]): boolean =>
  (targets.find(({ file }) => file === undefined)?.format ?? 'table') === 'table';

/**
 * Writes the view to every target: files first, then stdout (the human view where none was asked for). What can't be
 * written costs the others nothing: an apply is done, and its report must be seen somewhere.
 * @throws GovctlError file_error after all were tried
 */
export async function writeView(
  view: View,
  targets: readonly OutputTarget[],
  terminal: Terminal,
  style: Style,
): Promise<void> {
  const failures: unknown[] = [];
  const isWritten = ({ format }: OutputTarget): boolean =>
    format === 'ndjson' && view.rows === 'written';
  for (const target of targets) {
    const { format, file, place } = target;
    if (file === undefined || place === undefined || isWritten(target)) continue;
    const text = await renderView(view, format, createStyle(false), fileColumns);
    await writeOutputFile(place, text, view.isSecret).catch((cause: unknown) =>
      failures.push(outputFailed(file, cause)),
    );
  }
  const onStdout = targets.filter((target) => target.file === undefined);
  for (const target of onStdout.length > 0 ? onStdout : [{ format: 'table' }]) {
    if (isWritten(target)) continue;
    const text = await renderView(view, target.format, style, terminal.columns);
    if (target.format === 'table') await writeLines(terminal, text);
    // Data passes as it is: its signs, and the annotations of GitHub, which are commands of our own.
    else await terminal.stdout.write(Buffer.from(text));
  }
  if (failures.length > 0) throw failures[0];
}

async function renderView(
  view: View,
  format: string,
  style: Style,
  columns: number,
): Promise<string> {
  const versioned = { format_version: formatVersion, ...view.value };
  switch (format) {
    case 'table':
      return harmlessText(view.human(style, columns), style.level > 0);
    case 'json':
      return harmlessJson(`${JSON.stringify(versioned, null, view.oneLine ? 0 : 2)}\n`);
    case 'ndjson':
      return [...((view.rows !== 'written' && view.rows?.()) || [versioned])]
        .map((row) => harmlessJson(`${JSON.stringify(row)}\n`))
        .join('');
    case 'yaml': {
      const { stringifyYaml } = await import('../../project/write/yaml-text.ts');
      return harmlessText(stringifyYaml(versioned), false);
    }
    default: {
      const render = view.more?.[format];
      if (!render) throw new GovctlError('usage_error', `unknown format "${format}"`);
      return harmlessFormat(format, render(columns));
    }
  }
}

function harmlessFormat(format: string, text: string): string {
  if (['sarif', 'ocsf', 'asff'].includes(format)) return harmlessJson(text);
  if (format === 'junit') return harmlessXml(text);
  // It has commands of our own, and cleans the rest itself.
  return format === 'github' ? text : harmlessText(text, false);
}

async function writeOutputFile(place: string, text: string, isSecret = false): Promise<void> {
  const output = await openOutput(place, isSecret ? { mode: 0o600 } : {});
  try {
    await output.write(text);
    await output.finish();
  } finally {
    await output.close();
  }
}

/** `/dev/fd/3` is written as it stands, whatever it leads to. */
const isDevice = (place: string): boolean => /^\/(?:dev|proc)\//.test(place);

/** @throws what the file system says */
export const openOutput = (place: string, options: { mode?: number } = {}): Promise<Replacement> =>
  isDevice(place)
    ? openInPlace(place)
    : openReplacement(place, { ...options, mayWriteInPlace: true });

export const outputFailed = (file: string, cause: unknown): GovctlError =>
  new GovctlError('file_error', `${file} could not be written: ${whyFileFailed(cause)}`, {
    cause,
  });
