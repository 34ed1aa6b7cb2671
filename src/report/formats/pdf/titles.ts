import type { Section } from '../../model.ts';

/** Whether a block of a section has a title to be written: not where the title right above says the same. */
export function hasOwnTitle({ title, blocks }: Section, at: number): boolean {
  let above = title;
  for (const [n, block] of blocks.entries()) {
    const own = block.kind === 'heading' ? block.text : 'title' in block ? block.title : above;
    if (n === at) return own !== above;
    above = own;
  }
  return false;
}
