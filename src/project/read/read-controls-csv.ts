import type { DefinedControl } from '../../contract/frameworks.ts';
import { mostControls } from '../../contract/frameworks.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { invalidInput } from './imported.ts';
import type { Imported } from './imported.ts';

const columns = ['id', 'title', 'description', 'parent'] as const;
type Column = (typeof columns)[number];

/**
 * Controls from a table (RFC 4180) whose first line names its columns: id, title and, where they are there, description
 * and parent.
 * @throws GovctlError invalid_file with the line
 */
export function readControlsCsv(file: string, text: string): Imported {
  const rows = readRows(file, text);
  const head = rows.next().value;
  if (!head) throw invalidInput(file, 'the file is empty');
  const names = head.cells.map((name) => name.trim().toLowerCase());
  refuseColumns(`${file}:1`, names);
  const controls: DefinedControl[] = [];
  const lines = new Map<DefinedControl, number>();
  for (const { line, cells } of rows) {
    if (cells.length === 1 && cells[0] === '') continue;
    const place = `${file}:${line}`;
    if (cells.length !== names.length) {
      const has = `the line has ${cells.length} of ${names.length} columns`;
      throw invalidInput(place, has, 'Quote values that contain commas.');
    }
    const cell = (column: Column): string => cells[names.indexOf(column)]?.trim() ?? '';
    for (const column of ['id', 'title'] as const) {
      if (cell(column) === '') throw invalidInput(place, `the column ${column} is empty`);
    }
    const [description, parent] = [cell('description'), cell('parent')];
    const control = {
      id: cell('id'),
      title: cell('title'),
      ...(description === '' ? {} : { description }),
      ...(parent === '' ? {} : { parent }),
    };
    controls.push(control);
    lines.set(control, line);
    if (controls.length > mostControls) {
      throw invalidInput(place, `the file contains more than ${inThrees(mostControls)} controls`);
    }
  }
  if (controls.length === 0)
    throw invalidInput(file, 'the file contains no controls below the header');
  return { controls, lines };
}

/** @throws GovctlError invalid_file */
function refuseColumns(place: string, names: readonly string[]): void {
  const isColumn = (name: string): name is Column => columns.some((one) => one === name);
  const hint = `Start the file with the column names: ${columns.join(',')}.`;
  for (const [at, name] of names.entries()) {
    if (!isColumn(name)) {
      const near = nearestWord(name, columns);
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      throw invalidInput(place, `unknown column ${JSON.stringify(name.slice(0, 60))}${meant}`, hint); // prettier-ignore
    }
    if (names.indexOf(name) !== at) throw invalidInput(place, `duplicate column ${name}`);
  }
  for (const name of ['id', 'title'] as const) {
    if (!names.includes(name)) throw invalidInput(place, `missing column ${name}`, hint);
  }
}

interface Row {
  /** Where it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** @throws GovctlError invalid_file for a quote that is not closed, or stands within a value */
function* readRows(file: string, given: string): Generator<Row, undefined> {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  let [at, line] = [0, 1];
  while (at < text.length) {
    const row = { line, cells: [] as string[] };
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(file, text, at, line) : plainCell(text, at);
      row.cells.push(cell.value);
      line += cell.breaks;
      at = cell.end;
      const next = text[at];
      if (next === ',') {
        at += 1;
        continue;
      }
      if (next !== undefined && next !== '\r' && next !== '\n') {
        throw invalidInput(`${file}:${line}`, 'text follows the end of a quoted value');
      }
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
      break;
    }
    yield row;
  }
  return undefined;
}

interface Cell {
  readonly value: string;
  readonly end: number;
  /** Line breaks in it. */
  readonly breaks: number;
}

const separator = /[,\r\n]/g;

function plainCell(text: string, start: number): Cell {
  separator.lastIndex = start;
  const end = separator.exec(text)?.index ?? text.length;
  return { value: text.slice(start, end), end, breaks: 0 };
}

function quotedCell(file: string, text: string, start: number, line: number): Cell {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) throw invalidInput(`${file}:${line}`, 'the closing quote for this quote is missing');
  const value = text.slice(start + 1, end).replaceAll('""', '"');
  return { value, end: end + 1, breaks: value.split('\n').length - 1 };
}
