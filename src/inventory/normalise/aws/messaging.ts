import type { Normaliser } from '../normaliser.ts';

export const messaging: readonly Normaliser[] = [];
