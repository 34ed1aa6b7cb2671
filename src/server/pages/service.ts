import { html } from 'hono/html';
import { GovctlError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { Peer } from '../http/peer.ts';
import type { Oauth } from '../oauth/service.ts';
import type { SignIn } from '../sign-in/service.ts';
import { accountPage } from './account.ts';
import { createCodeTries } from './code-tries.ts';
import { callbackPage, linkPage, startPage, unlinkPage } from './company.ts';
import { interactionPage } from './consent.ts';
import { devicePage } from './device.ts';
import { invitationPage } from './invitation.ts';
import type { CallApi } from './keys.ts';
import { enrolmentPage, secondFactorPage, signInPage, signOut } from './sign-in.ts';
import { style } from './style.ts';
import { Visit } from './visit.ts';

export interface PagesOptions {
  readonly signIn: SignIn;
  readonly oauth: Oauth;
  /** Where browsers reach the service, without a trailing slash. */
  readonly issuer: () => string;
  readonly callApi: CallApi;
  /** Whether device codes are issued. */
  readonly hasDevices: boolean;
}

/** The pages that people see in a browser. */
export interface Pages {
  /** Undefined: there is no such page. */
  answer(request: Request, peer: Peer, requestId: string): Promise<Response> | undefined;
}

interface Page {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly show: (visit: Visit, part: string | undefined) => Promise<Response>;
}

export function createPages(deps: Deps, options: PagesOptions): Pages {
  const { signIn, oauth, callApi, hasDevices } = options;
  const tries = createCodeTries(() => deps.clock.monotonic());
  const now = (): number => deps.clock.now();
  const both = ['GET', 'POST'];
  const showDevice = (visit: Visit): Promise<Response> => devicePage(visit, oauth, { tries, now });
  const pages: Page[] = [
    { methods: ['GET'], path: /^\/auth\/style\.css$/, show: showStyle },
    { methods: both, path: /^\/auth\/sign-in$/, show: (visit) => signInPage(visit, signIn) },
    { methods: ['POST'], path: /^\/auth\/sign-out$/, show: (visit) => signOut(visit, signIn) },
    { methods: both, path: /^\/auth\/second-factor$/, show: (visit) => secondFactorPage(visit, signIn) }, // prettier-ignore
    { methods: both, path: /^\/auth\/second-factor\/new$/, show: (visit) => enrolmentPage(visit, signIn) }, // prettier-ignore
    {
      methods: both,
      path: /^\/auth\/invitation\/([\w-]{1,128})$/,
      show: (visit, invitation = '') => invitationPage(visit, signIn, invitation),
    },
    {
      methods: both,
      path: /^\/auth\/interaction\/[\w-]{1,64}$/,
      show: (visit) => interactionPage(visit, oauth),
    },
    ...(hasDevices
      ? [
          { methods: ['GET'], path: /^\/auth\/device$/, show: showDevice },
          { methods: ['POST'], path: /^\/auth\/device\/code$/, show: showDevice },
        ]
      : []),
    {
      methods: both,
      path: /^\/auth\/account(?:\/([a-z-]{1,32}))?$/,
      show: (visit, action) =>
        accountPage(visit, { signIn, programs: oauth, callApi, now }, action),
    },
  ];
  const { company } = signIn;
  if (company) {
    const parts = { signIn, company, now };
    pages.push(
      {
        methods: ['GET'],
        path: /^\/auth\/company\/start$/,
        show: (visit) => startPage(visit, parts),
      },
      { methods: ['GET'], path: /^\/auth\/company\/callback$/, show: (visit) => callbackPage(visit, parts) }, // prettier-ignore
      { methods: both, path: /^\/auth\/company\/link$/, show: (visit) => linkPage(visit, parts) },
      { methods: ['POST'], path: /^\/auth\/company\/unlink$/, show: (visit) => unlinkPage(visit, parts) }, // prettier-ignore
    );
  }
  return {
    answer(request, peer, requestId) {
      const { pathname } = new URL(request.url);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      for (const { methods, path, show } of pages) {
        const match = path.exec(pathname);
        if (!match || !methods.includes(method)) continue;
        const visit = new Visit(
          { deps, signIn, issuer: options.issuer() },
          request,
          peer,
          requestId,
        );
        return show(visit, match[1]).catch((error: unknown) => failed(deps, visit, error));
      }
      return undefined;
    },
  };
}

const showStyle = (visit: Visit): Promise<Response> =>
  Promise.resolve(
    visit.answer(style, {
      headers: {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': 'max-age=3600',
        'X-Content-Type-Options': 'nosniff',
      },
    }),
  );

/** What people see instead of JSON. */
function failed(deps: Deps, visit: Visit, error: unknown): Promise<Response> {
  if (error instanceof GovctlError) {
    return visit.page('Request failed', html`<p>${error.message}.</p>${error.hint === undefined ? '' : html`<p>${error.hint}</p>`}`, { status: error.status ?? 400 }); // prettier-ignore
  }
  deps.log.error({ err: error, request_id: visit.requestId }, 'a page failed');
  return visit.page('Something went wrong', html`<p>Try again. If it happens again, send this ID to the server's operator: ${visit.requestId}</p>`, { status: 500 }); // prettier-ignore
}
