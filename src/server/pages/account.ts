import { html } from 'hono/html';
import type { ApiKey } from '../../contract/api-keys.ts';
import { permits } from '../../contract/endpoint.ts';
import type { Session, SessionShown, SignIn } from '../sign-in/service.ts';
import { companyAccount } from './company.ts';
import { field, problem, username } from './layout.ts';
import type { Html } from './layout.ts';
import { messageOf, missingStep, recoveryCodes, statusOf, toSignIn } from './sign-in.ts';
import type { Visit } from './visit.ts';

const accountPath = '/auth/account';

/** Calls the API as the person who is signed in. */
export type CallApi = (
  session: Session,
  method: string,
  path: string,
  body?: unknown,
) => Promise<Response>;

interface AccountParts {
  readonly signIn: SignIn;
  readonly callApi: CallApi;
}

/** `GET /auth/account`, and its forms below it: who the person is, their sessions, keys, password and second factor. */
export async function accountPage(
  visit: Visit,
  parts: AccountParts,
  action: string | undefined,
): Promise<Response> {
  const session = await visit.session();
  if (!session) return visit.redirect(toSignIn(accountPath));
  const step = missingStep(session, accountPath);
  if (step !== undefined) return visit.redirect(step);
  if (action === undefined) return showAccount(visit, parts, session);
  return actions[action]?.(visit, parts, session) ?? visit.redirect(accountPath);
}

type Action = (visit: Visit, parts: AccountParts, session: Session) => Promise<Response>;

/** By the last part of the path. */
const actions: Readonly<Record<string, Action>> = {
  async password(visit, { signIn }, { person }) {
    if (visit.request.method !== 'POST') return showPassword(visit, person);
    const fields = await visit.form();
    const newPassword = fields.get('password') ?? '';
    if (newPassword !== fields.get('again'))
      return showPassword(visit, person, 'The passwords differ.', 422);
    const password = fields.get('current') ?? '';
    const tried = await signIn.changePassword({ token: visit.token, password, newPassword, visitor: visit.visitor }); // prettier-ignore
    if (tried.kind === 'no_session') return visit.redirect(toSignIn(accountPath));
    if (tried.kind !== 'signed_in')
      return showPassword(visit, person, messageOf(tried), statusOf(tried));
    visit.enter(tried);
    return visit.redirect(accountPath);
  },

  async 'recovery-codes'(visit, { signIn }) {
    const fields = visit.request.method === 'POST' ? await visit.form() : undefined;
    if (!fields) return askCode(visit, renewal);
    const code = fields.get('code') ?? '';
    const tried = await signIn.renewRecoveryCodes({ token: visit.token, code, visitor: visit.visitor }); // prettier-ignore
    if (tried.kind === 'renewed') {
      return visit.page('Save your recovery codes', recoveryCodes(tried.recovery_codes, accountPath)); // prettier-ignore
    }
    if (tried.kind === 'no_session') return visit.redirect(toSignIn(accountPath));
    return askCode(visit, renewal, messageOf(tried), statusOf(tried));
  },

  async 'second-factor-off'(visit, { signIn }) {
    const fields = visit.request.method === 'POST' ? await visit.form() : undefined;
    if (!fields) return askCode(visit, removal);
    const code = fields.get('code') ?? '';
    const tried = await signIn.removeSecondFactor({ token: visit.token, code, visitor: visit.visitor }); // prettier-ignore
    if (tried.kind === 'no_session') return visit.redirect(toSignIn(accountPath));
    if (tried.kind !== 'signed_in') return askCode(visit, removal, messageOf(tried), statusOf(tried)); // prettier-ignore
    visit.enter(tried);
    return visit.redirect(accountPath);
  },

  async 'end-session'(visit, { signIn }, { person }) {
    const id = (await visit.form()).get('id') ?? '';
    await signIn.endSessionOf(person.id, id, visit.visitor);
    return visit.redirect(accountPath);
  },

  async 'create-key'(visit, parts, session) {
    const fields = await visit.form();
    const body = {
      name: fields.get('name') ?? '',
      scopes: fields.getAll('scope'),
      ...(fields.get('days') ? { expires_at: inDays(Number(fields.get('days'))) } : {}),
    };
    return showSecret(visit, parts, session, await parts.callApi(session, 'POST', '/v1/api-keys', body)); // prettier-ignore
  },

  async 'rotate-key'(visit, parts, session) {
    const id = encodeURIComponent((await visit.form()).get('id') ?? '');
    return showSecret(visit, parts, session, await parts.callApi(session, 'POST', `/v1/api-keys/${id}/rotate`, {})); // prettier-ignore
  },

  async 'revoke-key'(visit, parts, session) {
    const id = encodeURIComponent((await visit.form()).get('id') ?? '');
    const done = await parts.callApi(session, 'DELETE', `/v1/api-keys/${id}`);
    if (done.ok || done.status === 404) return visit.redirect(accountPath);
    return showAccount(visit, parts, session, await descriptionOf(done));
  },
};

const inDays = (days: number): string => new Date(Date.now() + days * 24 * 3_600_000).toISOString();

const descriptionOf = async (failed: Response): Promise<string> =>
  String(((await failed.json()) as { error_description?: unknown }).error_description);

/** A new key, or the new secret of one, which is shown once. */
async function showSecret(
  visit: Visit,
  parts: AccountParts,
  session: Session,
  answered: Response,
): Promise<Response> {
  if (!answered.ok) return showAccount(visit, parts, session, await descriptionOf(answered));
  const { name, key } = (await answered.json()) as { name: string; key: string };
  return visit.page(
    'Copy your API key',
    html`<p>The key <strong>${name}</strong> is not shown again.</p>
      <p class="secret">${key}</p>
      <p class="buttons"><a href="${accountPath}">Back to your account</a></p>`,
  );
}

const showPassword = (
  visit: Visit,
  { email }: Pick<Session['person'], 'email'>,
  message?: string,
  status = 200,
): Promise<Response> =>
  visit.page(
    'Change your password',
    html`${problem(message)}
      <form method="post">
        ${visit.csrf()} ${username(email)}
        ${field({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password', autofocus: true })}
        ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'At least 12 characters. Your other sessions end.' })}
        ${field({ name: 'again', label: 'The new password again', type: 'password', autocomplete: 'new-password' })}
        <div class="buttons">
          <button>Change password</button><a href="${accountPath}">Cancel</a>
        </div>
      </form>`,
    { status },
  );

interface CodeAsked {
  readonly title: string;
  readonly why: string;
  readonly button: string;
}

const renewal: CodeAsked = {
  title: 'New recovery codes',
  why: 'The recovery codes you have stop working.',
  button: 'Make new codes',
};

const removal: CodeAsked = {
  title: 'Turn off the second factor',
  why: 'After this, your password alone signs you in.',
  button: 'Turn off',
};

const askCode = (
  visit: Visit,
  { title, why, button }: CodeAsked,
  message?: string,
  status = 200,
): Promise<Response> =>
  visit.page(
    title,
    html`${problem(message)}
      <p>${why}</p>
      <form method="post">
        ${visit.csrf()}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', autofocus: true, hint: 'The 6 digits that your authenticator app shows.' })}
        <div class="buttons"><button>${button}</button><a href="${accountPath}">Cancel</a></div>
      </form>`,
    { status },
  );

async function ownKeys(session: Session, callApi: CallApi): Promise<readonly ApiKey[]> {
  const listed = await callApi(session, 'GET', '/v1/api-keys?limit=100');
  if (!listed.ok) return [];
  const { api_keys: keys } = (await listed.json()) as { api_keys: readonly ApiKey[] };
  return keys.filter(({ made_by: maker }) => maker === session.person.id);
}

async function showAccount(
  visit: Visit,
  { signIn, callApi }: AccountParts,
  session: Session,
  message?: string,
): Promise<Response> {
  const { person } = session;
  const sessions = await signIn.sessionsOf(person.id);
  const keys = permits(person.scopes, 'admin') ? await ownKeys(session, callApi) : undefined;
  return visit.page(
    'Your account',
    html`${problem(message)}
      <dl>
        <dt>Email</dt>
        <dd>${person.email}</dd>
        ${
          person.name === undefined
            ? ''
            : html`<dt>Name</dt>
                <dd>${person.name}</dd>`
        }
        <dt>Roles</dt>
        <dd>${person.roles.join(', ')}</dd>
        <dt>Scopes</dt>
        <dd>${person.scopes.join(', ')}</dd>
      </dl>
      <form method="post" action="/auth/sign-out">
        ${visit.csrf()}
        <div class="buttons"><button class="quiet">Sign out</button></div>
      </form>

      <h2>API keys</h2>
      ${
        keys
          ? html`${keyTable(visit, keys)} ${keyForm(visit, session)}`
          : html`<p>Administrators create API keys.</p>`
      }

      <h2>Sign-in</h2>
      <ul>
        ${person.password ? html`<li><a href="${accountPath}/password">Change your password</a></li>` : ''}
        ${companyAccount(visit, signIn, session)}
        ${
          person.second_factor
            ? html`<li>
                  <a href="${accountPath}/recovery-codes">Make new recovery codes</a>
                  (${person.recovery_codes} left)
                </li>
                <li>
                  <a href="/auth/second-factor/new?next=${accountPath}"
                    >Set up another authenticator app</a
                  >
                </li>
                <li><a href="${accountPath}/second-factor-off">Turn off the second factor</a></li>`
            : html`<li>
                <a href="/auth/second-factor/new?next=${accountPath}">Set up a second factor</a>
              </li>`
        }
      </ul>

      <h2>Sessions</h2>
      ${sessionTable(visit, sessions, session)}`,
    { status: message === undefined ? 200 : 422 },
  );
}

const day = (at: string | undefined): string => (at === undefined ? '—' : at.slice(0, 10));
const minute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

const keyTable = (visit: Visit, keys: readonly ApiKey[]): Html =>
  keys.length === 0
    ? html`<p>You have no API keys.</p>`
    : html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Scopes</th>
              <th scope="col">Ends with</th>
              <th scope="col">Expires</th>
              <th scope="col">Last used</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            ${keys.map(
              ({ id, name, scopes, key_hint: hint, expires_at: expires, last_used_at: used }) =>
                html`<tr>
                  <td>${name}</td>
                  <td>${scopes.join(', ')}</td>
                  <td><code>${hint}</code></td>
                  <td>${day(expires)}</td>
                  <td>${day(used)}</td>
                  <td class="buttons">
                    ${rowButton(visit, { action: 'rotate-key', id, label: 'Rotate', about: name })}
                    ${rowButton(visit, { action: 'revoke-key', id, label: 'Revoke', about: name })}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;

const rowButton = (
  visit: Visit,
  { action, id, label, about }: Readonly<Record<'action' | 'id' | 'label' | 'about', string>>,
): Html =>
  html`<form method="post" action="${accountPath}/${action}">
    ${visit.csrf()}
    <button class="danger" name="id" value="${id}" aria-label="${label} ${about}">${label}</button>
  </form>`;

const keyForm = (visit: Visit, { person }: Session): Html => html`
  <details>
    <summary>Create an API key</summary>
    <form method="post" action="${accountPath}/create-key">
      ${visit.csrf()}
      ${field({ name: 'name', label: 'Name', autocomplete: 'off', hint: 'What the key is for, such as laptop or nightly-report.' })}
      <fieldset class="field">
        <legend>Scopes</legend>
        ${person.scopes.map(
          (scope) =>
            html`<label class="choice"
              ><input type="checkbox" name="scope" value="${scope}" /> ${scope}</label
            >`,
        )}
      </fieldset>
      <div class="field">
        <label for="days">Expires</label>
        <select id="days" name="days">
          <option value="30">in 30 days</option>
          <option value="90" selected>in 90 days</option>
          <option value="365">in 1 year</option>
          <option value="">never</option>
        </select>
      </div>
      <div class="buttons"><button>Create</button></div>
    </form>
  </details>
`;

const sessionTable = (visit: Visit, sessions: readonly SessionShown[], current: Session): Html =>
  html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Signed in</th>
          <th scope="col">Last seen</th>
          <th scope="col">Address</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        ${sessions.map(
          ({ id, created_at: created, last_seen: seen, address = '—' }) =>
            html`<tr>
              <td>${minute(created)}</td>
              <td>${minute(seen)}</td>
              <td>${address}</td>
              <td>
                ${
                  id === current.id
                    ? 'This session'
                    : rowButton(visit, {
                        action: 'end-session',
                        id,
                        label: 'End',
                        about: `the session of ${minute(created)}`,
                      })
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
