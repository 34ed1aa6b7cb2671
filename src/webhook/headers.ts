/** Headers as `fetch`, Node (`request.headers`) and most frameworks give them; names in any case. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/** Values by lower-case name. A header that came twice has two. */
export type HeaderValues = ReadonlyMap<string, readonly string[]>;

/** Whatever is given: what is no header is left out. */
export function readHeaders(given: WebhookHeaders): HeaderValues {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairsOf(given)) {
    if (typeof name !== 'string') continue;
    const key = name.toLowerCase();
    const texts = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
      (text) => typeof text === 'string',
    );
    if (texts.length > 0) values.set(key, [...(values.get(key) ?? []), ...texts]);
  }
  return values;
}

function* pairsOf(given: unknown): Generator<readonly [unknown, unknown]> {
  if (typeof given !== 'object' || given === null) return;
  if (!(Symbol.iterator in given)) {
    yield* Object.entries(given);
    return;
  }
  for (const pair of given as Iterable<unknown>) {
    if (Array.isArray(pair)) yield [pair[0], pair[1]];
  }
}
