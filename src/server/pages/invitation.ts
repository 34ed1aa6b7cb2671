import { html } from 'hono/html';
import type { SignIn } from '../sign-in/service.ts';
import { field, username } from './layout.ts';
import { continueWith, goOn, messageOf, statusOf } from './sign-in.ts';
import type { Visit } from './visit.ts';

/** `GET` and `POST /auth/invitation/:token`: chooses the first password, or a new one after a reset. */
export async function invitationPage(
  visit: Visit,
  signIn: SignIn,
  invitation: string,
): Promise<Response> {
  const { company } = signIn;
  const known = await signIn.findInvitation(invitation);
  if (!known) {
    return visit.page(
      'This link no longer works',
      html`<p>
        The link has expired, was already used, or was replaced by a newer link. If you have already
        chosen a password, <a href="/auth/sign-in">sign in</a>. If not, ask an administrator for a
        new link.
      </p>`,
      { status: 410 },
    );
  }
  const show = (message?: string, status = 200): Promise<Response> =>
    visit.page(
      company ? 'Accept your invitation' : 'Choose a password',
      html`<p>You will sign in as <strong>${known.email}</strong>.</p>
        ${
          company
            ? html`${continueWith(company, { invitation, next: '/auth/account' })}
                <h2>Or choose a password</h2>`
            : ''
        }
        <form method="post">
          ${visit.csrf()} ${username(known.email)}
          ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', autofocus: !company, hint: 'At least 12 characters. Several unrelated words are easy to remember.', problem: message })}
          ${field({ name: 'again', label: 'Confirm the password', type: 'password', autocomplete: 'new-password' })}
          <div class="buttons">
            <button class="${company ? 'quiet' : ''}">Continue</button>
          </div>
        </form>`,
      { status },
    );
  if (visit.request.method !== 'POST') return show();
  const fields = await visit.form();
  const password = fields.get('password') ?? '';
  if (password !== fields.get('again')) return show('The passwords do not match.', 422);
  const tried = await signIn.acceptInvitation({ invitation, password, visitor: visit.visitor });
  if (tried.kind === 'signed_in') return goOn(visit, tried, '/auth/account');
  return show(messageOf(tried), statusOf(tried));
}
