import type { Resource } from '../../contract/resources.ts';
import type { InputProblem } from '../model.ts';
import { locateInJson } from '../text/locate-json.ts';
import { parseText } from '../text/parse.ts';
import { asResource, explainResource } from './read-native.ts';

export type LineRead =
  | { readonly ok: true; readonly resource: Resource }
  | { readonly ok: false; readonly problem: InputProblem };

/** Reads one line of JSON lines as a resource. A problem's column is in the line; its line is the caller's to count. */
export function readResourceLine(line: string): LineRead {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const parse = parseText(line);
    const { message, column = 1 } = parse.ok ? { message: 'this line is no JSON' } : parse.problem;
    return { ok: false, problem: { message, column } };
  }
  const resource = asResource(value);
  if (resource) return { ok: true, resource };
  const [problem] = explainResource(value);
  const [offset = 0] = locateInJson(line, [problem?.at ?? []]);
  return {
    ok: false,
    problem: { message: problem?.message ?? 'this is no resource', column: offset + 1 },
  };
}
