import { html } from 'hono/html';
import type { CompanyPurpose, CompanySignIn, Session, SignIn } from '../sign-in/service.ts';
import { accountPath, hidden, problem } from './layout.ts';
import type { Html } from './layout.ts';
import {
  continueWith,
  goOn,
  messageOf,
  nextOf,
  showSignIn,
  statusOf,
  toSignIn,
} from './sign-in.ts';
import type { Visit } from './visit.ts';

const linkPath = '/auth/company/link';
const unlinkPath = '/auth/company/unlink';

/** A sign-in of so many milliseconds ago is enough to link an account. */
const freshFor = 5 * 60_000;

interface CompanyPages {
  readonly signIn: SignIn;
  readonly company: CompanySignIn;
  readonly now: () => number;
}

/** `GET /auth/company/start`: sends the browser to the provider. */
export async function startPage(
  visit: Visit,
  { signIn, company }: CompanyPages,
): Promise<Response> {
  const { searchParams } = visit.url;
  const next = nextOf(visit);
  const session = await visit.session();
  const isLinking = searchParams.has('link');
  if (isLinking && session?.needs !== undefined) return visit.redirect(toSignIn(linkPath));
  const invitation = searchParams.get('invitation');
  // No other site links somebody's account to the user of its own invitation: the person sees whose it is first.
  if (invitation !== null && visit.isOfOtherSite) {
    return visit.redirect(`/auth/invitation/${encodeURIComponent(invitation.slice(0, 128))}`);
  }
  const purpose: CompanyPurpose = {
    next,
    ...(isLinking ? { linkFor: visit.token } : {}),
    ...(invitation === null ? {} : { invitation: invitation.slice(0, 128) }),
    isAnew: session !== undefined && session.needs === undefined,
  };
  const begun = await company.begin(purpose);
  if (begun.kind === 'unreachable') {
    return showSignIn(visit, signIn, { next, message: begun.message, status: 503 });
  }
  visit.keepPending(begun.pending);
  return visit.redirect(begun.url);
}

/** `GET /auth/company/callback`: the browser is back from the provider. */
export async function callbackPage(
  visit: Visit,
  { signIn, company }: CompanyPages,
): Promise<Response> {
  const { pending, token, visitor } = visit;
  const done = await company.finish({ query: visit.url.search, pending, token, visitor });
  // Whatever came of it, it was tried once.
  visit.keepPending(undefined);
  const { next = accountPath } = done;
  switch (done.kind) {
    case 'signed_in':
      return goOn(visit, done, next);
    case 'linkable':
      return confirmLink(visit, company, done);
    case 'no_session':
      return visit.redirect(toSignIn(linkPath));
    case 'unreachable':
      return showSignIn(visit, signIn, { next, message: done.message, status: 503 });
    default:
      return showSignIn(visit, signIn, {
        next,
        message: messageOf(done),
        status: statusOf(done),
      });
  }
}

const confirmLink = (
  visit: Visit,
  { name }: CompanySignIn,
  { account, proof }: { readonly account: string; readonly proof: string },
): Promise<Response> =>
  visit.page(
    `Link your ${name} account?`,
    html`<p>
        Anyone who signs in to ${name} as <strong>${account}</strong> can then sign in here as you.
      </p>
      <form method="post" action="${linkPath}">
        ${visit.csrf()} ${hidden('proof', proof)}
        <div class="buttons"><button>Link</button><a href="${accountPath}">Cancel</a></div>
      </form>`,
  );

/** `GET` and `POST /auth/company/link`: links an account to the user who is signed in. */
export async function linkPage(visit: Visit, { company, now }: CompanyPages): Promise<Response> {
  const session = await visit.session();
  const isFresh = session && now() - Date.parse(session.authenticated_at) <= freshFor;
  if (!isFresh || session.needs !== undefined) return visit.redirect(toSignIn(linkPath));
  const show = (message?: string, status = 200): Promise<Response> =>
    visit.page(
      `Link your ${company.name} account`,
      html`${problem(message)}
        <p>Once it is linked, you can also sign in with your ${company.name} account.</p>
        ${continueWith(company, { link: '1', next: accountPath })}
        <p class="quiet"><a href="${accountPath}">Back to your account</a></p>`,
      { status },
    );
  if (visit.request.method !== 'POST') return show();
  const proof = (await visit.form()).get('proof') ?? '';
  const done = await company.link({ token: visit.token, proof, visitor: visit.visitor });
  if (done.kind === 'linked') return visit.redirect(accountPath);
  return done.kind === 'no_session' ? visit.redirect(toSignIn(linkPath)) : show(done.message, 422);
}

/** `POST /auth/company/unlink`. */
export async function unlinkPage(visit: Visit, { company }: CompanyPages): Promise<Response> {
  await visit.form();
  const done = await company.unlink({ token: visit.token, visitor: visit.visitor });
  if (done.kind === 'unlinked') return visit.redirect(accountPath);
  if (done.kind === 'no_session') return visit.redirect(toSignIn(accountPath));
  return visit.page(
    'Your account stays linked',
    html`${problem(done.message)}
      <p><a href="${accountPath}">Back to your account</a></p>`,
    { status: 422 },
  );
}

/** What the account page says of it. */
export const companyAccount = (
  visit: Visit,
  { company }: SignIn,
  { person: { account, password } }: Session,
): Html => {
  if (!company) return html``;
  if (!account) return html`<li><a href="${linkPath}">Link your ${company.name} account</a></li>`;
  return html`<li>
    Linked to <strong>${account.name}</strong> (${company.name})${
      account.managed ? ', which determines your roles' : ''
    }
    ${
      password
        ? html`<form method="post" action="${unlinkPath}">
            ${visit.csrf()}<button class="danger">Unlink</button>
          </form>`
        : ''
    }
  </li>`;
};
