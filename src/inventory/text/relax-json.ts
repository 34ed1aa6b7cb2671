import { endOfComment } from './scan-json.ts';

/** Control characters that Azure's tools take in a text, and their escapes. */
const escapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Strict JSON of a text in the relaxed dialect: comments and last commas go, line breaks in texts are escaped. */
export function relaxJson(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  const replace = (start: number, end: number, by: string): void => {
    pieces.push(text.slice(kept, start), by);
    kept = end;
  };
  let comma: number | undefined;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const commentEnd = char === '/' ? endOfComment(text, at) : undefined;
    if (commentEnd !== undefined) {
      replace(at, commentEnd, ' ');
      at = commentEnd;
    } else if (char === '"') {
      comma = undefined;
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
        if (text[at] === '\\') at += 1;
        const escape = escapes.get(text.charAt(at));
        if (escape) replace(at, at + 1, escape);
      }
      at += 1;
    } else {
      if (char === ',') comma = pieces.push(text.slice(kept, at), ',') - 1;
      if (char === ',') kept = at + 1;
      else if ((char === '}' || char === ']') && comma !== undefined) pieces[comma] = ' ';
      if (char.trim() !== '' && char !== ',') comma = undefined;
      at += 1;
    }
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}
