import type { Normaliser } from '../normaliser.ts';

export const logging: readonly Normaliser[] = [];
