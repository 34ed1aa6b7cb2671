/** How much of something is used: `[######....]`, full from 1 on. @param part 0 to 1 @param cells between the brackets */
export function gauge(part: number, cells: number): string {
  const full = Math.floor(Math.min(Math.max(part, 0), 1) * cells);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`;
}
