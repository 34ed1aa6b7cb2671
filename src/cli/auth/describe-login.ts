import type { Login } from '../credentials/find-login.ts';
import type { Profile } from '../credentials/profiles.ts';
import { printableLine } from '../terminal/printable.ts';

/** "an API key", "the client ci", or "ada@example.com". */
export function describeLogin({ method, signs, client_id: id = '', email }: Profile): string {
  switch (method) {
    case 'api_key':
      return `an API key${signs ? ' and signed requests' : ''}`;
    case 'client_credentials':
      return `the client ${id}`;
    case 'oidc':
      return 'the ID token of the CI job';
    case 'person':
      return printableLine(email ?? 'a person');
  }
}

/** Where the secrets of a profile are. */
export const describePlace: Readonly<Record<Profile['stored_in'], string>> = {
  keychain: 'the keychain',
  file: 'a file',
  job: 'a file for this job',
};

/** Where a login comes from, as a person would look for it. */
export function describeSource(login: Login): string {
  switch (login.kind) {
    case 'token':
      return 'GOVCTL_TOKEN';
    case 'client':
      return `GOVCTL_CLIENT_ID (${login.clientId})`;
    case 'oidc':
      return 'GOVCTL_OIDC (the ID token of the CI job)';
    case 'profile': {
      const { name, profile } = login;
      return `profile "${name}": ${describeLogin(profile)}, stored in ${describePlace[profile.stored_in]}`;
    }
  }
}
