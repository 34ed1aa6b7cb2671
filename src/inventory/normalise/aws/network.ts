import type { Normaliser } from '../normaliser.ts';

export const network: readonly Normaliser[] = [];
