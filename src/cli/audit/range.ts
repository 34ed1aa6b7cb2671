import { defined } from '../../contract/defined.ts';
import type { Context } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';

/** A range of time as the API takes it. @throws GovctlError usage_error */
export const rangeOf = (
  { world }: Context,
  { since, until }: { readonly since?: string; readonly until?: string },
) =>
  defined({
    since: since === undefined ? undefined : parseMoment('--since', since, world.now()),
    until: until === undefined ? undefined : parseMoment('--until', until, world.now()),
  });
