import type { Normaliser } from '../normaliser.ts';

export const identity: readonly Normaliser[] = [];
