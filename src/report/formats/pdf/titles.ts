import type { Section } from '../../model.ts';

/** `contents`: it is written, and named in the contents; `page`: only written, as the section has the same; `above`: so has what is right above. */
export type TitlePlace = 'contents' | 'page' | 'above';

/** Where the title of a block of a section is to be read. */
export function titlePlaceOf({ title, blocks }: Section, at: number): TitlePlace {
  let above = title;
  for (const [n, block] of blocks.entries()) {
    const own = block.kind === 'heading' ? block.text : 'title' in block ? block.title : above;
    if (n === at) return own === above ? 'above' : own === title ? 'page' : 'contents';
    above = own;
  }
  return 'above';
}
