import type { Normaliser } from '../normaliser.ts';

export const search: readonly Normaliser[] = [];
