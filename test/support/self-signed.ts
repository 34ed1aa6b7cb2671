import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasTool, runTool } from './system-tool.ts';

/** PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for a host (default: `localhost`) and 127.0.0.1 that nobody has signed; undefined where there is no openssl. */
export function makeSelfSigned(host = 'localhost'): SelfSigned | undefined {
  if (!hasTool('openssl', () => runTool('openssl', 'version'))) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-self-signed-'));
  try {
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${host} -addext subjectAltName=DNS:${host},IP:127.0.0.1 -keyout ${key} -out ${cert}`;
    runTool('openssl', ...words.split(' '));
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
