/** Puts values where a text says `{{name}}`, with or without blanks within. Braces around anything else stay as they are. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole: string, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
