import type { Handlers } from '../http/call.ts';
import type { FindSigner } from './signer.ts';

/** The certificate that signed reports are checked with. It is no secret; its key is. */
export const showCertificate =
  (signer: FindSigner): Handlers['reports']['certificate'] =>
  async () => ({ body: (await signer()).certificate });
