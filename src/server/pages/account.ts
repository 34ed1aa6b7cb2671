import { utcMinute } from '../../contract/utc-time.ts';
import { html } from 'hono/html';
import { mustHaveSecondFactor } from '../sign-in/service.ts';
import type { Session, SessionShown, SignIn } from '../sign-in/service.ts';
import { companyAccount } from './company.ts';
import { createKey, keyForm, keyTable, ownKeys, revokeKey, rotateKey } from './keys.ts';
import type { KeyParts, KeyProblem } from './keys.ts';
import { accountPath, field, problem, rowButton, table, username } from './layout.ts';
import type { Html } from './layout.ts';
import { messageOf, missingStep, recoveryCodes, statusOf, toSignIn } from './sign-in.ts';
import { programTable, revokeProgram } from './programs.ts';
import type { Programs } from './programs.ts';
import type { Visit } from './visit.ts';

interface AccountParts extends KeyParts {
  readonly signIn: SignIn;
  readonly programs: Programs;
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
  const own = visit.request.method === 'POST' ? { ...forms, ...buttons } : forms;
  const act = Object.hasOwn(own, action) ? own[action] : undefined;
  return act ? act(visit, parts, session) : visit.redirect(accountPath);
}

type Action = (visit: Visit, parts: AccountParts, session: Session) => Promise<Response>;

/** What has a page of its own, by the last part of the path. */
const forms: Readonly<Record<string, Action>> = {
  async password(visit, { signIn }, { person }) {
    if (visit.request.method !== 'POST') return showPassword(visit, person);
    const fields = await visit.form();
    const newPassword = fields.get('password') ?? '';
    if (newPassword !== fields.get('again'))
      return showPassword(visit, person, 'The new passwords do not match.', 422);
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
};

/** What the account page sends. Whoever reloads, or opens, such an address sees the account page. */
const buttons: Readonly<Record<string, Action>> = {
  async 'end-session'(visit, { signIn }, { person }) {
    const id = (await visit.form()).get('id') ?? '';
    await signIn.endSessionOf(person.id, id, visit.visitor);
    return visit.redirect(accountPath);
  },

  async 'create-key'(visit, parts, session) {
    const shown = await createKey(visit, session, parts);
    return shown instanceof Response ? shown : showAccount(visit, parts, session, { key: shown });
  },

  async 'rotate-key'(visit, parts, session) {
    const shown = await rotateKey(visit, session, parts);
    return typeof shown === 'string' ? showAccount(visit, parts, session, { message: shown }) : shown; // prettier-ignore
  },

  async 'end-program'(visit, { programs }, session) {
    await revokeProgram(visit, session, programs);
    return visit.redirect(accountPath);
  },

  async 'revoke-key'(visit, parts, session) {
    const why = await revokeKey(visit, session, parts);
    return why === undefined
      ? visit.redirect(accountPath)
      : showAccount(visit, parts, session, { message: why });
  },
};

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
        ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'At least 12 characters. This ends your other sessions.' })}
        ${field({ name: 'again', label: 'Confirm the new password', type: 'password', autocomplete: 'new-password' })}
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
  why: 'Your current recovery codes stop working.',
  button: 'Create new codes',
};

const removal: CodeAsked = {
  title: 'Turn off the second factor',
  why: 'After this, you sign in without a code.',
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
    html`<p>${why}</p>
      <form method="post">
        ${visit.csrf()}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', autofocus: true, hint: 'The 6-digit code from your authenticator app.', problem: message })}
        <div class="buttons"><button>${button}</button><a href="${accountPath}">Cancel</a></div>
      </form>`,
    { status },
  );

async function showAccount(
  visit: Visit,
  { signIn, callApi, programs }: AccountParts,
  session: Session,
  { message, key }: { readonly message?: string; readonly key?: KeyProblem } = {},
): Promise<Response> {
  const { person } = session;
  const sessions = await signIn.sessionsOf(person.id);
  const keys = await ownKeys(session, callApi);
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
      ${keyTable(visit, session, keys)} ${keyForm(visit, session, key)}

      <h2>Programs</h2>
      ${programTable(visit, await programs.programsOf(person.id))}

      <h2>Sign-in</h2>
      <ul>
        ${person.password ? html`<li><a href="${accountPath}/password">Change your password</a></li>` : ''}
        ${companyAccount(visit, signIn, session)}
        ${
          person.second_factor
            ? html`<li>
                  <a href="${accountPath}/recovery-codes">Create new recovery codes</a>
                  (${person.recovery_codes} left)
                </li>
                <li>
                  <a href="/auth/second-factor/new?next=${accountPath}"
                    >Set up another authenticator app</a
                  >
                </li>
                ${
                  mustHaveSecondFactor(person.scopes)
                    ? ''
                    : html`<li>
                        <a href="${accountPath}/second-factor-off">Turn off the second factor</a>
                      </li>`
                }`
            : html`<li>
                <a href="/auth/second-factor/new?next=${accountPath}">Set up a second factor</a>
              </li>`
        }
      </ul>

      <h2>Sessions</h2>
      ${sessionTable(visit, sessions, session)}`,
    { status: message === undefined && key === undefined ? 200 : 422 },
  );
}

const sessionTable = (visit: Visit, sessions: readonly SessionShown[], current: Session): Html =>
  table(
    ['Address', 'Last seen', 'Signed in', 'Actions'],
    sessions.map(({ id, created_at: created, last_seen: seen, address = '—' }) => [
      html`${address}`,
      html`<span class="time">${utcMinute(seen)}</span>`,
      html`<span class="time">${utcMinute(created)}</span>`,
      id === current.id
        ? html`This session`
        : rowButton(visit.csrf(), {
            action: 'end-session',
            id,
            label: 'End',
            about: `the session of ${utcMinute(created)}`,
          }),
    ]),
  );
