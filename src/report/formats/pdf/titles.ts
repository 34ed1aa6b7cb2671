import type { Section } from '../../model.ts';

/**
 * Where a title is written. `contents`: on the page and in the contents. `page`: only on the page, as the section has the
 * same title. `above`: not at all, as the heading right above has the same title.
 */
export type TitlePlace = 'contents' | 'page' | 'above';

/** Where to write the title of a block. */
export function titlePlaceOf({ title, blocks }: Section, at: number): TitlePlace {
  let above = title;
  for (const [n, block] of blocks.entries()) {
    const own = block.kind === 'heading' ? block.text : 'title' in block ? block.title : above;
    if (n === at) return own === above ? 'above' : own === title ? 'page' : 'contents';
    above = own;
  }
  return 'above';
}
