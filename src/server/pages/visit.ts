import { parse, serialize } from 'hono/utils/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { timingSafeEqual } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { Actor } from '../http/call.ts';
import type { Peer } from '../http/peer.ts';
import type { Session, SignIn, Visitor } from '../sign-in/service.ts';
import { hidden, layout } from './layout.ts';
import type { Html } from './layout.ts';

/** Cookies of the pages, by what they are for. All are HttpOnly and of this host alone. */
type CookieName = 'session' | 'device' | 'form' | 'company';

/** Seconds. */
const yearly = 365 * 24 * 3_600;
const tenMinutes = 10 * 60;

export interface VisitParts {
  readonly deps: Pick<Deps, 'secrets' | 'random'>;
  readonly signIn: SignIn;
  /** Where browsers reach the service, without a trailing slash. */
  readonly issuer: string;
}

/** One request of a browser, and what its answer sets. */
export class Visit {
  readonly url: URL;
  private readonly cookies: Record<string, string>;
  private readonly set: string[] = [];
  private readonly secure: boolean;

  constructor(
    private readonly parts: VisitParts,
    readonly request: Request,
    private readonly peer: Peer,
    readonly requestId: string,
  ) {
    this.url = new URL(request.url);
    this.cookies = parse(request.headers.get('cookie') ?? '');
    this.secure = parts.issuer.startsWith('https:');
  }

  get visitor(): Visitor {
    const device = this.cookie('device');
    return {
      address: this.peer.remoteAddress,
      requestId: this.requestId,
      ...(device === undefined ? {} : { device }),
    };
  }

  /** The token of the session, whatever it opens. */
  get token(): string {
    return this.cookie('session') ?? '';
  }

  session(): Promise<Session | undefined> {
    return this.parts.signIn.currentSession(this.cookie('session'));
  }

  /** For the audit log. */
  actor({ id, person }: Session): Actor {
    return { userId: person.id, via: id, requestId: this.requestId };
  }

  private cookie(name: CookieName): string | undefined {
    return this.cookies[cookieName(name, this.secure)];
  }

  private setCookie(name: CookieName, value: string, options: CookieOptions = {}): void {
    const full = cookieName(name, this.secure);
    this.set.push(
      serialize(full, value, {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure: this.secure,
        ...options,
      }),
    );
    this.cookies[full] = value;
  }

  /** The browser has this session from now on. */
  enter({ token, device }: { readonly token: string; readonly device?: string }): void {
    this.setCookie('session', token);
    if (device !== undefined) this.setCookie('device', device, { maxAge: yearly });
  }

  /** What ties the answer of the company's provider to this browser. */
  get pending(): string | undefined {
    return this.cookie('company');
  }

  keepPending(pending: string | undefined): void {
    if (pending !== undefined) this.setCookie('company', pending, { maxAge: tenMinutes });
    else if (this.pending !== undefined) this.setCookie('company', '', { maxAge: 0 });
  }

  leave(): void {
    this.setCookie('session', '', { maxAge: 0 });
  }

  /** Shows that a form came from a page of this browser. */
  csrf(): Html {
    let own = this.cookie('form');
    if (own === undefined || !/^[\w-]{22}$/.test(own)) {
      own = Buffer.from(this.parts.deps.random(16)).toString('base64url');
      this.setCookie('form', own);
    }
    return hidden('csrf', this.proofOf(own));
  }

  private proofOf(own: string): string {
    return this.parts.deps.secrets.fingerprint(`form of ${own}`);
  }

  /**
   * The fields of a form that a page of this service sent.
   * @throws GovctlError malformed_request for a form of elsewhere
   */
  async form(): Promise<URLSearchParams> {
    const { bytes } = await readBody(this.request, formLimits);
    const fields = new URLSearchParams(bytes.toString('utf8'));
    const own = this.cookie('form');
    const isOwn = own !== undefined && isEqual(fields.get('csrf') ?? '', this.proofOf(own));
    if (own === undefined) {
      throw new GovctlError('malformed_request', 'Cookies are disabled', {
        hint: 'Allow cookies for this site. Then go back, reload the page, and try again.',
      });
    }
    if (!isOwn || !this.isFromHere()) {
      throw new GovctlError('malformed_request', 'The form has expired', {
        hint: 'Go back, reload the page, and try again.',
      });
    }
    return fields;
  }

  /** A link of another site led here, as far as the browser says. */
  get isOfOtherSite(): boolean {
    return /^(?:cross|same)-site$/.test(this.request.headers.get('sec-fetch-site') ?? '');
  }

  private isFromHere(): boolean {
    const site = this.request.headers.get('sec-fetch-site');
    if (site !== null) return site === 'same-origin';
    const origin = this.request.headers.get('origin');
    if (origin === null) return true;
    return origin === new URL(this.parts.issuer).origin || origin === this.url.origin;
  }

  async page(
    title: string,
    content: Html,
    { status = 200, formsTo = '' }: { readonly status?: number; readonly formsTo?: string } = {},
  ): Promise<Response> {
    const text = (await layout(title, content)).toString();
    return this.answer(text, {
      status,
      headers: pageHeaders({ 'Content-Type': 'text/html; charset=utf-8' }, formsTo),
    });
  }

  redirect(to: string): Response {
    return this.answer(null, { status: 303, headers: pageHeaders({ Location: to }) });
  }

  /** Adds the cookies that were set to an answer. */
  answer(body: string | null, init: ResponseInit): Response {
    const response = new Response(body, init);
    return this.withCookies(response);
  }

  withCookies(response: Response): Response {
    response.headers.set('X-Request-Id', this.requestId);
    for (const one of this.set) response.headers.append('Set-Cookie', one);
    return response;
  }
}

const formLimits = {
  bodyTypes: ['application/x-www-form-urlencoded'],
  maxBodyBytes: 16 * 1_024,
};

/** RFC 6265bis: with this prefix a browser takes it from this host over TLS only. */
const cookieName = (name: CookieName, secure: boolean): string =>
  `${secure ? '__Host-' : ''}govctl_${name}`;

/** The token of a session, by the Cookie header of a request. */
export const sessionOf = (cookies: string, secure: boolean): string | undefined =>
  parse(cookies)[cookieName('session', secure)];

const isEqual = (a: string, b: string): boolean => {
  const [given, right] = [Buffer.from(a), Buffer.from(b)];
  return given.length === right.length && timingSafeEqual(given, right);
};

/** @param formsTo where a form's answer may lead to, besides this service */
export const pageHeaders = (
  own: Readonly<Record<string, string>>,
  formsTo = '',
): Record<string, string> => ({
  ...own,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' ${formsTo}; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** Only pages of this service: nobody is sent elsewhere after signing in. */
export const safeNext = (next: string | null): string =>
  next !== null && /^\/auth\/[\w/?=&-]{0,500}$/.test(next) && !next.includes('//')
    ? next
    : '/auth/account';
