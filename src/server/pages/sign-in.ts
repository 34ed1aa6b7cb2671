import { html } from 'hono/html';
import { renderSVG } from 'uqr';
import type {
  CompanySignIn,
  Entered,
  Later,
  NoSession,
  Refused,
  Session,
  SignIn,
} from '../sign-in/service.ts';
import { field, hidden, problem, tryAgainIn } from './layout.ts';
import type { Html } from './layout.ts';
import { safeNext } from './visit.ts';
import type { Visit } from './visit.ts';

const signInPath = '/auth/sign-in';
const secondFactorPath = '/auth/second-factor';
const enrolmentPath = '/auth/second-factor/new';
const companyStartPath = '/auth/company/start';

export const toSignIn = (next: string): string => `${signInPath}?next=${encodeURIComponent(next)}`;

/** Where a session that needs more gets it. Undefined: it needs nothing. */
export function missingStep(session: Session, next: string): string | undefined {
  const query = `?next=${encodeURIComponent(next)}`;
  if (session.needs === 'second_factor') return secondFactorPath + query;
  return session.needs === 'enrolment' ? enrolmentPath + query : undefined;
}

/** Goes on after a step, to the next one or where the person wanted to go. */
export function goOn(visit: Visit, entered: Entered, next: string): Response {
  visit.enter(entered);
  return visit.redirect(missingStep(entered.session, next) ?? next);
}

/** What a page says of a step that failed; undefined where the session is gone: sign in again. */
export function messageOf(failed: Refused | Later | NoSession): string | undefined {
  if (failed.kind === 'no_session') return undefined;
  return failed.kind === 'refused'
    ? failed.message
    : `Too many attempts. ${tryAgainIn(failed.retry_after)}`;
}

export const statusOf = (failed: Refused | Later | NoSession): number =>
  failed.kind === 'later' ? 429 : 422;

export const nextOf = (visit: Visit): string => safeNext(visit.url.searchParams.get('next'));

/** `GET` and `POST /auth/sign-in`. */
export async function signInPage(visit: Visit, signIn: SignIn): Promise<Response> {
  if (visit.request.method !== 'POST') {
    return showSignIn(visit, signIn, { next: nextOf(visit), notice: await noticeFor(visit) });
  }
  const fields = await visit.form();
  const next = safeNext(fields.get('next'));
  const email = fields.get('email') ?? '';
  const tried = await signIn.tryPassword({
    email,
    password: fields.get('password') ?? '',
    visitor: visit.visitor,
  });
  if (tried.kind === 'signed_in') return goOn(visit, tried, next);
  return showSignIn(visit, signIn, {
    next,
    email,
    message: messageOf(tried),
    status: statusOf(tried),
  });
}

/** Why somebody who was signed in sees the sign-in page. */
async function noticeFor(visit: Visit): Promise<string | undefined> {
  if (visit.url.searchParams.has('out')) return 'You are signed out.';
  const hasEnded = visit.token !== '' && !(await visit.session());
  return hasEnded ? 'Your session has ended. Sign in again.' : undefined;
}

export function showSignIn(
  visit: Visit,
  { company }: SignIn,
  {
    next,
    email = '',
    message,
    notice,
    status = 200,
  }: {
    readonly next: string;
    readonly email?: string;
    readonly notice?: string | undefined;
    readonly message?: string | undefined;
    readonly status?: number;
  },
): Promise<Response> {
  const hasFocus = company === undefined || email !== '';
  const form = html`<form method="post" action="${signInPath}">
      ${visit.csrf()} ${hidden('next', next)}
      ${field({ name: 'email', label: 'Email', type: 'email', value: email, autocomplete: 'username', autofocus: hasFocus && email === '' })}
      ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', autofocus: email !== '' })}
      <div class="buttons">
        <button class="${company === undefined ? '' : 'quiet'}">Sign in</button>
      </div>
    </form>
    <p class="quiet">Forgot your password? Ask an administrator for a new link.</p>`;
  const withPassword = company?.isOnly
    ? html`<details>
        <summary>Owners: sign in with a password</summary>
        ${form}
      </details>`
    : form;
  return visit.page(
    'Sign in',
    html`${problem(message)} ${notice === undefined ? '' : html`<p class="notice">${notice}</p>`}
    ${
      company
        ? html`${continueWith(company, { next })}
          ${company.isOnly ? '' : html`<h2>Or sign in with a password</h2>`}`
        : ''
    }
    ${withPassword}`,
    { status },
  );
}

/** The link to the company's provider. */
export const continueWith = (
  { name }: CompanySignIn,
  purpose: Readonly<Record<string, string>>,
): Html =>
  html`<p class="buttons">
    <a class="button" href="${companyStartPath}?${new URLSearchParams(purpose).toString()}"
      >Continue with ${name}</a
    >
  </p>`;

/** `GET` and `POST /auth/second-factor`: the code of a session that has a password so far. */
export async function secondFactorPage(visit: Visit, signIn: SignIn): Promise<Response> {
  const show = (next: string, message?: string, status = 200): Promise<Response> =>
    visit.page(
      'Enter your code',
      html`<form method="post" action="${secondFactorPath}">
          ${visit.csrf()} ${hidden('next', next)}
          ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', autofocus: true, hint: 'The 6-digit code from your authenticator app, or a recovery code.', problem: message })}
          <div class="buttons"><button>Continue</button></div>
        </form>
        <p class="quiet">No code available? Ask an administrator to reset your sign-in.</p>`,
      { status },
    );
  if (visit.request.method !== 'POST') {
    const session = await visit.session();
    if (session?.needs !== 'second_factor') return visit.redirect(toSignIn(nextOf(visit)));
    return show(nextOf(visit));
  }
  const fields = await visit.form();
  const next = safeNext(fields.get('next'));
  const tried = await signIn.trySecondFactor({
    token: visit.token,
    code: fields.get('code') ?? '',
    visitor: visit.visitor,
  });
  if (tried.kind === 'signed_in') return goOn(visit, tried, next);
  if (tried.kind === 'no_session') return visit.redirect(toSignIn(next));
  return show(next, messageOf(tried), statusOf(tried));
}

/** Of what a QR code can hold. */
const longestUri = 2_000;

/** `GET` and `POST /auth/second-factor/new`: sets up an authenticator app. */
export async function enrolmentPage(visit: Visit, signIn: SignIn): Promise<Response> {
  const isSent = visit.request.method === 'POST';
  const fields = isSent ? await visit.form() : undefined;
  const next = fields ? safeNext(fields.get('next')) : nextOf(visit);
  const { visitor } = visit;
  const isRequired = (await visit.session())?.needs === 'enrolment';
  let message: string | undefined;
  let status = 200;
  if (fields && fields.get('current') === null) {
    const tried = await signIn.confirm({
      token: visit.token,
      code: fields.get('code') ?? '',
      visitor,
    });
    if (tried.kind === 'signed_in') {
      visit.enter(tried);
      return visit.page('Save your recovery codes', recoveryCodes(tried.recovery_codes, next));
    }
    if (tried.kind === 'no_session') return visit.redirect(toSignIn(next));
    [message, status] = [messageOf(tried), statusOf(tried)];
  }
  // A code that was mistyped belongs to the secret that the page has shown.
  const secret = fields?.get('secret');
  const uri = fields?.get('uri');
  const begun =
    secret && uri?.startsWith('otpauth://') && uri.length <= longestUri
      ? { kind: 'enrolling' as const, secret, uri }
      : await signIn.enrol({ token: visit.token, code: fields?.get('current') ?? '', visitor });
  if (begun.kind === 'no_session') return visit.redirect(toSignIn(next));
  if (begun.kind !== 'enrolling') {
    const problem = fields ? messageOf(begun) : undefined;
    return currentCodePage(visit, next, problem, fields ? statusOf(begun) : 200);
  }
  const qr = `data:image/svg+xml;base64,${Buffer.from(renderSVG(begun.uri, { border: 2 })).toString('base64')}`;
  return visit.page(
    'Set up a second factor',
    html`${isRequired ? html`<p>Your roles require a second factor.</p>` : ''}
      <p>
        Scan this code with an authenticator app, or <a href="${begun.uri}">open it in an app</a> on
        this device.
      </p>
      <img class="qr" src="${qr}" alt="QR code of the key below" />
      <p class="quiet">Or enter this key manually:</p>
      <p class="secret">${begun.secret.replace(/(.{4})(?=.)/g, '$1 ')}</p>
      <form method="post" action="${enrolmentPath}">
        ${visit.csrf()} ${hidden('next', next)} ${hidden('secret', begun.secret)}
        ${hidden('uri', begun.uri)}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', autofocus: true, hint: 'The 6 digits that the app then shows.', problem: message })}
        <div class="buttons">
          <button>Turn on</button>${isRequired ? '' : html`<a href="${next}">Cancel</a>`}
        </div>
      </form>`,
    { status },
  );
}

/** Who has a second factor proves it before they set up another. */
const currentCodePage = (
  visit: Visit,
  next: string,
  message: string | undefined,
  status: number,
): Promise<Response> =>
  visit.page(
    'Set up another second factor',
    html`<p>First enter a code from your current authenticator app, or a recovery code.</p>
      <form method="post" action="${enrolmentPath}">
        ${visit.csrf()} ${hidden('next', next)}
        ${field({ name: 'current', label: 'Code', autocomplete: 'one-time-code', autofocus: true, problem: message })}
        <div class="buttons"><button>Continue</button><a href="${next}">Cancel</a></div>
      </form>`,
    { status },
  );

/** They are shown once. */
export const recoveryCodes = (codes: readonly string[], next: string): Html => html`
  <p>
    If you do not have your authenticator app, sign in with one of these codes. Each works once.
    Print them, or save them in your password manager: they are not shown again.
  </p>
  <ul class="codes">
    ${codes.map((code) => html`<li>${code}</li>`)}
  </ul>
  <p class="buttons"><a class="button" href="${next}">Continue: I have saved them</a></p>
`;

/** `POST /auth/sign-out`. */
export async function signOut(visit: Visit, signIn: SignIn): Promise<Response> {
  await visit.form();
  await signIn.endSession(visit.token, visit.visitor);
  visit.leave();
  return visit.redirect(`${signInPath}?out`);
}
