import * as z from 'zod';
import { Scope, endpoint } from './endpoint.ts';
import { Timestamp } from './lists.ts';

/** Whose a token is. */
const Me = z.looseObject({
  /** What changes are recorded under. */
  user_id: z.string(),
  kind: z.enum(['key', 'client', 'person', 'ci']),
  /** Those the token has now. */
  scopes: z.array(Scope),
  /** The API key or access token; of an access token, `name` is that of its client. */
  credential: z.looseObject({
    id: z.string(),
    name: z.string().optional(),
    expires_at: Timestamp.optional(),
    /** Of a token that can be refreshed: when its user must log in again. */
    login_expires_at: Timestamp.optional(),
  }),
  /** The person who is signed in, or whom the credential is bound to: it permits no more than they may do. */
  user: z
    .looseObject({
      id: z.string(),
      email: z.string(),
      name: z.string().optional(),
      roles: z.array(z.string()),
    })
    .optional(),
});
export type Me = z.infer<typeof Me>;

export const me = {
  get: endpoint({
    method: 'GET',
    path: '/v1/me',
    summary: 'Get the owner of the token, and its scopes',
    scope: 'any',
    ext: true,
    response: { status: 200, body: Me },
    errors: [],
  }),
};
