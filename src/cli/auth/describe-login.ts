import type { Login } from '../credentials/find-login.ts';
import type { Profile } from '../credentials/profiles.ts';

/** "an API key" or "the client ci". */
export const describeLogin = (profile: Profile): string =>
  profile.method === 'api_key'
    ? `an API key${profile.signs ? ' and signed requests' : ''}`
    : `the client ${profile.client_id ?? ''}`;

/** Where a login comes from, as a person would look for it. */
export function describeSource(login: Login): string {
  switch (login.kind) {
    case 'token':
      return 'GOVCTL_TOKEN';
    case 'client':
      return `GOVCTL_CLIENT_ID (${login.clientId})`;
    case 'profile':
      return `profile "${login.name}": ${describeLogin(login.profile)}, kept in ${
        login.profile.stored_in === 'keychain' ? 'the keychain' : 'a file'
      }`;
  }
}
