import type { Normaliser } from '../normaliser.ts';

export const database: readonly Normaliser[] = [];
