export { noteUnused } from './note.ts';
export { claimsOfUnused, selectUnused, showUnused, sumOfUnused, unusedNow } from './now.ts';
export type { UnusedNow } from './now.ts';
