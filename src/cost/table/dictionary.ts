/** The texts of a column, each once; a row has its code. */
export class Dictionary {
  private readonly codes = new Map<string, number>();
  private readonly list: string[] = [];
  private lastText = '';
  private lastCode = -1;

  get texts(): readonly string[] {
    return this.list;
  }

  /** The code of a text, which is added where it is new. */
  code(text: string): number {
    // Most rows have the same as the one before.
    if (text === this.lastText && this.lastCode >= 0) return this.lastCode;
    let code = this.codes.get(text);
    if (code === undefined) {
      code = this.list.push(text) - 1;
      this.codes.set(text, code);
    }
    this.lastText = text;
    this.lastCode = code;
    return code;
  }
}
