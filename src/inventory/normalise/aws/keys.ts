import type { Normaliser } from '../normaliser.ts';

export const keys: readonly Normaliser[] = [];
