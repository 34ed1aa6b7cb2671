import {
  escaped,
  lineCommand,
  replaceActing,
  replaceCommands,
} from '../../contract/control-characters.ts';
import type { Prompter } from './prompt.ts';
import type { Terminal } from './terminal.ts';

/*
 * What a server, a file or a name says may be written by somebody who wants a terminal, or the program that runs a CI
 * job, to obey it. Views clean the fields they lay out; what leaves the program passes one of these functions, whichever
 * view it is of, so that a field that a view forgot does no harm.
 */

/** The codes of `createStyle`. */
const ownColour = /\u001b\[(?:[123]m|22m|3[0-9]m)/g;

const replacement = '\ufffd';

/**
 * Text for people. @param colour whether it may have our own colours
 */
export function harmlessText(text: string, colour: boolean): string {
  const lines = text.replaceAll('\r\n', '\n');
  const plain = colour ? keepingColours(lines) : replaceActing(lines, () => replacement);
  return replaceCommands(plain, () => ' #').replace(lineCommand, '$1: ');
}

function keepingColours(text: string): string {
  let clean = '';
  let from = 0;
  for (const { 0: code, index } of text.matchAll(ownColour)) {
    clean += replaceActing(text.slice(from, index), () => replacement) + code;
    from = index + code.length;
  }
  return clean + replaceActing(text.slice(from), () => replacement);
}

/**
 * JSON with the same meaning: such characters stand in strings only, where an escape can take their place. A carriage
 * return stands between values.
 */
export const harmlessJson = (json: string): string =>
  replaceCommands(replaceActing(json.replace(/\r\n?/g, '\n'), escaped), escaped);

/** XML with the same meaning; what XML can't hold was replaced before. */
export const harmlessXml = (xml: string): string =>
  replaceCommands(xml, () => '&#35;').replace(lineCommand, '$1&#58;');

/** A terminal that gets harmless text only. Bytes are data, or our own control sequences, and pass as they are. */
export function guardTerminal(
  terminal: Terminal,
  colour: { readonly stdout: boolean; readonly stderr: boolean },
): Terminal {
  const guard = (name: 'stdout' | 'stderr'): Terminal['stdout'] => ({
    get isClosed() {
      return terminal[name].isClosed === true;
    },
    write: (data) =>
      terminal[name].write(typeof data === 'string' ? harmlessText(data, colour[name]) : data),
  });
  return { ...terminal, stdout: guard('stdout'), stderr: guard('stderr') };
}

/** Questions that are harmless text. */
export function guardPrompter(prompter: Prompter): Prompter {
  const clean = (message: string): string => harmlessText(message, false);
  return {
    confirm: (message, preset) => prompter.confirm(clean(message), preset),
    input: (message, preset) => prompter.input(clean(message), preset),
    secret: (message) => prompter.secret(clean(message)),
    select: (message, choices) => prompter.select(clean(message), choices),
  };
}
