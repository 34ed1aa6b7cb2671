import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import * as z from 'zod';
import type { Client } from '../../client/client.ts';
import type { HttpAnswer } from '../../client/http.ts';
import { listAll } from '../../client/list-all.ts';
import { createTransport } from '../../client/transport.ts';
import { connectAs, transportOptions } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { isLoopback, isUnprotected } from '../credentials/base-url.ts';
import { readOffset } from '../service-clock.ts';
import { describeOffset } from '../../contract/duration.ts';
import type { ClientCertificate } from '../credentials/client-certificate.ts';
import { certificateFilesOf, readClientCertificate } from '../credentials/client-certificate.ts';
import type { Target } from '../credentials/find-login.ts';
import { findTarget, profileOf } from '../credentials/find-login.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';
import { describeSource } from '../auth/describe-login.ts';
import { describeVerdict, verifyLogin } from '../auth/verify-login.ts';
import { GovctlError } from '../../contract/errors.ts';
import { count } from '../terminal/printable.ts';
import { typed } from '../terminal/typed.ts';
import { isDropping, nameOf, shownWebhooks } from '../webhook/webhook-objects.ts';
import type { ShownWebhook } from '../webhook/webhook-objects.ts';
import type { Finding } from './finding.ts';
import { failure } from './finding.ts';

/** The way to the service, step by step; after a step that fails the next ones are not tried. */
export async function serviceChecks(context: Context): Promise<Finding[]> {
  let target: Target;
  try {
    target = await findTarget(context, await projectBaseUrl(context));
  } catch (error) {
    return [failure('service', error)];
  }
  const { baseUrl } = target;
  const findings: Finding[] = [
    isUnprotected(baseUrl)
      ? {
          check: 'service',
          status: 'warn',
          message: `${baseUrl} is not encrypted`,
          hint: 'Use https://.',
        }
      : { check: 'service', status: 'ok', message: baseUrl },
  ];
  // A fetch that was put in place of the network has no addresses and no sockets to look at.
  if (!context.world.fetch) findings.push(...(await wireChecks(context, target)));
  if (findings.some(({ status }) => status === 'fail')) return findings;
  const answered = await checkHealth(context, target);
  findings.push(...answered);
  if (answered.some(({ status }) => status === 'fail')) return findings;
  const ready = await checkReady(context, target);
  if (ready) findings.push(ready);
  if (ready?.status !== 'fail') findings.push(...(await checkLogin(context, target)));
  return findings;
}

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

async function wireChecks(context: Context, target: Target): Promise<Finding[]> {
  const { world } = context;
  const { baseUrl } = target;
  const proxy = proxyVariables.find((name) => world.env[name]);
  if (proxy && !isLoopback(baseUrl))
    return [{ check: 'proxy', status: 'ok', message: `requests go through ${proxy}` }];
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const findings: Finding[] = [];
  try {
    const addresses = await lookup(host, { all: true });
    findings.push({
      check: 'dns',
      status: 'ok',
      message: addresses.map(({ address }) => address).join(', '),
    });
  } catch (error) {
    return [
      { ...failure('dns', error), hint: `Check the host name ${host}, your DNS and your VPN.` },
    ];
  }
  try {
    await connected(() => net.connect({ host, port }), 'connect');
    findings.push({ check: 'tcp', status: 'ok', message: `port ${port} is open` });
  } catch (error) {
    return [
      ...findings,
      {
        ...failure('tcp', error),
        hint: 'Check the port, the firewall, and that the server is running.',
      },
    ];
  }
  if (url.protocol !== 'https:') return findings;
  const own = await ownCertificate(context, target);
  if (own) findings.push(own.finding);
  findings.push(await checkCertificate({ host, port, ...own?.certificate }, world.now()));
  return findings;
}

const dayMs = 86_400_000;
const soonDays = 14;

/** What the service is shown, if anything. */
async function ownCertificate(
  { world, warn }: Context,
  { login }: Target,
): Promise<{ readonly finding: Finding; readonly certificate?: ClientCertificate } | undefined> {
  const check = 'client cert';
  try {
    const files = certificateFilesOf(world, profileOf(login));
    if (!files) return undefined;
    const certificate = await readClientCertificate(files, { warn, now: world.now });
    const { validTo } = new X509Certificate(certificate.cert);
    return { finding: expiring(check, files.cert, validTo, world.now()), certificate };
  } catch (error) {
    return { finding: failure(check, error) };
  }
}

function expiring(check: string, what: string, validTo: string, now: number): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / dayMs);
  const message = days < 0 ? `${what}, expired` : `${what}, ${count(days, 'day')} left`;
  if (days >= soonDays) return { check, status: 'ok', message };
  return { check, status: 'warn', message, hint: 'Renew the certificate.' };
}

async function checkCertificate(
  options: tls.ConnectionOptions & { readonly host: string },
  now: number,
): Promise<Finding> {
  const check = 'tls';
  try {
    const servername = net.isIP(options.host) ? {} : { servername: options.host };
    const socket = await connected(
      () => tls.connect({ ...options, ...servername }),
      'secureConnect',
    );
    const { validTo, issuer } = socket;
    return expiring(
      check,
      `${socket.protocol ?? 'TLS'}, certificate issued by ${issuer}`,
      validTo,
      now,
    );
  } catch (error) {
    if (/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(String((error as { code?: unknown }).code))) {
      return {
        check,
        status: 'fail',
        message: 'this port uses HTTP, not HTTPS',
        hint: 'Use http:// in the URL, or the port for HTTPS.',
      };
    }
    return {
      ...failure(check, error),
      hint: 'If the server uses its own certificate authority, set NODE_EXTRA_CA_CERTS to the file with the CA certificate.',
    };
  }
}

const connectWithinMs = 5_000;

interface CertificateFacts {
  readonly protocol: string | null;
  readonly issuer: string;
  readonly validTo: string;
}

/** Opens a socket, reads what it can say of its certificate, and closes it. */
function connected(open: () => net.Socket, ready: string): Promise<CertificateFacts> {
  return new Promise((resolve, reject) => {
    const socket = open();
    socket.setTimeout(connectWithinMs, () =>
      socket.destroy(new Error(`no response within ${connectWithinMs / 1000} s`)),
    );
    socket.once('error', reject);
    socket.once(ready, () => {
      const certificate = socket instanceof tls.TLSSocket ? socket.getPeerCertificate() : undefined;
      const issuer: string | string[] | undefined =
        certificate?.issuer?.O ?? certificate?.issuer?.CN;
      resolve({
        protocol: socket instanceof tls.TLSSocket ? socket.getProtocol() : null,
        issuer: Array.isArray(issuer) ? issuer.join(', ') : (issuer ?? 'an unnamed issuer'),
        validTo: certificate?.valid_to ?? '',
      });
      socket.destroy();
    });
  });
}

/** Milliseconds by which the clocks may differ before tokens seem expired, or not yet valid. */
const clockToleranceMs = 60_000;

const askOnce = (context: Context, { baseUrl, login }: Target, path: string): Promise<HttpAnswer> =>
  createTransport({
    ...transportOptions(context, baseUrl, profileOf(login)),
    retries: 0,
    timeoutMs: 10_000,
  }).exchange('GET', path, { anonymous: true });

/** Why our server serves nothing yet, or no more, though it is up, or not all. Others have no such address. */
async function checkReady(context: Context, target: Target): Promise<Finding | undefined> {
  const check = 'ready';
  try {
    const answer = await askOnce(context, target, '/readyz');
    const { status, reasons: why = [] } = readinessIn(await answer.text());
    if (answer.ok && status === 'degraded') {
      return {
        check,
        status: 'warn',
        message: ['the service is degraded', ...why].join(': '),
        hint: "Check the server's log. If the disk is full or read-only, free space or remount it.",
      };
    }
    if (answer.status !== 503) return undefined;
    return {
      check,
      status: 'fail',
      message: ['the service is running, but not ready', ...why].join(': '),
      hint: "Retry once /readyz returns 200. If it does not, check the server's log.",
    };
  } catch (error) {
    return failure(check, error);
  }
}

const Readiness = z.object({
  status: z.string().optional(),
  reasons: z.array(z.string()).optional(),
});

/** A gateway in front answers in its own words. */
function readinessIn(text: string): z.infer<typeof Readiness> {
  try {
    return Readiness.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

async function checkHealth(context: Context, target: Target): Promise<Finding[]> {
  const check = 'health';
  let answer: HttpAnswer;
  try {
    answer = await askOnce(context, target, '/healthz');
  } catch (error) {
    return [failure(check, error)];
  }
  const clock = checkClock(
    answer.headers.get('date'),
    context.world.now(),
    isLoopback(target.baseUrl),
    readOffset(answer.headers),
  );
  const rest = clock ? [clock] : [];
  if (answer.ok)
    return [{ check, status: 'ok', message: `/healthz returns ${answer.status}` }, ...rest];
  if (answer.status === 404 || answer.status === 401 || answer.status === 405) {
    return [
      {
        check,
        status: 'ok',
        message: 'responds, but without /healthz, which is an extension of `govctl server`',
      },
      ...rest,
    ];
  }
  return [
    {
      check,
      status: 'fail',
      message: `/healthz returns ${answer.status}`,
      hint: "Check the server's log.",
    },
    ...rest,
  ];
}

export function checkClock(
  date: string | null,
  now: number,
  isLocal = false,
  offset = 0,
): Finding | undefined {
  const theirs = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return undefined;
  const seconds = Math.round((now - theirs) / 1000);
  const check = 'clock';
  if (isLocal && offset !== 0) {
    const message = `the clock of this local server was moved by ${describeOffset(offset)}`;
    return { check, status: 'ok', message };
  }
  if (Math.abs(now - theirs) <= clockToleranceMs)
    return { check, status: 'ok', message: "matches the service's clock" };
  return {
    check,
    status: 'warn',
    message: `this machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service's clock`,
    hint: isLocal
      ? 'If the clock of this local server was moved, run `govctl server clock reset`.'
      : 'Synchronize the clock (NTP): it determines when tokens and plans expire.',
  };
}

async function checkLogin(context: Context, target: Target): Promise<Finding[]> {
  const check = 'login';
  if (!target.login) return [failure(check, target.missing)];
  try {
    const { client } = await connectAs(context, target.baseUrl, target.login);
    const verdict = await verifyLogin(client);
    const message = `${describeSource(target.login)}: ${describeVerdict(verdict)}`;
    if (!verdict.reads) return [{ check, status: 'warn', message }];
    return [{ check, status: 'ok', message }, ...(await checkWebhooks(client))];
  } catch (error) {
    return [failure(check, error)];
  }
}

/** Whether events of any webhook are being dropped, where the service says so. */
async function checkWebhooks(client: Client): Promise<Finding[]> {
  const dropping: ShownWebhook[] = [];
  try {
    for await (const webhook of listAll(client, shownWebhooks)) {
      if (isDropping(webhook)) dropping.push(webhook);
    }
  } catch (error) {
    // A service without webhooks has none that lose events.
    if (error instanceof GovctlError && error.error !== 'interrupted') return [];
    throw error;
  }
  const [first] = dropping;
  if (!first) return [];
  const others =
    dropping.length > 1 ? `, and of ${count(dropping.length - 1, 'other webhook')}` : '';
  return [
    {
      check: 'webhooks',
      status: 'warn',
      message: `${count(first.dropped?.events ?? 0, 'event')} of ${nameOf(first)} dropped since ${first.dropped?.since ?? ''}${others}`,
      hint: `Too many events are queued, or events are queued for too long. Run \`govctl webhook get ${typed(first.id)}\`, then fix the receiver or delete the webhook.`,
    },
  ];
}
