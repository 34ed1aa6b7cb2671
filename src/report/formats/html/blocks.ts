import type { Block, Chart, Figures, Notice, Table } from '../../model.ts';
import { toneWords } from '../tones.ts';
import { escapeText, proseHtml } from './escape.ts';

/** A block that is small. Charts and tables have files of their own. */
export function blockHtml(block: Exclude<Block, Table | Chart>): string {
  switch (block.kind) {
    case 'heading':
      return `<h3>${escapeText(block.text)}</h3>\n`;
    case 'paragraph':
      return `<p>${proseHtml(block.text)}</p>\n`;
    case 'notice':
      return noticeHtml(block);
    case 'figures':
      return figuresHtml(block.items);
  }
}

export const noticeHtml = ({ tone, text }: Pick<Notice, 'tone' | 'text'>): string =>
  `<p class="notice ${tone}"><strong>${toneWords[tone]}:</strong> <span>${proseHtml(text)}</span></p>\n`;

const signs = { good: '✓', bad: '✕', warn: '!', neutral: '' } as const;

export function figuresHtml(items: Figures['items']): string {
  const shown = items.map(({ label, value, tone, note }) => {
    const sign =
      tone === undefined || tone === 'neutral'
        ? ''
        : `<span class="sign" aria-hidden="true">${signs[tone]}</span><span class="unseen">${toneWords[tone]}: </span>`;
    const figure = `<dd class="value${tone ? ` ${tone}` : ''}">${sign}${escapeText(value)}</dd>`;
    const below = note === undefined ? '' : `<dd class="note">${proseHtml(note)}</dd>`;
    return `<div><dt>${escapeText(label)}</dt>${figure}${below}</div>`;
  });
  return `<dl class="figures">${shown.join('')}</dl>\n`;
}
