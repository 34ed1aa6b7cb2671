import type { Normaliser } from '../normaliser.ts';

export const compute: readonly Normaliser[] = [];
