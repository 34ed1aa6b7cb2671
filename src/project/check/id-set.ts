/**
 * A set of 64-bit hashes with open addressing (linear probing, a quarter to half full): 16 to 32 bytes for each id,
 * whatever its length. Two ids of a million share a hash with a probability of 3 in 100 million.
 */
interface IdSet {
  /** False where the hash was there before. */
  add(high: number, low: number): boolean;
}

export function createIdSet(): IdSet {
  let slots = new Uint32Array(2 * 1024);
  let size = 0;

  const insert = (into: Uint32Array, high: number, low: number): boolean => {
    const mask = into.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const there = into[2 * at] ?? 0;
      const below = into[2 * at + 1] ?? 0;
      if (there === high && below === low) return false;
      if (there !== 0 || below !== 0) continue;
      into[2 * at] = high;
      into[2 * at + 1] = low;
      return true;
    }
  };

  const grow = (): void => {
    const larger = new Uint32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at += 2) {
      const high = slots[at] ?? 0;
      const low = slots[at + 1] ?? 0;
      if (high !== 0 || low !== 0) insert(larger, high, low);
    }
    slots = larger;
  };

  return {
    add(high, low) {
      // An empty slot is two zeros, so that no hash may be.
      if (!insert(slots, high, low === 0 && high === 0 ? 1 : low)) return false;
      size++;
      if (size * 4 > slots.length) grow();
      return true;
    },
  };
}

/** Two 32-bit halves of a hash of an id's UTF-16 code units: two lanes of multiply and xor, mixed at the end as in MurmurHash3. */
export function hashId(id: string): readonly [high: number, low: number] {
  let high = 0xdeadbeef ^ id.length;
  let low = 0x41c6ce57 ^ id.length;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return [high >>> 0, low >>> 0];
}
