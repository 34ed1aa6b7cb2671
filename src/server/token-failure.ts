import type { TokenError } from '../contract/auth.ts';

/** An error of the token endpoint, RFC 6749 section 5.2. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  constructor(
    readonly error: TokenError['error'],
    description: string,
    readonly status: 400 | 401 = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
  }
}
