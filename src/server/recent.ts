/** Milliseconds after which an unused value is dropped. */
const mostIdleMs = 5 * 60_000;

interface Entry<V> {
  readonly value: V;
  /** As of its last use. */
  readonly size: number;
  readonly usedAt: number;
}

/**
 * Values that are expensive to make, by key, for as long as they are used. The least recently used are dropped when all
 * together are too large. A value is also dropped 5 minutes after its last use, as soon as another one is used: what it was
 * made of may no longer exist.
 */
export class Recent<V> {
  /** The least recently used first. */
  private readonly entries = new Map<string, Entry<V>>();
  private size = 0;

  /**
   * @param most how large all values together may be; the newest stays even if it is larger
   * @param sizeOf in any unit; a value may grow while it is used
   * @param now milliseconds
   */
  constructor(
    private readonly most: number,
    private readonly sizeOf: (value: V) => number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The value of a key, made where there is none. */
  async get(key: string, make: () => Promise<V>): Promise<V> {
    const value = this.entries.get(key)?.value ?? (await make());
    const usedAt = this.now();
    this.drop(key);
    const size = this.sizeOf(value);
    this.entries.set(key, { value, size, usedAt });
    this.size += size;
    for (const [oldest, entry] of this.entries) {
      const isIdle = usedAt - entry.usedAt > mostIdleMs;
      if (oldest === key || (!isIdle && this.size <= this.most)) break;
      this.drop(oldest);
    }
    return value;
  }

  private drop(key: string): void {
    this.size -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
  }
}
