/** As `Fn::Cidr`: so many blocks of `32 - bits` within an IPv4 block, from its start. Undefined where that can't be. */
export function cidrBlocks(block: string, count: number, bits: number): string[] | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(block);
  if (!parts) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = parts.slice(1).map(Number);
  const size = 2 ** bits;
  const fits =
    Math.max(a, b, c, d) <= 255 &&
    Number.isInteger(count) &&
    Number.isInteger(bits) &&
    count >= 1 &&
    count <= 256 &&
    bits >= 1 &&
    prefix + bits <= 32 &&
    count * size <= 2 ** (32 - prefix);
  if (!fits) return undefined;
  const whole = 2 ** (32 - prefix);
  const start = Math.floor((((a * 256 + b) * 256 + c) * 256 + d) / whole) * whole;
  return Array.from(
    { length: count },
    (_, index) => `${dotted(start + index * size)}/${32 - bits}`,
  );
}

const dotted = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
