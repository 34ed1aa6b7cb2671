export type { Assessor } from './assess-all.ts';
export { savingsNow } from './savings.ts';
