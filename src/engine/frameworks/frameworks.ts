import { frameworkKey } from '../labels.ts';
import type { Catalogue } from './catalogue.ts';
import { hipaa } from './hipaa.ts';
import { iso27001 } from './iso27001.ts';
import { nist80053 } from './nist-800-53.ts';
import { pci } from './pci.ts';
import { soc2 } from './soc2.ts';

/** The built-in frameworks. */
export const catalogues: readonly Catalogue[] = [soc2, iso27001, pci, hipaa, nist80053];

/** Undefined: there is no built-in framework of this name. */
export const catalogueOf = (framework: string): Catalogue | undefined => {
  const key = frameworkKey(framework);
  return catalogues.find(({ name }) => name === key);
};

/** One ID for all spellings of a framework: `PCI-DSS` is the built-in `pci`. */
export const frameworkIdOf = (framework: string): string =>
  catalogueOf(framework)?.id ?? framework.toLowerCase();
