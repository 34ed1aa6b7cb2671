import type { YAMLError } from 'yaml';

/** What is wrong, and what to do. */
interface YamlExplanation {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A YAML error in words that need no knowledge of the YAML specification. */
export function explainYamlError(error: YAMLError): YamlExplanation {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return tab;
    case 'NON_STRING_KEY':
      return {
        code: 'field-name',
        message: 'the name of a field must be a string, not a list or a map',
        hint: 'Quote it.',
      };
    case 'BAD_ALIAS':
      return {
        code: 'alias',
        message: `the alias cannot be used: ${lowerFirst(error.message)}`,
        hint: 'Define the anchor (&name) earlier in the same document, or quote a string that starts with *.',
      };
    default:
      return explainSyntax(error.message);
  }
}

const tab: YamlExplanation = {
  code: 'tab',
  message: 'YAML must not be indented with tabs',
  hint: 'Use two spaces per level.',
};

const quoteIt = 'Quote the whole string, or use a block (|).';

/** The library's words, ours, and what to do. */
const sayings: readonly [pattern: RegExp, message: string, hint: string][] = [
  [
    /^Nested mappings are not allowed/,
    'this string contains a second "name: value", on the same or the next line',
    'Quote the string if the colon belongs to it; otherwise check the indentation of the next line.',
  ],
  [
    /^Implicit (map )?keys need|^Implicit keys of flow/,
    'this line is not a "name: value" pair',
    'Look for a missing colon or inconsistent indentation.',
  ],
  [
    /^Flow sequence .* end with a ]/,
    'the list that starts with [ is not closed before this point',
    'Close it with ].',
  ],
  [
    /^Flow map .* end with a }/,
    'the map that starts with { is not closed before this point',
    'Close it with }.',
  ],
  [
    /without - indicator|must start at the same column/,
    'this line has inconsistent indentation',
    'Start the fields of one map, and the items of one list, in the same column.',
  ],
  [/at node end/, 'there is text after the end of the value', quoteIt],
  [
    /^Missing closing/,
    'the quote is not closed',
    'Close it; write a single quote inside single quotes twice.',
  ],
  [
    /^Invalid escape sequence/,
    'this is not a valid escape in double quotes',
    'Write \\\\ for a backslash, or use single quotes, which have no escapes.',
  ],
  [/^Plain value cannot start with/, 'a string cannot start with this character', quoteIt],
  [/^Missing , /, 'a comma is missing between two items', 'Put a comma between them.'],
  [
    /^Block scalar|^Block collection/,
    'the block has wrong indentation',
    'Indent it by two more spaces.',
  ],
];

function explainSyntax(message: string): YamlExplanation {
  if (/\btab/i.test(message)) return tab;
  for (const [pattern, saying, hint] of sayings) {
    if (pattern.test(message)) return { code: 'syntax', message: saying, hint };
  }
  return {
    code: 'syntax',
    message: lowerFirst(message),
    hint: 'Check quotes, brackets and indentation around here.',
  };
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
