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
        message: 'the name of a field must be text, not a list or a map',
        hint: 'Put it in quotes.',
      };
    case 'BAD_ALIAS':
      return {
        code: 'alias',
        message: `the alias cannot be used: ${lowerFirst(error.message)}`,
        hint: 'Define the anchor (&name) earlier in the same document; quote the text if it only begins with *.',
      };
    default:
      return explainSyntax(error.message);
  }
}

const tab: YamlExplanation = {
  code: 'tab',
  message: 'a tab cannot indent YAML',
  hint: 'Use spaces: two a level.',
};

const quoteIt = 'Put the whole text in quotes, or into a block (|) of its own lines.';

/** The library's words, ours, and what to do. */
const sayings: readonly [pattern: RegExp, message: string, hint: string][] = [
  [
    /^Nested mappings are not allowed/,
    'this text holds a second "name: value", on its line or on the next',
    'Put the text in quotes where the colon belongs to it; else check the indentation of the next line.',
  ],
  [
    /^Implicit (map )?keys need|^Implicit keys of flow/,
    'this line is no "name: value"',
    'Look for a missing colon, or a line that is indented unlike the others.',
  ],
  [
    /^Flow sequence .* end with a ]/,
    'the list that was opened with [ is not closed before this',
    'Close it with ].',
  ],
  [
    /^Flow map .* end with a }/,
    'the map that was opened with { is not closed before this',
    'Close it with }.',
  ],
  [
    /without - indicator|must start at the same column/,
    'this line is indented unlike the ones it belongs to',
    'Start the fields of one map, and the items of one list, in the same column.',
  ],
  [/at node end/, 'text goes on where the value has ended', quoteIt],
  [/^Missing closing/, 'the quote is never closed', 'Close it; double a single quote inside one.'],
  [
    /^Invalid escape sequence/,
    'this escape does not exist in double quotes',
    'Write \\\\ for a backslash, or use single quotes, where it stands for itself.',
  ],
  [/^Plain value cannot start with/, 'a text cannot begin with this character', quoteIt],
  [/^Missing , /, 'a comma is missing between two items', 'Put a comma between them.'],
  [
    /^Block scalar|^Block collection/,
    'the block is indented wrongly',
    'Indent it two blanks more.',
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
