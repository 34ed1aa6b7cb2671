/** The texts of a column, each once; a row has its code. */
export class Dictionary {
  private readonly codes = new Map<string, number>();
  private readonly list: string[] = [];

  get texts(): readonly string[] {
    return this.list;
  }

  /** The code of a text, which is added where it is new. */
  code(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.list.push(text) - 1;
    this.codes.set(text, code);
    return code;
  }
}
