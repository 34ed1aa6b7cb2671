import type { Send } from './send.ts';
import { targetFault } from './target.ts';
import type { Targets } from './target.ts';

/** Reads a JSON document from an allowed target. @throws ReadFailure */
export type ReadJson = (url: string) => Promise<unknown>;

/** A document that was not read; its message goes after its address and a colon: "connection refused". */
export class ReadFailure extends Error {
  override readonly name = 'ReadFailure';
}

/** From the connect to the answer's status. */
const timeoutMs = 5_000;

/**
 * Reads as `send` sends: no redirects, no proxies, 64 KiB at most, within seconds, and only from addresses that may be
 * targets, at the very connect.
 */
export function createReadJson(
  send: Send,
  targets: Targets,
  { version }: { readonly version: string },
): ReadJson {
  const never = new AbortController().signal;
  const headers = { accept: 'application/json', 'user-agent': `govctl/${version}` };
  return async (url) => {
    const fault = await targetFault(url, targets);
    if (fault !== undefined) throw new ReadFailure(fault);
    const { status, body, truncated, error } = await send(
      { url, method: 'GET', headers, body: '', timeoutMs },
      never,
    );
    if (error !== undefined) throw new ReadFailure(error);
    if (status !== 200) throw new ReadFailure(`returned ${status}`);
    if (truncated) throw new ReadFailure('the response exceeds 64 KiB or is too slow');
    try {
      return JSON.parse(body ?? '');
    } catch {
      throw new ReadFailure('the response is not JSON');
    }
  };
}
