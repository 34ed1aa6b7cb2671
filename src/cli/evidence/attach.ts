import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import { contract } from '../../contract/contract.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { ManualInput } from '../../contract/evidence.ts';
import { maxAttachedBytes } from '../../contract/evidence.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import type { Context, Run } from '../context.ts';
import { showSize } from '../download/sizes.ts';
import { readInputBytes } from '../flags/input-file.ts';
import { parseExpiry } from '../flags/moment.ts';
import { withOurServer } from '../objects/our-server.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Attached } from './attached.ts';
import { feature } from './bundles.ts';
import { labelOf } from './label.ts';

interface AttachOptions {
  readonly args: readonly [framework: string, control?: string];
  readonly file?: readonly string[];
  readonly text?: string;
  readonly expires: string;
}

/** Files of one command: all are read before the first is sent. */
const mostFiles = 20;

/** Attaches each file as a piece of evidence of its own, with the text; a text without files is one. */
export const runAttach: Run<AttachOptions> = async (context, options) => {
  const { args, file: files = [], text } = options;
  const control = labelOf(...args);
  if (text === undefined && files.length === 0) {
    throw new GovctlError('usage_error', 'Nothing to attach', {
      hint: 'Pass --file FILE, --text TEXT, or both.',
    });
  }
  if (files.length > mostFiles) {
    throw new GovctlError('usage_error', `--file: at most ${mostFiles} files at a time`);
  }
  const expires = parseLastDay(options.expires, context.world.now());
  const inputs: ManualInput[] = [];
  for (const file of files.length > 0 ? files : [undefined]) {
    inputs.push(
      checked({ control, expires, ...defined({ text }), ...(await read(context, file)) }),
    );
  }
  const attached: Attached[] = [];
  try {
    await withOurServer(context, feature, 'Attaching evidence', async (client, update) => {
      for (const [at, input] of inputs.entries()) {
        update(`Attaching ${input.file?.name ?? 'the text'}: ${at + 1} of ${inputs.length}`);
        attached.push(await send(client, input));
      }
    });
  } finally {
    // Also of those before one that failed.
    if (attached.length > 0) await context.show(attachedView(attached));
  }
  return exitCodes.ok;
};

/** The last day that evidence counts. @throws GovctlError usage_error */
function parseLastDay(text: string, now: number): string {
  const end = parseExpiry('--expires', text, now)?.slice(0, 10);
  if (end === undefined) {
    throw new GovctlError('usage_error', '--expires never: evidence must expire', {
      hint: 'Use a lifetime such as 365d, or a date, at most three years from now.',
    });
  }
  if (end >= new Date(now).toISOString().slice(0, 10)) return end;
  throw new GovctlError('usage_error', `--expires ${text}: must not be in the past`);
}

/** Of names that end so; what is none of them is just bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.zip': 'application/zip',
};

/** @throws GovctlError invalid_file for what can't be read, is empty or too large */
async function read(
  { world }: Context,
  file: string | undefined,
): Promise<Pick<ManualInput, 'file'>> {
  if (file === undefined) return {};
  const bytes = await readInputBytes(world, file, file, maxAttachedBytes);
  if (bytes.length === 0) throw new GovctlError('invalid_file', `${file} is empty`);
  const name = path.basename(file);
  const media_type = mediaTypes[path.extname(name).toLowerCase()] ?? 'application/octet-stream';
  return { file: { name, media_type, content: bytes.toString('base64') } };
}

/** @throws GovctlError invalid_evidence, before anything is sent */
function checked(input: ManualInput): ManualInput {
  const parsed = parseToFirstIssue(contract.evidence.attach.body, input);
  if (parsed.success) return input;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const which = field.startsWith('file') ? ` of ${JSON.stringify(input.file?.name)}` : '';
  throw new GovctlError(
    'invalid_evidence',
    `Nothing was attached: ${field}${which} ${issue?.message ?? 'is not valid'}`,
  );
}

/** @throws GovctlError bad_answer where the server has other bytes */
async function send(client: Client, body: ManualInput): Promise<Attached> {
  const { data } = await client.evidence.attach({ body });
  if (!body.file) return data;
  const bytes = Buffer.from(body.file.content, 'base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (data.file?.sha256 === sha256) return data;
  throw new GovctlError(
    'bad_answer',
    `${body.file.name} was attached as ${data.id}, but its SHA-256 in the service is different`,
    {
      hint: `Delete the evidence with \`govctl evidence delete ${data.id}\`, and attach the file again.`,
    },
  );
}

const attachedView = (attached: readonly Attached[]): View => ({
  value: { manual: attached },
  rows: () => attached,
  human: (style) =>
    attached
      .map(({ id, framework, control_id: control, expires, file }) => {
        const what = file ? `: ${file.name} (${showSize(file.size)}, SHA-256 ${file.sha256})` : '';
        return `${style.green('Attached')} ${printableLine(`${id} to ${framework}:${control} until ${expires}${what}`)}\n`;
      })
      .join(''),
});
