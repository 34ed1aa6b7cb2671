import { GovctlError } from '../../contract/errors.ts';

/** A TCP port; 0 picks a free one. @throws GovctlError usage_error */
/** @param given what the flag was given, where the port is a part of it */
export function parsePort(text: string, flag = '--port', given = text): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new GovctlError('usage_error', `${flag} ${given}: must be a port from 0 to 65535`);
}
