export declare const columns: readonly string[];
export declare function focusRows(part: {
  readonly from: number;
  readonly to: number;
  readonly month: string;
  readonly resources?: number;
  readonly every?: number;
}): Generator<string>;
