import type { Run } from './context.ts';

/** Turns a lazily loaded command into a commander action. */
export type Act = <Options>(
  load: () => Promise<Run<Options>>,
) => (...parameters: unknown[]) => Promise<void>;
