import { add, mostQuantityDigits, parseAmount, putLanes, subtract, zero } from '../amount.ts';
import type { Amount } from '../amount.ts';
import { firstOf } from '../read/cells.ts';
import type { Cells } from '../read/cells.ts';
import { measures } from '../table/rows.ts';
import type { EffectiveRule } from './effective-cost.ts';
import type { Measure } from './record.ts';

/** What is wrong with a field. */
export interface Fault {
  readonly field: number;
  readonly message: string;
}

/** Where the lanes of each measure begin. */
const [billedLane = 0, effectiveLane = 0, listLane = 0, quantityLane = 0] = (
  ['billed', 'effective', 'list', 'quantity'] satisfies Measure[]
).map((measure) => 3 * measures.indexOf(measure));

interface Options {
  /** Of several, the first that has an amount counts. */
  readonly fields: Readonly<Record<Measure | 'category', readonly number[]>>;
  readonly effectiveBy: ReadonlyMap<string, EffectiveRule> | undefined;
}

/** Reads the amounts of rows into lanes, as doing it without objects takes less time. */
export class AmountReader {
  /** Of each measure, in the order of the file: units, nanos, attos. */
  readonly lanes = new Float64Array(3 * measures.length);
  /** Amounts with more than 18 digits after the point. */
  rounded = 0;

  constructor(private readonly options: Options) {}

  /** @returns what can't be read */
  read(row: Cells): Fault | undefined {
    const { lanes } = this;
    const { fields } = this.options;
    const billed = this.readFirst(row, fields.billed, billedLane);
    if (typeof billed === 'object') return billed;
    if (!billed) return { field: fields.billed[0] ?? 0, message: 'is empty' };
    const effective = this.readEffective(row);
    if (typeof effective === 'object') return effective;
    if (!effective) lanes.copyWithin(effectiveLane, billedLane, billedLane + 3);
    const list = this.readFirst(row, fields.list, listLane);
    if (typeof list === 'object') return list;
    if (!list) lanes.copyWithin(listLane, effectiveLane, effectiveLane + 3);
    const quantity = this.readFirst(row, fields.quantity, quantityLane, mostQuantityDigits);
    if (typeof quantity === 'object') return quantity;
    if (!quantity) lanes.fill(0, quantityLane, quantityLane + 3);
    return undefined;
  }

  /** @returns whether the row has an effective cost of its own */
  private readEffective(row: Cells): boolean | Fault {
    const { fields, effectiveBy } = this.options;
    if (!effectiveBy) return this.readFirst(row, fields.effective, effectiveLane);
    const rule = effectiveBy.get(firstOf(row, fields.category).text.toLowerCase());
    if (!rule || (rule.where && firstOf(row, rule.where).isEmpty)) return false;
    let sum = zero;
    for (const field of rule.add) {
      const amount = this.amountOf(row, field);
      if ('message' in amount) return amount;
      sum = add(sum, amount);
    }
    for (const field of rule.subtract) {
      const amount = this.amountOf(row, field);
      if ('message' in amount) return amount;
      sum = subtract(sum, amount);
    }
    putLanes(this.lanes, effectiveLane, sum);
    return true;
  }

  /** The amount of a field; without one, 0. */
  private amountOf(row: Cells, field: number): Amount | Fault {
    const found = this.readFirst(row, [field], effectiveLane);
    if (typeof found === 'object') return found;
    if (!found) return zero;
    const [units = 0, nanos = 0, attos = 0] = this.lanes.subarray(effectiveLane);
    return { units, nanos, attos };
  }

  /** Reads the amount of the first of some fields that has one. @returns whether there is one */
  private readFirst(
    row: Cells,
    fields: readonly number[],
    lane: number,
    mostDigits?: number,
  ): boolean | Fault {
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at] ?? 0;
      if (row.amount?.(field, this.lanes, lane) === true) return true;
      const value = row.value(field);
      if (value.isEmpty) continue;
      const amount = parseAmount(value.text, mostDigits);
      if (typeof amount === 'string') return { field, message: amount };
      if (amount.isRounded) this.rounded += 1;
      putLanes(this.lanes, lane, amount);
      return true;
    }
    return false;
  }
}
