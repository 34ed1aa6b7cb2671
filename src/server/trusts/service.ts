import type { Deps } from '../deps.ts';
import { createReadJson } from '../outbound/read-json.ts';
import type { Send } from '../outbound/send.ts';
import type { Targets } from '../outbound/target.ts';
import type { Exchange } from '../auth/service.ts';
import { createTrustExchange } from './exchange.ts';
import type { TrustExchangeParts } from './exchange.ts';
import { createIssuerKeys } from './issuer-keys.ts';

/** Lets CI jobs in: grants of the token endpoint, by grant type. */
export const ciExchanges = (
  deps: Deps,
  {
    send,
    targets,
    ...parts
  }: Omit<TrustExchangeParts, 'keysOf'> & { readonly send: Send; readonly targets: Targets },
): Readonly<Record<string, Exchange>> =>
  createTrustExchange(deps, {
    ...parts,
    keysOf: createIssuerKeys(createReadJson(send, targets, deps), deps.clock),
  });
