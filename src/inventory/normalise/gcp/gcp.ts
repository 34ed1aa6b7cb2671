import type { Normaliser } from '../normaliser.ts';

export const gcp: readonly Normaliser[] = [];
