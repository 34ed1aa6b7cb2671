/** A text as one word of a POSIX shell, whatever it holds: for commands in messages. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
