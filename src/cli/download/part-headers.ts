/** Of an answer; names in any case. */
export interface PartHeaders {
  get(name: string): string | null;
}

/** One that says that two files are the same byte by byte. */
export function strongTag(headers: PartHeaders): string | undefined {
  const tag = headers.get('etag')?.trim() ?? '';
  return /^"[\x21\x23-\x7e]*"$/.test(tag) ? tag : undefined;
}

/** `bytes 100-199/200`; the total is not always told. */
export function contentRange(
  headers: PartHeaders,
): { readonly from: number; readonly total: number | undefined } | undefined {
  const [, from, total = ''] =
    /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/i.exec(headers.get('content-range') ?? '') ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), total: total === '*' ? undefined : Number(total) };
}

export function wholeLength(headers: PartHeaders): number | undefined {
  const length = headers.get('content-length') ?? '';
  // Of what is compressed it says nothing of the file.
  const isPlain = /^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  return isPlain && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** The SHA-256 of the whole file, in lower-case hex, as an answer says it in one of three ways. */
export function answeredHash(headers: PartHeaders): string | undefined {
  const hex = headers.get('x-content-sha256')?.trim().toLowerCase() ?? '';
  if (/^[0-9a-f]{64}$/.test(hex)) return hex;
  const digests = `${headers.get('digest') ?? ''},${headers.get('repr-digest') ?? ''}`;
  const [, base64] = /(?:^|[,\s])sha-256=:?([A-Za-z0-9+/]{43}=)/i.exec(digests) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('hex');
}
