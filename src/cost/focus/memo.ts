/** Longer texts are rarely seen twice. */
const longest = 512;
const most = 10_000;

/** What texts are read as: those that repeat are read once. Bounded. */
export class Memo<T extends object | string> {
  private readonly known = new Map<string, T>();

  constructor(private readonly read: (text: string) => T) {}

  of(text: string): T {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const made = this.read(text);
    if (text.length > longest) return made;
    if (this.known.size >= most) this.known.clear();
    this.known.set(text, made);
    return made;
  }
}
