import type { Normaliser } from '../normaliser.ts';

export const serverless: readonly Normaliser[] = [];
