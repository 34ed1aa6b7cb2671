import { TargetRefused } from './target.ts';

/** By the error's code. They are read after the webhook's name: "refused the connection". */
const words: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'its host was not found',
  EAI_AGAIN: 'its host could not be looked up; the name server did not respond',
  ETIMEDOUT: 'did not accept the connection',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection',
  ECONNRESET: 'closed the connection before responding',
  EPIPE: 'closed the connection before responding',
  UND_ERR_SOCKET: 'closed the connection before responding',
  EPROTO: 'the TLS handshake failed',
  UND_ERR_HEADERS_OVERFLOW: 'its response has too many or too large headers',
  UND_ERR_DESTROYED: 'the server was stopping',
  UND_ERR_CLOSED: 'the server was stopping',
  CERT_HAS_EXPIRED: 'the certificate is not trusted: it has expired',
  CERT_NOT_YET_VALID: 'the certificate is not trusted: it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not trusted: it is for another host',
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
  if (error.name === 'HTTPParserError') return 'its response is not HTTP';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'the TLS handshake failed';
  if (/CERT|CRL|CA_|SIGNATURE/.test(code)) return 'the certificate is not trusted';
  return 'could not be reached';
}
