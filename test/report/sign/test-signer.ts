import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';
import type { Signer } from '../../../src/report/formats/render.ts';

const made = new Map<string, Signer>();

/** A signer of its own certificate, made once for all tests of a file. */
export function makeTestSigner(type: 'rsa' | 'ec'): Signer {
  let signer = made.get(type);
  if (!signer) made.set(type, (signer = type === 'rsa' ? makeRsa() : givenEc));
  return signer;
}

function makeRsa(): Signer {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = '01ab';
  certificate.validity.notBefore = new Date('2020-01-01');
  certificate.validity.notAfter = new Date('2120-01-01');
  const name = [{ name: 'commonName', value: 'A test' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), privateKey: keys.privateKey };
}

// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=A test with EC"
const givenEc: Signer = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgIURUQMFuZwzfflJfthhLqjiKaMmpIwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOQSB0ZXN0IHdpdGggRUMwIBcNMjYxMTIxMjIzMTExWhgPMjEy
NjEwMjgyMjMxMTFaMBkxFzAVBgNVBAMMDkEgdGVzdCB3aXRoIEVDMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEkk8TYJkho7zO946f/wocAB5hYSey1MdUOONYGoBF
qyWUH7FvF1n93dfzv9gBUQQBvUt43gaE4xkEAZOMV6nEHaNTMFEwHQYDVR0OBBYE
FIWknOMxS/UGxGD8TZDGspDNyA4AMB8GA1UdIwQYMBaAFIWknOMxS/UGxGD8TZDG
spDNyA4AMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgSiug/MH0
4B+5vKROvny1271enRzLixydNoNVLsIFsfACIQD6du5QhsHpzprHEiyhJOBaT2RG
UDcvMGQ8Wv6+8TYHaw==
-----END CERTIFICATE-----
`,
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgO9jitTqW0KDRI3KD
d2J4CTmhknfe/Ar2eU8mIvFmLgWhRANCAASSTxNgmSGjvM73jp//ChwAHmFhJ7LU
x1Q441gagEWrJZQfsW8XWf3d1/O/2AFRBAG9S3jeBoTjGQQBk4xXqcQd
-----END PRIVATE KEY-----
`,
};
