/** Kept as they are in a parameter of RFC 8187; all else is percent-encoded. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A Content-Disposition that saves under this name, with a plain one for whoever reads ASCII only (RFC 6266). */
export function attachment(filename: string): string {
  // Half of a character becomes a replacement character: it could not be encoded.
  const name = Buffer.from(filename).toString();
  const [ending = ''] = /(?:\.[A-Za-z0-9]{1,8}){0,2}$/.exec(name) ?? [];
  const stem = name
    .slice(0, name.length - ending.length)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._-]+|[._-]+$/g, '');
  const plain = (stem || 'report') + ending;
  const simple = `attachment; filename="${plain}"`;
  return plain === name ? simple : `${simple}; filename*=UTF-8''${encodeExtended(name)}`;
}
