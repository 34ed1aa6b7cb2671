export { noteUnused } from './note.ts';
export { selectUnused, showUnused, sumOfUnused, unusedNow } from './now.ts';
export type { UnusedNow } from './now.ts';
