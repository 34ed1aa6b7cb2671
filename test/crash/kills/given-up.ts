import type { Json } from './history.ts';

/** A piece of work that the server was ended at too often: it is given up, so that it cannot end the server for ever. */
export const isGivenUp = ({ status, failure }: Json): boolean =>
  status === 'failed' &&
  /stopped unexpectedly|was deleted while the bundle was built/.test(
    String((failure as Json | undefined)?.reason),
  );
