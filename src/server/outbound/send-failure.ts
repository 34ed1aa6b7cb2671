import { TargetRefused } from './target.ts';

/** By the error's code. They are read alone or after a name and a colon: "connection refused". */
const words: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'the host name could not be resolved: the name server did not respond',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  ECONNRESET: 'connection closed before the response',
  EPIPE: 'connection closed before the response',
  UND_ERR_SOCKET: 'connection closed before the response',
  EPROTO: 'TLS handshake failed',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many or too large headers',
  UND_ERR_DESTROYED: 'the server was stopping',
  UND_ERR_CLOSED: 'the server was stopping',
  CERT_HAS_EXPIRED: 'the certificate is not trusted: it has expired',
  CERT_NOT_YET_VALID: 'the certificate is not trusted: it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not trusted: it is for a different host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not trusted: it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not trusted: unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is not trusted: unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not trusted: unknown issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not trusted: unknown issuer',
};

/**
 * Why there was no answer, for the webhook's owner. What an error says itself may hold addresses of this network, so none
 * of it is handed on.
 */
export function explainFailure(error: Error): string {
  if (error instanceof TargetRefused) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  if (known !== undefined) return known;
  if (error.name === 'HTTPParserError') return 'the response is not HTTP';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'TLS handshake failed';
  if (/CERT|CRL|CA_|SIGNATURE/.test(code)) return 'the certificate is not trusted';
  return 'the host could not be reached';
}
