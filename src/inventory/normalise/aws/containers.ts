import type { Normaliser } from '../normaliser.ts';

export const containers: readonly Normaliser[] = [];
