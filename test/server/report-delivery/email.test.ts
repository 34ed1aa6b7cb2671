import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { StoredChannel } from '../../../src/server/report-delivery/channels/channel.ts';
import { notifyRecipients } from '../../../src/server/report-delivery/service.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import type { StoredReport } from '../../../src/server/reports/collection.ts';
import { reportDeliveries } from '../../../src/server/report-delivery/collection.ts';
import { makeSelfSigned } from '../../support/self-signed.ts';
import { startMailServer } from './mail-server.ts';
import type { MailServer, MailServerOptions, ReceivedMail } from './mail-server.ts';
import { openReportWorld } from './report-world.ts';
import type { ReportWorld } from './report-world.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serveMail(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options);
  open.push(server);
  return server;
}

async function worldWith(smtp: Parameters<MailServer['config']>[0], server: MailServer) {
  const world = await openReportWorld({ config: { smtp: server.config(smtp) } });
  open.push(world);
  return world;
}

const email = (fields: Partial<Extract<StoredChannel, { kind: 'email' }>> = {}): StoredChannel => ({
  kind: 'email',
  recipients: ['ann@one.example', 'bob@two.example'],
  ...fields,
});

async function deliver(world: ReportWorld, channel: StoredChannel, reportId: string) {
  const { id } = await world.queue(reportId, channel);
  await world.idle();
  return world.delivery(id);
}

const onlyMail = (server: MailServer): ReceivedMail => {
  const [mail, ...more] = server.mails;
  if (!mail || more.length > 0) throw new Error(`${server.mails.length} mails came`);
  return mail;
};

/** The headers of a message, unfolded. */
const headersOf = ({ text }: ReceivedMail): string =>
  text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');

/** What a quoted-printable or plain part says. */
const readable = ({ text }: ReceivedMail): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();

describe('a report that is mailed', () => {
  test('comes with its figures and its files', async () => {
    const server = await serveMail();
    const world = await worldWith(
      { reply_to: { name: '', address: 'ask@sender.example' } },
      server,
    );
    const pdf = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256));
    const report = await world.addReport({}, { pdf, csv: 'a,b\r\n1,2\r\n' });
    const delivery = await deliver(world, email(), report.id);

    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, target: '2 recipients' });
    const mail = onlyMail(server);
    expect(mail.to).toEqual(['ann@one.example', 'bob@two.example']);
    const headers = headersOf(mail);
    expect(headers).toContain('From: Reports <reports@sender.example>');
    expect(headers).toContain('To: ann@one.example, bob@two.example');
    expect(headers).toContain('Reply-To: ask@sender.example');
    expect(headers).toContain('Subject: Weekly review, 2026-03-01');
    expect(headers).toContain(`Message-ID: <${delivery.id}@sender.example>`);
    expect(headers).toContain('Auto-Submitted: auto-generated');
    const text = readable(mail);
    const figures = text.replaceAll('\r\n', '\n');
    expect(figures).toContain('Period: from Monday up to Monday\nCompliance score: 87.5%');
    expect(figures).toContain(
      '(1 critical, 3 high, 5 medium, 3 low)\nAttention: The score is of <now>',
    );
    expect(text).toContain('Violations: 12 (1 critical, 3 high, 5 medium, 3 low)');
    expect(text).toContain('report.pdf (5 kB)');
    expect(text).not.toContain('signature=');
    const base64 = pdf.toString('base64').replace(/(.{76})/g, '$1\r\n');
    expect(mail.text).toContain(base64);
  });

  test('has links in place of files where that is asked for, or where they are too large', async () => {
    const server = await serveMail();
    const world = await worldWith({}, server);
    const small = await world.addReport({}, { pdf: 'small' });
    await deliver(world, email({ attach: false }), small.id);
    const large = await world.addReport({}, { pdf: Buffer.alloc(10 * 1024 * 1024 + 1) });
    await deliver(world, email(), large.id);
    expect(server.mails).toHaveLength(2);
    for (const [at, { id }] of [small, large].entries()) {
      const mail = server.mails[at];
      if (!mail) throw new Error('none came');
      expect(mail.text.length).toBeLessThan(10_000);
      expect(readable(mail)).toContain(`pdf: https://governance.example/v1/reports/${id}/pdf?signature=a&b`); // prettier-ignore
      expect(readable(mail)).toContain('Download, until 2026-03-08');
      expect(readable(mail)).toContain('signature=a&amp;b">pdf</a>');
    }
  });

  test('has links where the mail server finds it too large', async () => {
    const server = await serveMail({
      refuseMessage: (text) =>
        text.length > 20_000 ? { code: 552, text: '5.3.4 message too big' } : undefined,
    });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: Buffer.alloc(30_000) });
    expect(await deliver(world, email(), report.id)).toMatchObject({ status: 'delivered', attempts: 1 }); // prettier-ignore
    expect(readable(onlyMail(server))).toContain('signature=a&b');
  });

  test('has the subject of its schedule, with the day of its zone', async () => {
    const server = await serveMail();
    const world = await worldWith({}, server);
    const channel = email({ subject: 'Für {{date}}: {{ report }} {{other}}' });
    const schedule = await world.addSchedule([channel], {
      schedule: { cron: '0 1 * * *', timezone: 'Pacific/Auckland' },
    });
    const report = await world.addReport({}, { pdf: 'x' });
    await world.queue(report.id, channel, schedule.id);
    await world.idle();
    const subject = /Subject: (.*)/.exec(headersOf(onlyMail(server)))?.[1] ?? '';
    const words = subject.replace(/\?=\s+=\?UTF-8\?Q\?/g, '').replace(/^=\?UTF-8\?Q\?|\?=$/g, '');
    const decoded = decodeURIComponent(words.replace(/_/g, ' ').replace(/=([0-9A-F]{2})/g, '%$1'));
    expect(decoded).toBe('Für 2026-03-02: Weekly review {{other}}');
    expect(readable(onlyMail(server))).toContain(`Sent by the schedule "Every Monday" (${schedule.id})`); // prettier-ignore
  });

  test('adds no header and no markup, whatever its names are', async () => {
    const server = await serveMail();
    const world = await worldWith({}, server);
    const name = 'x\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>"\u2028y';
    const report = await world.addReport({ name }, { pdf: 'x' });
    const file = report.result?.files[0];
    if (!report.result || !file) throw new Error('one was written');
    const files = [{ ...file, filename: '../"a\r\nX-Evil: 1"; name=b.pdf' }];
    const hostile = await world.addReport({ name, result: { ...report.result, files } });
    expect(await deliver(world, email(), hostile.id)).toMatchObject({ status: 'delivered' });
    const mail = onlyMail(server);
    expect(mail.to).toEqual(['ann@one.example', 'bob@two.example']);
    // Without the line breaks of its encoding, which may be anywhere.
    expect(readable(mail)).not.toMatch(/^(Bcc|X-Evil):/im);
    const html = readable(mail).split('Content-Type: text/html')[1];
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  test('tells of one that could not be made, and why', async () => {
    const server = await serveMail();
    const world = await worldWith({}, server);
    const completed = await world.addReport();
    const report: StoredReport = {
      ...completed,
      id: world.deps.ids.next('rpt'),
      status: 'failed',
      failure: { reason: 'the disk is full' },
      notify: ['ann@one.example'],
    };
    await world.store.transact(async (tx) => {
      await tx.insert(reports, report);
      await notifyRecipients(world.deps, tx, report);
    });
    await world.idle();
    expect(readable(onlyMail(server))).toContain('could not be generated: the disk is full');
    expect(readable(onlyMail(server))).toContain('Subject: Failed: Weekly review');
  });
});

describe('a mail server that refuses', () => {
  test('for now is tried again, with the same Message-ID', async () => {
    let busy = true;
    const ids: (string | undefined)[] = [];
    const server = await serveMail({
      refuseMessage(text) {
        ids.push(/^Message-ID: (.*)$/im.exec(text)?.[1]);
        return busy ? { code: 451, text: '4.3.0 try later' } : undefined;
      },
    });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    expect(delivery.error).toContain('4.3.0 try later');
    expect(Date.parse(delivery.next_attempt_at ?? '') - world.now).toBe(1_000);
    busy = false;
    await world.pass(1_000);
    const after = await world.delivery(delivery.id);
    expect(after).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(after.error).toBeUndefined();
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(world.ended).toEqual([after]);
  });

  test('one recipient for good: the others get it once, and it is said who did not', async () => {
    const server = await serveMail({
      refuse: (to) => (to.startsWith('bob') ? { code: 550, text: 'no such mailbox' } : undefined),
    });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(onlyMail(server).to).toEqual(['ann@one.example']);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(delivery.error).toMatch(/rejects mail for bob@two.example: "550 .*no such mailbox".*; the other 1 received it/); // prettier-ignore
    await world.pass(60_000);
    expect(server.mails).toHaveLength(1);
  });

  test('some recipients for now: only those are tried again', async () => {
    let tries = 0;
    const server = await serveMail({
      refuse: (to) => {
        if (to.startsWith('ann')) return undefined;
        tries += 1;
        return tries < 3 ? { code: 450, text: 'greylisted' } : undefined;
      },
    });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'pending' });
    await world.pass(60_000);
    expect(await world.delivery(delivery.id)).toMatchObject({ status: 'delivered', attempts: 3 });
    expect(server.mails.map(({ to }) => to)).toEqual([['ann@one.example'], ['bob@two.example']]);
  });

  test('all recipients for good ends it at once', async () => {
    const server = await serveMail({ refuse: () => ({ code: 550, text: 'unknown' }) });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(delivery.error).toContain('ann@one.example, bob@two.example');
  });

  test('the password is tried five times, and never shown', async () => {
    let logins = 0;
    const server = await serveMail({
      authOptional: false,
      onAuth(auth, _, done) {
        logins += 1;
        done(null, auth.password === 'right' ? { user: auth.username } : {});
      },
    });
    const world = await worldWith({ user: 'sender', password: 'wr0ng-s3cret' }, server);
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    await world.pass(3_600_000);
    const after = await world.delivery(delivery.id);
    expect(after).toMatchObject({ status: 'failed', attempts: 5 });
    expect(after.error).toContain('rejected the configured user and password');
    expect(logins).toBe(5);
    expect(JSON.stringify([after, world.logged])).not.toContain('wr0ng-s3cret');
  });

  test('goes away in the middle: it is tried again', async () => {
    const server = await serveMail({
      onData(stream) {
        stream.once('data', () => server.hangUp());
      },
    });
    const world = await worldWith({}, server);
    const report = await world.addReport({}, { pdf: Buffer.alloc(200_000) });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    expect(delivery.error).toMatch(/^The mail server (closed|could not be reached)/);
  });

  test('to be reached is tried for 24 hours, then it has failed', async () => {
    const nobody = createServer();
    await new Promise<void>((ready) => nobody.listen(0, '127.0.0.1', ready));
    const { port } = nobody.address() as AddressInfo; // of a socket that listens on a port
    await new Promise((closed) => nobody.close(closed));
    const smtp = { host: '127.0.0.1', port, tls: 'none', from: { name: '', address: 'a@b.example' } } as const; // prettier-ignore
    const world = await openReportWorld({ config: { smtp } });
    open.push(world);
    const report = await world.addReport({}, { pdf: 'x' });
    const { id } = await world.queue(report.id, email());
    await world.pass(31_000);
    expect(await world.delivery(id)).toMatchObject({ status: 'pending', attempts: 6 });
    await world.pass(25 * 3_600_000);
    const after = await world.delivery(id);
    expect(after).toMatchObject({ status: 'failed' });
    expect(after.attempts).toBeGreaterThan(30);
    expect(after.error).not.toContain('127.0.0.1');
    expect(world.ended).toHaveLength(1);
  });
});

const certificate = makeSelfSigned();

describe.skipIf(!certificate)('over TLS (needs openssl)', () => {
  const given = certificate ?? { key: '', cert: '' };
  const login: MailServerOptions = {
    ...given,
    authOptional: false,
    onAuth: (auth, _, done) => done(null, auth.password === 'right' ? { user: auth.username } : {}),
  };
  const sender = { user: 'sender', password: 'right' };

  test.each([
    ['begun with STARTTLS', 'starttls', false],
    ['from the first byte', 'tls', true],
  ] as const)(
    '%s, a server that the configured authority signed is sent to',
    async (_, tls, secure) => {
      // prettier-ignore
      const server = await serveMail({ ...login, secure });
      const world = await worldWith({ tls, ca: given.cert, ...sender }, server);
      const report = await world.addReport({}, { pdf: 'x' });
      expect(await deliver(world, email(), report.id)).toMatchObject({ status: 'delivered' });
      expect(onlyMail(server)).toMatchObject({ user: 'sender', secure: true });
    },
  );

  test('a server that nobody known has signed gets nothing, whatever the environment says', async () => {
    const server = await serveMail(login);
    const world = await worldWith({ tls: 'starttls', ...sender }, server);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, email(), report.id);
    expect(delivery).toMatchObject({ status: 'pending' });
    expect(delivery.error).toContain('TLS');
    expect(server.mails).toEqual([]);
  });

  test('a server that offers no STARTTLS gets nothing', async () => {
    const server = await serveMail();
    const world = await worldWith({ tls: 'starttls' }, server);
    const report = await world.addReport({}, { pdf: 'x' });
    expect((await deliver(world, email(), report.id)).error).toContain('TLS');
    expect(server.mails).toEqual([]);
  });
});

test('without a mail server, a delivery fails at once and says what is missing', async () => {
  const world = await openReportWorld();
  open.push(world);
  const report = await world.addReport({}, { pdf: 'x' });
  const delivery = await deliver(world, email(), report.id);
  expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
  expect(delivery.error).toContain('GOVCTL_SMTP_URL');
  expect(await world.store.laneState({ name: 'report_deliveries' }, `${report.id}/email`)).toMatchObject({ waiting: 0 }); // prettier-ignore
  expect((await world.store.get(reportDeliveries, delivery.id))?.doc).toEqual(delivery);
});
