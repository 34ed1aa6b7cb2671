import type { Normaliser } from '../normaliser.ts';

export const storage: readonly Normaliser[] = [];
