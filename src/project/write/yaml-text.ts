import { Document, visit } from 'yaml';
import {
  escaped,
  isHarmless,
  replaceActing,
  replaceCommands,
} from '../../contract/control-characters.ts';

/** Never reached: a string that is quoted stays on one line. */
const anyLength = Number.MAX_SAFE_INTEGER;

/** A value as YAML. A string that could act where the text is shown is quoted on one line, with escapes. */
export function stringifyYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  let acts = false;
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value !== 'string' || isHarmless(scalar.value)) return;
      scalar.type = 'QUOTE_DOUBLE';
      acts = true;
    },
  });
  if (!acts) return document.toString({ lineWidth: 0 });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: anyLength });
  return replaceCommands(replaceActing(text, escaped), escaped);
}
