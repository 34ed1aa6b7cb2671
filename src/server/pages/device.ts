import { html } from 'hono/html';
import type { Oauth, WaitingDevice } from '../oauth/service.ts';
import type { Session } from '../sign-in/service.ts';
import { grantable, scopeList } from './consent.ts';
import { field, hidden, tryAgainIn } from './layout.ts';
import { missingStep, toSignIn } from './sign-in.ts';
import type { CodeTries } from './code-tries.ts';
import type { Visit } from './visit.ts';

const here = '/auth/device';
/** Another path than the one that devices ask at, which clients POST to. */
const formPath = '/auth/device/code';

/** A sign-in of so many milliseconds ago counts as one for this device. */
const freshFor = 5 * 60_000;

/**
 * `GET /auth/device` and `POST /auth/device/code`: lets a device in whose code the person types. The code is never filled in: whoever sends
 * somebody a link must not be able to log in with their account.
 */
export async function devicePage(
  visit: Visit,
  oauth: Oauth,
  { tries, now }: { readonly tries: CodeTries; readonly now: () => number },
): Promise<Response> {
  const session = await visit.session();
  if (!session) return visit.redirect(toSignIn(here));
  const step = missingStep(session, here);
  if (step !== undefined) return visit.redirect(step);
  if (now() - Date.parse(session.authenticated_at) > freshFor)
    return visit.redirect(toSignIn(here));
  const ask = (message?: string, status = 200): Promise<Response> =>
    visit.page(
      'Log in on a device',
      html`<p>Enter the code that <code>govctl auth login</code> shows on your device.</p>
        <form method="post" action="${formPath}">
          ${visit.csrf()}
          ${field({ name: 'code', label: 'Code', autocomplete: 'off', autofocus: true, hint: '8 letters, such as BCDF-GHJK.', problem: message })}
          <div class="buttons"><button>Continue</button></div>
        </form>`,
      { status },
    );
  if (visit.request.method !== 'POST') return ask();
  const fields = await visit.form();
  const code = fields.get('code') ?? '';
  const tried = tries.begin(session.person.id);
  if (typeof tried === 'number') {
    return ask(`Too many incorrect codes. ${tryAgainIn(tried / 1_000)}`, 429);
  }
  const device = await oauth.findDevice(code);
  if (!device) {
    return ask(
      'No login is waiting for this code. Check the letters. Codes expire after 10 minutes: to get a new one, start the login again on the device.',
      422,
    );
  }
  tried();
  const decision = fields.get('decision');
  if (decision === null) return confirm(visit, { device, code, session });
  const granted = { by: visit.actor(session), scopes: grantable(device.scopes, session) };
  const isDone = await oauth.decideDevice(code, decision === 'allow' ? granted : undefined);
  if (!isDone)
    return ask('The code was already used or has expired. Start again on the device.', 422);
  return decision === 'allow'
    ? visit.page(
        'Device logged in',
        html`<p class="done">You can close this page and go back to your device.</p>`,
      )
    : visit.page(
        'Login denied',
        html`<p>
          The device was not logged in. If you did not start this login, someone else did, but they
          got no access. You can close this page.
        </p>`,
      );
}

const confirm = (
  visit: Visit,
  {
    device: { client, scopes, address, askedAt },
    code,
    session,
  }: { readonly device: WaitingDevice; readonly code: string; readonly session: Session },
): Promise<Response> =>
  visit.page(
    `Authorize ${client.name}?`,
    html`<p>Allow access only if you just started this login yourself.</p>
      <dl>
        <dt>Program</dt>
        <dd>${client.name}</dd>
        <dt>Requested from</dt>
        <dd>${address === '' ? 'an unknown address' : address}</dd>
        <dt>Requested at</dt>
        <dd>${askedAt.replace('T', ' ').slice(0, 16)} UTC</dd>
        <dt>Account</dt>
        <dd>${session.person.email}</dd>
      </dl>
      ${scopeList(grantable(scopes, session))}
      <form method="post" action="${formPath}">
        ${visit.csrf()} ${hidden('code', code)}
        <div class="buttons">
          <button name="decision" value="allow">Allow</button>
          <button class="quiet" name="decision" value="refuse">Deny</button>
        </div>
      </form>`,
  );
