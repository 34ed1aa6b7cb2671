import type { Inventory } from '../../../../src/inventory/read.ts';
import { readInventory } from '../../../../src/inventory/read.ts';

/** The inventory of a template that can be read. */
export function readTemplate(
  text: string,
  parameters: Readonly<Record<string, string>> = {},
): Inventory {
  const read = readInventory(text, { parameters });
  if (!read.ok) throw new Error(JSON.stringify(read.problem));
  return read.inventory;
}
