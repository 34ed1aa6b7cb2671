/**
 * A text without any of a character at its end. In proportion to its length: `/x+$/` looks for the end of every run of
 * them from each place in it.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
