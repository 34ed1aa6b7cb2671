/**
 * Characters of a text that act where it is shown: control characters except tab and line feed, line and paragraph
 * separators, and those that turn the direction of what follows.
 */
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A text with `replace` of each character that acts. */
export const replaceActing = (text: string, replace: (one: string) => string): string =>
  text.replace(acting, replace);

/** `\u009b`, as JSON and double-quoted YAML write a character. */
export const escaped = (one: string): string =>
  `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * `##[set-env …]`, `##vso[…]`, `##teamcity[…]`: programs that run CI jobs obey these anywhere in a line of a log. The
 * match is the second `#`.
 */
const bracketCommand = /(?<=#)#(?=[A-Za-z.]*\[)/g;

/** The same for these commands: `replace` gets their second `#`. */
export const replaceCommands = (text: string, replace: (one: string) => string): string =>
  text.includes('##') ? text.replace(bracketCommand, replace) : text;

/**
 * `::set-env …` at the start of a line, which GitHub Actions obeys; blanks before it make no difference, and a colour may
 * be taken out before that. The first group is what stands before the first `:`.
 */
export const lineCommand = /^((?:[^\S\n]|\u001b\[\d+m)*):(?=:)/gm;

/** Whether any of these is in a text. */
export const isHarmless = (text: string): boolean =>
  text.search(acting) < 0 && text.search(bracketCommand) < 0 && text.search(lineCommand) < 0;
