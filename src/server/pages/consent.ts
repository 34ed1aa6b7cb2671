import { html } from 'hono/html';
import { permits } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { scopeTexts } from '../../contract/scope-texts.ts';
import type { Interaction, Oauth } from '../oauth/service.ts';
import type { Session } from '../sign-in/service.ts';
import type { Html } from './layout.ts';
import { missingStep, toSignIn } from './sign-in.ts';
import type { Visit } from './visit.ts';

/** `GET` and `POST /auth/interaction/:uid`: signs the person in, then asks whether the client may act for them. */
export async function interactionPage(visit: Visit, oauth: Oauth): Promise<Response> {
  const asked = await oauth.interaction(visit.request);
  if (!asked) {
    return visit.page(
      'This login has expired',
      html`<p>
        The login took too long, was already completed, or was started in another browser. Go back
        to the program that you wanted to log in to, and try again.
      </p>`,
      { status: 410 },
    );
  }
  const here = visit.url.pathname;
  const session = await visit.session();
  if (!session) return visit.redirect(toSignIn(here));
  const step = missingStep(session, here);
  if (step !== undefined) return visit.redirect(step);
  if (visit.request.method === 'POST') {
    const fields = await visit.form();
    if (fields.get('decision') !== 'allow') return visit.withCookies(await oauth.refused(visit.request)); // prettier-ignore
    const consent = { ...asked, by: visit.actor(session) };
    return visit.withCookies(
      await oauth.consented(visit.request, consent, grantable(asked.scopes, session)),
    );
  }
  const at = Date.parse(session.authenticated_at);
  if (asked.since !== undefined && at < asked.since) return visit.redirect(toSignIn(here));
  if (asked.asks === 'login' || asked.userId !== session.person.id) {
    return visit.withCookies(await oauth.signedIn(visit.request, session.person.id, at));
  }
  return showConsent(visit, asked, session);
}

/** What a client may get of what it wants: what the person may do. */
export const grantable = (wanted: readonly Scope[], { person }: Session): readonly Scope[] =>
  wanted.filter((scope) => permits(person.scopes, scope));

function showConsent(visit: Visit, { client, scopes, redirectUri }: Interaction, session: Session) {
  const { origin, host, hostname } = new URL(redirectUri);
  const granted = grantable(scopes, session);
  return visit.page(
    `Authorize ${client.name}?`,
    html`<p>
        ${
          client.isOwn
            ? 'Allow access only if you just started this login yourself.'
            : html`This is a third-party program, not part of govctl. Allow it only if you trust
                <strong>${host}</strong> and just started this login yourself.`
        }
      </p>
      <dl>
        <dt>Program</dt>
        <dd>${client.name}</dd>
        <dt>Returns to</dt>
        <dd>${hostname === '127.0.0.1' ? `this device (${host})` : host}</dd>
        <dt>Account</dt>
        <dd>${session.person.email}</dd>
      </dl>
      ${scopeList(granted)}
      <form method="post">
        ${visit.csrf()}
        <div class="buttons">
          <button name="decision" value="allow">Allow</button>
          <button class="quiet" name="decision" value="refuse">Deny</button>
        </div>
      </form>
      <p class="quiet">
        Not you? <a href="${toSignIn(visit.url.pathname)}">Sign in as someone else</a>
      </p>`,
    { formsTo: origin },
  );
}

export const scopeList = (granted: readonly Scope[]): Html =>
  granted.length === 0
    ? html`<p>It can see who you are, but nothing else.</p>`
    : html`<p>It can:</p>
        <ul>
          ${granted.map((scope) => html`<li>${scopeTexts[scope]} <span class="quiet">(${scope})</span></li>`)}
        </ul>`;
