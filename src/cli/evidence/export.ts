import type { Client } from '../../client/client.ts';
import { fillPath } from '../../client/client.ts';
import { contract } from '../../contract/contract.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context, Run } from '../context.ts';
import { findTrustedKey, shortKeyId } from '../credentials/trusted-key.ts';
import type { Destination } from '../download/destination.ts';
import { fileIn, parseDestination } from '../download/destination.ts';
import type { Downloaded } from '../download/download.ts';
import { fetchFile } from '../download/fetch-file.ts';
import { showSize } from '../download/sizes.ts';
import { writesFrom } from '../flags/place-to-write.ts';
import { withOurServer } from '../objects/our-server.ts';
import { parseTimeout } from '../objects/wait.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { typed } from '../terminal/typed.ts';
import type { Bundle } from './bundles.ts';
import { feature, momentOf } from './bundles.ts';
import { collect, howItEnded, waitForBundle } from './collect.ts';

interface ExportOptions {
  readonly args: readonly [named: string];
  readonly out?: string;
  readonly new?: boolean;
  readonly timeout: string;
}

/** 0 written, 1 the bundle has failed, 5 another key than the pinned one signed it, 8 it is still being built. */
export const runExport: Run<ExportOptions> = async (context, options) => {
  const [named] = options.args;
  const isId = named.startsWith('evd_');
  if (isId && options.new) {
    throw new GovctlError('usage_error', 'Use either a bundle ID or --new', {
      hint: 'Pass a framework such as soc2 with --new.',
    });
  }
  const timeoutMs = parseTimeout(options.timeout);
  // What can't be written is known before anything is collected.
  const destination = await placeFor(context, options.out);
  const client = await context.client();
  const trusted = await findTrustedKey(context, undefined, client.baseUrl);
  const { bundle, isReused } = await withOurServer(
    context,
    feature,
    'Looking for a bundle',
    async (_, update) => {
      const found = isId
        ? (await client.evidence.get({ params: { id: named } })).data
        : options.new
          ? undefined
          : await newestOf(client, named);
      const begun = found ?? (await collect(client, { framework: named }));
      const ended = await waitForBundle(context, client, begun, { timeoutMs, update });
      return { bundle: ended, isReused: found !== undefined && !isId };
    },
  );
  if (bundle.status === 'failed') throw hasFailed(bundle);
  if (bundle.status === 'building') return howItEnded(context, bundle, options.timeout);
  const file = fileIn(destination, fileNameOf(bundle));
  const downloaded = await fetchFile(context, client, {
    from: fillPath(contract.evidence.bundle.path, { id: bundle.id }),
    to: file,
    ...defined({ hash: bundle.bundle?.sha256.toLowerCase() }),
  });
  await context.show(exportView(bundle, file, downloaded, isReused));
  if (isReused) {
    await context.say(
      `Using the bundle from ${utcMinute(bundle.cut.at)}. To collect a new bundle, pass --new.`,
    );
  }
  const signer = bundle.bundle?.key_id ?? '';
  if (!trusted || signer === trusted.id) return exitCodes.ok;
  await context.warn(
    `this bundle is signed with key ${shortKeyId(signer)}, not with ${shortKeyId(trusted.id)}, the key pinned at login`,
  );
  return exitCodes.conflict;
};

/** @throws GovctlError usage_error for a pipe or a device */
async function placeFor(
  context: Context,
  out: string | undefined,
): Promise<Exclude<Destination, { readonly kind: 'stream' }>> {
  const files = { endings: ['.zip'], others: ['.json', '.pdf'] };
  const place = out === '-' ? undefined : await parseDestination(writesFrom(context), out, files);
  if (place !== undefined && place.kind !== 'stream') return place;
  throw new GovctlError('usage_error', `--out ${out}: must be a file or a directory`);
}

/** Bundles that are looked through for one of the whole framework. */
const mostSeen = 100;

/** The newest bundle of all controls of a framework that has not failed. */
async function newestOf(client: Client, framework: string): Promise<Bundle | undefined> {
  const { data } = await client.evidence.bundles({
    query: {
      framework,
      status: 'building,completed',
      sort_by: 'created_at',
      order: 'desc',
      limit: mostSeen,
    },
  });
  return data.bundles.find(({ controls }) => controls === undefined);
}

const hasFailed = ({ id, failure }: Bundle): GovctlError =>
  new GovctlError(
    'file_error',
    `Bundle ${id} failed: ${failure?.reason ?? 'the reason is unknown'}`,
    { hint: 'Run `govctl evidence collect` again.' },
  );

/** Made here, as a server could name anything. */
function fileNameOf({ id, framework }: Bundle): string {
  const plain = (text: string): string => text.replace(/[^\w-]+/g, '-').slice(0, 80);
  return `${plain(framework)}.${plain(id)}.zip`;
}

const exportView = (
  bundle: Bundle,
  file: string,
  { verified, ...downloaded }: Downloaded,
  isReused: boolean,
): View => ({
  value: {
    bundle,
    file: { file, ...downloaded, verified: verified === true },
    reused: isReused,
  },
  human: (style) =>
    [
      `${style.green('Wrote')} ${printableLine(file)} (${showSize(downloaded.bytes)}, SHA-256 ${downloaded.sha256})`,
      `As of  ${printableLine(momentOf(bundle.cut))}`,
      `To verify the bundle, run \`govctl evidence verify ${typed(file)}\`.`,
      '',
    ].join('\n'),
});
