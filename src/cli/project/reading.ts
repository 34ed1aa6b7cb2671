import type { LoadOptions } from '../../project/model.ts';
import type { Context } from '../context.ts';

/** How this command reads the files of a repo. */
export const readingOf = ({
  world: { cwd, signal, holding },
  flags: { allowOutside },
}: Pick<Context, 'world' | 'flags'>): Pick<
  LoadOptions,
  'cwd' | 'signal' | 'holding' | 'allowOutside'
> => ({
  cwd,
  signal,
  holding,
  allowOutside,
});
