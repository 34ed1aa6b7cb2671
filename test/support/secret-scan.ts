import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Secrets, the places where they could be, and the only ones where they may be. */
export interface SecretScan {
  /** @param shownIn the places that show it, once */
  secret(name: string, value: unknown, ...shownIn: readonly string[]): void;
  text(place: string, text: string | Uint8Array): void;
  /** Every file below a directory. */
  files(place: string, folder: string): void;
  readonly places: readonly string[];
  readonly size: number;
  /** `SECRET in PLACE`, for each that is where it must not be. */
  found(): readonly string[];
}

export function createSecretScan(): SecretScan {
  const secrets = new Map<string, { name: string; shownIn: readonly string[] }>();
  const texts = new Map<string, string>();
  const text = (place: string, found: string | Uint8Array): void => {
    const bytes = typeof found === 'string' ? Buffer.from(found) : Buffer.from(found);
    texts.set(place, `${texts.get(place) ?? ''}\n${unpacked(bytes)}`);
  };
  return {
    secret(name, value, ...shownIn) {
      if (typeof value !== 'string' || value.length < 6) throw new Error(`${name} is no secret`);
      secrets.set(value, { name, shownIn: [...(secrets.get(value)?.shownIn ?? []), ...shownIn] });
    },
    text,
    files(place, folder) {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name);
        if (entry.isFile()) text(`${place}/${path.relative(folder, file)}`, readFileSync(file));
      }
    },
    get places() {
      return [...texts.keys()];
    },
    get size() {
      return secrets.size;
    },
    found: () =>
      [...secrets].flatMap(([value, { name, shownIn }]) => {
        const forms = formsOf(value);
        return [...texts]
          .filter(([place]) => !shownIn.includes(place))
          .filter(([, content]) => forms.some((form) => content.includes(form)))
          .map(([place]) => `${name} in ${place}`);
      }),
  };
}

/** A secret as it is, and as others may have encoded it, alone or within a longer text. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // In base64, three bytes are four characters: what is next to it decides on the first and last of them.
  const encoded = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice(Math.ceil((before * 4) / 3), -1);
  });
  return [
    ...new Set([
      secret,
      ...encoded,
      ...encoded.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
    ]),
  ];
}

/** Bytes as text, and what is compressed in them: gzip, entries of a ZIP archive, streams of a PDF. */
function unpacked(bytes: Buffer): string {
  const parts = [bytes];
  const tryTo = (read: () => Buffer): void => {
    try {
      parts.push(read());
    } catch {
      // It only looked compressed.
    }
  };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) tryTo(() => gunzipSync(bytes));
  for (
    let at = bytes.indexOf('PK\u0003\u0004');
    at >= 0;
    at = bytes.indexOf('PK\u0003\u0004', at + 4)
  ) {
    const from = at;
    tryTo(() => {
      const begin = from + 30 + bytes.readUInt16LE(from + 26) + bytes.readUInt16LE(from + 28);
      return inflateRawSync(bytes.subarray(begin), { finishFlush: 2 });
    });
  }
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 7)) {
    const from = at + 7;
    tryTo(() => inflateSync(bytes.subarray(from), { finishFlush: 2 }));
  }
  return parts.map((part) => part.toString('latin1')).join('\n');
}
