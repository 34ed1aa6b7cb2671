import { describe, expect, it } from 'vitest';
import { isLocal } from '../../../src/server/local/is-local.ts';

describe('a server is local', () => {
  it.each([
    ['127.0.0.1', undefined, true],
    ['127.8.8.8', undefined, true],
    ['::1', undefined, true],
    ['localhost', undefined, true],
    ['127.0.0.1', 'http://localhost:8787', true],
    ['127.0.0.1', 'http://[::1]:8787/prefix', true],
    ['0.0.0.0', undefined, false],
    ['::', undefined, false],
    ['192.168.1.4', undefined, false],
    ['governance.example.com', undefined, false],
    ['127.0.0.1', 'https://governance.example.com', false],
    ['127.0.0.1', 'https://127.0.0.1.example.com', false],
    ['0.0.0.0', 'http://localhost', false],
  ])('listening on %s with the public URL %s: %s', (host, publicUrl, local) => {
    expect(isLocal({ host, ...(publicUrl === undefined ? {} : { publicUrl }) })).toBe(local);
  });

  it('unless it has trusted proxies: one stands before it', () => {
    const config = { trusted_proxies: ['127.0.0.1/32'] };
    expect(isLocal({ host: '127.0.0.1', config })).toBe(false);
  });
});
