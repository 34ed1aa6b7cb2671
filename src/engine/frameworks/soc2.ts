import { numbered } from './catalogue.ts';
import type { Catalogue } from './catalogue.ts';
import { soc2Titles } from './titles/soc2.ts';

const common = { CC1: 5, CC2: 3, CC3: 4, CC4: 2, CC5: 3, CC6: 8, CC7: 5, CC8: 1, CC9: 2 };
const privacy = { P1: 1, P2: 1, P3: 2, P4: 3, P5: 2, P6: 7, P7: 1, P8: 1 };

export const soc2: Catalogue = {
  id: 'soc2',
  name: 'SOC2',
  version: '2017, points of focus of 2022',
  controls: numbered({ ...common, A1: 3, C1: 2, PI1: 5, ...privacy }),
  titles: soc2Titles,
};
