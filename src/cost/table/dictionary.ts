/** The texts of a column, each once; a row has its code. The absent text is code 0: a column without texts is all zeros. */
export class Dictionary {
  private readonly codes = new Map<string, number>([['', 0]]);
  private readonly list: string[] = [''];
  /** Of all texts. */
  characters = 0;
  private last = '';
  private lastCode = 0;

  get texts(): readonly string[] {
    return this.list;
  }

  /** The code of a text, which is added where it is new. */
  code(text: string): number {
    // Rows that follow each other mostly have the same.
    if (text === this.last) return this.lastCode;
    let code = this.codes.get(text);
    if (code === undefined) {
      code = this.list.push(text) - 1;
      this.codes.set(text, code);
      this.characters += text.length;
    }
    this.last = text;
    this.lastCode = code;
    return code;
  }

  /** The rank of each code in the order of the texts. */
  ranks(): Uint32Array {
    const { list } = this;
    const order = Array.from(list, (_, code) => code);
    // No two texts are the same.
    order.sort((a, b) => ((list[a] ?? '') < (list[b] ?? '') ? -1 : 1));
    const ranks = new Uint32Array(list.length);
    for (const [rank, code] of order.entries()) ranks[code] = rank;
    return ranks;
  }
}
