import { GovctlError } from '../contract/errors.ts';

/** A wrong certificate or a name that does not exist won't heal in seconds. */
export function isFinal(error: GovctlError): boolean {
  const code = causeCode(error.cause);
  return (
    code !== undefined &&
    /CERT|SELF_SIGNED|ALTNAME|^ERR_TLS|^ENOTFOUND$|^ERR_SSL|^HPE_|MAX_SIZE/.test(code)
  );
}

export function causeCode(cause: unknown): string | undefined {
  for (let seen = 0, at: unknown = cause; at instanceof Error && seen < 5; seen++, at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}

/** The code of a connection that showed a client certificate and was cut. Another try may help: the server may be restarting. */
export const cutWithCertificate = 'CUT_AFTER_TLS';

const refused = 'the server rejected the client certificate';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to the host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the server certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the server certificate chain contains a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server certificate is not signed by a known authority',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS; try a URL that begins with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use TLS; try a URL that begins with http://',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too long',
  CERT_HAS_EXPIRED: 'the server certificate has expired',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server requires a client certificate',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'the server refused the connection; it may require a client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: refused,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: `${refused}, which has expired`,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: `${refused}, which was revoked`,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: refused,
  ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: refused,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: `${refused}: unknown authority`,
  [cutWithCertificate]: 'the server closed the connection; it may have rejected the client certificate', // prettier-ignore
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server certificate is for a different host name',
};

export function unreachable(
  url: string,
  cause: unknown,
  timedOutAfterMs: number | undefined,
): GovctlError {
  const code = causeCode(cause) ?? '';
  const why =
    timedOutAfterMs !== undefined
      ? `no response within ${timedOutAfterMs / 1000} s`
      : ((code.startsWith('HPE_') ? 'the response is not HTTP' : reasons[code]) ??
        (cause instanceof Error ? cause.message : String(cause)));
  const hint = /ALERT_(.*CERT|UNKNOWN_CA|HANDSHAKE)|CUT_AFTER/.test(code)
    ? 'Set GOVCTL_CLIENT_CERT and GOVCTL_CLIENT_KEY, or pass --client-cert and --client-key to `govctl auth login`. A certificate authority that the server trusts must have signed the certificate.'
    : /CERT|SELF_SIGNED|VERIFY|ALTNAME/.test(code)
      ? 'If the server uses a private certificate authority, set NODE_EXTRA_CA_CERTS to the CA certificate.'
      : 'Check the base URL (--base-url, GOVCTL_BASE_URL, govctl.yaml) and that the server is running. Run `govctl doctor` to check both.';
  return new GovctlError('unreachable', `${new URL(url).origin} cannot be reached: ${why}`, {
    cause,
    hint,
  });
}
