import type { Reader } from './model.ts';

/** Every format. The first that detects a document reads it. */
export const readers: readonly Reader[] = [];
