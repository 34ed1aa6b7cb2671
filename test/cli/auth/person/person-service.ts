import path from 'node:path';
import type { Fetch } from '../../../../src/client/http.ts';
import { platformInit } from '../../../../src/client/http.ts';
import type { FakeWorldSettings, Outcome } from '../../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../../support/fake-world.ts';
import { until } from '../../../support/until.ts';
import { base, startLoginService } from '../../../server/oauth/login-service.ts';

interface PersonServiceSettings {
  /** Answers in place of the service; undefined: the service does. */
  readonly instead?: (url: URL, body: string) => Response | undefined;
}

export type PersonService = Awaited<ReturnType<typeof startPersonService>>;

/** The service, as commands reach it, and a person with a browser. */
export async function startPersonService(home: string) {
  const service = await startLoginService();
  /** Method, path and grant of each request. */
  const seen: string[] = [];
  let instead: NonNullable<PersonServiceSettings['instead']> = () => undefined;
  const fetch: Fetch = async (url, init) => {
    const where = new URL(url);
    const grant = /grant_type(?:":"|=)([^"&]*)/.exec(init.body ?? '')?.[1];
    seen.push([init.method, where.pathname, grant].filter(Boolean).join(' '));
    const given = instead(where, init.body ?? '');
    return given ?? service.fetch(new Request(url, platformInit(init) as RequestInit));
  };
  const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
    runCommandLine(argv, worldOf(settings));
  const worldOf = (settings: FakeWorldSettings) =>
    createFakeWorld({
      cwd: home,
      fetch,
      ...settings,
      // Without a PATH nothing could be found that opens a browser.
      env: { GOVCTL_CONFIG_DIR: path.join(home, 'config'), PATH: home, ...settings.env },
    });

  /** Begins a command, and waits until what it says on stderr matches. */
  async function begin(argv: readonly string[], settings: FakeWorldSettings, says: RegExp) {
    const world = worldOf(settings);
    const outcome = runCommandLine(argv, world);
    let isOver = false;
    void outcome.then(() => (isOver = true));
    await until(() => isOver || says.test(world.written.stderr));
    const said = says.exec(world.written.stderr)?.[1];
    if (said === undefined) throw new Error(`it said: ${(await outcome).stderr}`);
    return { outcome, said };
  }

  const beginWeb = (settings: FakeWorldSettings = {}, ...more: string[]) =>
    begin(['auth', 'login', '--base-url', base, '--web', ...more], settings, /^(https:.*)$/m);

  /** The person signs in and allows it. @returns where the browser is sent back to */
  async function allow(address: string): Promise<URL> {
    const tab = service.browser();
    const page = await service.signIn(tab, new URL(address));
    const back = await tab.submit(page, { decision: 'allow' });
    return back.url;
  }

  async function logInByBrowser(settings: FakeWorldSettings = {}, ...more: string[]) {
    const { outcome, said } = await beginWeb(settings, ...more);
    const page = await globalThis.fetch(await allow(said));
    return { ...(await outcome), page: await page.text() };
  }

  const beginDevice = (settings: FakeWorldSettings = {}, ...more: string[]) =>
    begin(
      ['auth', 'login', '--base-url', base, '--device', ...more],
      settings,
      /enter the code ([A-Z-]{9})\./,
    );

  /** The person enters a code. */
  async function enter(code: string, decision = 'allow'): Promise<string> {
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    const confirm = await tab.submit(form, { code });
    return (await tab.submit(confirm, { decision })).title;
  }

  return {
    ...service,
    fetchAsCommands: fetch,
    seen,
    run,
    begin,
    beginWeb,
    allow,
    logInByBrowser,
    beginDevice,
    enter,
    answerInstead: (answer: typeof instead) => void (instead = answer),
  };
}

/** A change of what the service answers at a path. */
export const jsonAnswer = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
