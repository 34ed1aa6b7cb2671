import type { ServerConfig } from '../config/config.ts';
import { isLoopback } from '../http/address.ts';

/**
 * Whether only this machine can reach a server: it listens on a loopback address, and nothing public nor a proxy
 * stands before it.
 */
export function isLocal({
  host,
  publicUrl,
  config,
}: {
  readonly host: string;
  readonly publicUrl?: string;
  readonly config?: Pick<ServerConfig, 'trusted_proxies'>;
}): boolean {
  if (!isLoopback(host) || config?.trusted_proxies !== undefined) return false;
  if (publicUrl === undefined) return true;
  const name = new URL(publicUrl).hostname;
  return isLoopback(name === '[::1]' ? '::1' : name);
}
