import { isLoopback } from '../http/address.ts';

/** Whether only this machine can reach a server: it listens on a loopback address, and nothing public stands before it. */
export function isLocal({
  host,
  publicUrl,
}: {
  readonly host: string;
  readonly publicUrl?: string;
}): boolean {
  if (!isLoopback(host)) return false;
  if (publicUrl === undefined) return true;
  const name = new URL(publicUrl).hostname;
  return isLoopback(name === '[::1]' ? '::1' : name);
}
