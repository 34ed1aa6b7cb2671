import { numbered } from './catalogue.ts';
import type { Catalogue } from './catalogue.ts';
import { iso27001Titles } from './titles/iso27001.ts';

export const iso27001: Catalogue = {
  id: 'iso27001',
  name: 'ISO27001',
  version: '2022, Annex A',
  controls: numbered({ 'A.5': 37, 'A.6': 8, 'A.7': 14, 'A.8': 34 }),
  titles: iso27001Titles,
};
