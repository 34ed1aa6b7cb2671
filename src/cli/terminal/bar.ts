/** `[######....]`. @param part 0 to 1 @param cells between the brackets */
export function bar(part: number, cells: number): string {
  const full = Math.floor(Math.min(Math.max(part, 0), 1) * cells);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`;
}
