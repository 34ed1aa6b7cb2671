import type { TokenError } from '../../contract/auth.ts';

/** An error of the token endpoint, RFC 6749 section 5.2, which also says which characters a description may have. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  constructor(
    readonly error: TokenError['error'],
    description: string,
    readonly status: number = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?'));
  }
}
