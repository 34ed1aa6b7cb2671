import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Timestamp } from './lists.ts';

/** `drop_old`: the keys from before are withdrawn at once, and ID tokens that they signed fail. */
const IdTokenKeyRotation = z.strictObject({ drop_old: z.boolean().default(false) });

/** A key that signs ID tokens; its public part is in `/.well-known/jwks.json`. */
const IdTokenKey = z.looseObject({
  /** The `kid` of the ID tokens that it signs. */
  id: z.string(),
  created_at: Timestamp,
  /** It is published before it signs, so that whoever keeps a copy of the published keys has it by then. */
  signs_from: Timestamp,
});

export const idTokenKeys = {
  rotate: endpoint({
    method: 'POST',
    path: '/v1/id-token-keys/rotate',
    summary:
      'Publish a new signing key for ID tokens; the service uses it after one day, or immediately',
    scope: 'admin',
    ext: true,
    body: IdTokenKeyRotation,
    response: { status: 200, body: IdTokenKey },
    errors: [],
  }),
};
