import { numbered } from './catalogue.ts';
import type { Catalogue } from './catalogue.ts';

export const iso27001: Catalogue = {
  id: 'iso27001',
  name: 'ISO27001',
  version: '2022, Annex A',
  controls: numbered({ 'A.5': 37, 'A.6': 8, 'A.7': 14, 'A.8': 34 }),
};
