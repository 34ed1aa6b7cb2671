/** Longer texts are rarely seen twice. */
const longest = 512;
const most = 10_000;

/** What texts are read as: those that repeat are read once. Bounded. */
export class Memo<T extends object | string> {
  private readonly known = new Map<string, T>();
  private last: { readonly text: string; readonly made: T } | undefined;

  constructor(private readonly read: (text: string) => T) {}

  of(text: string): T {
    // Rows that follow each other mostly have the same.
    if (this.last?.text === text) return this.last.made;
    const made = this.known.get(text) ?? this.make(text);
    this.last = { text, made };
    return made;
  }

  private make(text: string): T {
    const made = this.read(text);
    if (text.length > longest) return made;
    if (this.known.size >= most) this.known.clear();
    this.known.set(text, made);
    return made;
  }
}
