import type { Normaliser } from '../normaliser.ts';

export const azure: readonly Normaliser[] = [];
