import { exitCodes } from '../contract/errors.ts';
import type { Run } from './context.ts';

export const runVersion: Run<unknown> = async ({ world, version }) => {
  await world.terminal.stdout.write(`${version}\n`);
  return exitCodes.ok;
};
