/** A browser without JavaScript: keeps cookies, follows redirects within the service, and sends forms. */
export type Fetch = (request: Request) => Promise<Response>;

export interface Page {
  readonly status: number;
  readonly url: URL;
  readonly text: string;
  readonly headers: Headers;
  /** The first heading. */
  readonly title: string;
}

export class Browser {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  constructor(
    private readonly base: string,
    private readonly fetch: Fetch,
  ) {}

  cookie(name: string): string | undefined {
    return this.cookies.get(name)?.value;
  }

  /** Ends at a page, or at a redirect to elsewhere. */
  async open(where: string | URL, init: RequestInit = {}): Promise<Page> {
    let url = new URL(where, this.base);
    let next: RequestInit = init;
    for (let hops = 0; hops < 20; hops++) {
      const headers = new Headers(next.headers);
      const sent = [...this.cookies].filter(([, { path }]) => isBelow(url.pathname, path));
      if (sent.length > 0) headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; ')); // prettier-ignore
      const response = await this.fetch(new Request(url, { ...next, headers, redirect: 'manual' }));
      this.keep(response, url);
      const to = response.headers.get('location');
      if (to === null || ![302, 303].includes(response.status)) {
        const text = await response.text();
        return { status: response.status, url, text, headers: response.headers, title: titleOf(text) }; // prettier-ignore
      }
      url = new URL(to, url);
      next = {};
      if (url.origin !== new URL(this.base).origin) {
        return { status: response.status, url, text: '', headers: response.headers, title: '' };
      }
    }
    throw new Error(`too many redirects, the last one to ${url.href}`);
  }

  /** Sends the only form of a page, with its hidden fields; `decision` and the like as its buttons would. */
  submit(page: Page, fields: Readonly<Record<string, string>>, action?: string): Promise<Page> {
    const forms = [...page.text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form);
    const form = forms.find((one) => action === undefined || one.includes(`action="${action}"`)) ?? ''; // prettier-ignore
    const body = new URLSearchParams();
    for (const [input] of form.matchAll(/<input[^>]*>/g)) {
      if (!/type="hidden"/.test(input)) continue;
      body.set(attribute(input, 'name'), attribute(input, 'value'));
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const where = attribute(/<form[^>]*>/.exec(form)?.[0] ?? '', 'action') || page.url.pathname;
    return this.open(where, {
      method: 'POST',
      body: body.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: new URL(this.base).origin,
      },
    });
  }

  private keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]; // prettier-ignore
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? url.pathname;
      const isGone = value === '' || attributes.some((one) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(one)); // prettier-ignore
      if (isGone) this.cookies.delete(name);
      else this.cookies.set(name, { value, path });
    }
  }
}

const isBelow = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const titleOf = (text: string): string => /<h1>([\s\S]*?)<\/h1>/.exec(text)?.[1]?.trim() ?? '';
