const cells = 20;

/** `[########            ]  42 %`. @param part 0 to 1 */
export function progressBar(part: number): string {
  const within = Math.min(Math.max(part, 0), 1);
  const full = Math.floor(within * cells);
  const percent = String(Math.floor(within * 100)).padStart(3);
  return `[${'#'.repeat(full)}${' '.repeat(cells - full)}] ${percent} %`;
}
