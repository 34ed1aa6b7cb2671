import type { Normaliser } from '../normaliser.ts';

export const analytics: readonly Normaliser[] = [];
