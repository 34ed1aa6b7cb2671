import type { Normaliser } from '../normaliser.ts';
import { kendraIndex } from './search/kendra-index.ts';
import { searchDomain } from './search/search-domain.ts';

export const search: readonly Normaliser[] = [kendraIndex, searchDomain];
