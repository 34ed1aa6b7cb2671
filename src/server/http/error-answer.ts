import { contract } from '../../contract/contract.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { GovctlError, errorCatalogue } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { StoreUnavailable } from '../store/store.ts';
import { TokenFailure } from './token-failure.ts';

/** Maps whatever was thrown to the catalogue. What isn't known is logged and becomes internal_error. */
export function asKnownError(
  error: unknown,
  deps: Deps,
  requestId: string,
): GovctlError | TokenFailure {
  if (error instanceof GovctlError && error.status !== null) return error;
  if (error instanceof TokenFailure) return error;
  if (error instanceof StoreUnavailable) {
    deps.log.error({ request_id: requestId, reason: error.message }, 'store unavailable');
    return new GovctlError(
      'unavailable',
      'The service cannot store changes at the moment; nothing was changed, and reads still work',
      {
        headers: { 'Retry-After': '5' },
        hint: "Try again later. If the error persists, the server's disk is full or read-only; the operator can find the reason in the log. Once the disk is writable, the service stores changes again without a restart.",
      },
    );
  }
  deps.log.error({ request_id: requestId, err: error }, 'unexpected error');
  return new GovctlError(
    'internal_error',
    `An internal error occurred; see the server's log for request ${requestId}`,
  );
}

/** At the token endpoint a malformed request has RFC 6749's name for it. */
const inItsTerms = (
  error: GovctlError | TokenFailure,
  endpoint: Endpoint | undefined,
): GovctlError | TokenFailure =>
  endpoint === contract.auth.token && error.error === 'malformed_request'
    ? new TokenFailure('invalid_request', error.message)
    : error;

/** The one shape of an error answer; RFC 6749's at the token endpoint. */
export function errorAnswer(
  thrown: GovctlError | TokenFailure,
  endpoint: Endpoint | undefined,
  deps: Pick<Deps, 'clock'>,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const error = inItsTerms(thrown, endpoint);
  const common = {
    'Content-Type': 'application/json',
    'X-Request-Id': requestId,
    ...headers,
    ...(endpoint?.secret ? { 'Cache-Control': 'no-store' } : {}),
  };
  if (error instanceof TokenFailure) {
    const body = { error: error.error, error_description: error.message };
    return new Response(JSON.stringify(body), {
      status: error.status,
      headers: { ...common, ...error.headers },
    });
  }
  const status = error.status ?? 500;
  const body = {
    error: error.error,
    error_code: errorCatalogue[error.error].code,
    error_description: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.details.length > 0 ? { details: error.details } : {}),
    ...error.extra,
    timestamp: timestamp(deps.clock.now()),
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...common, ...error.headers },
  });
}
