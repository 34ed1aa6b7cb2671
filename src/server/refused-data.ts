import { GovctlError } from '../contract/errors.ts';
import { StoreRefusal } from './store/store.ts';

/** @throws GovctlError data_refused for a StoreRefusal */
export const refusing = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof StoreRefusal)) throw error;
    const [what = error.message, ...wayOut] = error.message.split('\n');
    throw new GovctlError('data_refused', what, {
      cause: error,
      ...(wayOut.length > 0 ? { hint: wayOut.join('\n') } : {}),
    });
  });
