import { readFile, stat } from 'node:fs/promises';
import { GovctlError } from '../../contract/errors.ts';
import { whyFileFailed } from '../read/file-failure.ts';
import { replaceFile } from '../write/replace-file.ts';
import { needsItsFile } from './change.ts';
import { Plan, digestPlan, planVariables } from './plan.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';

/** Bytes; ten thousand policies of usual size are a tenth of it. */
const largestPlan = 256 * 1024 * 1024;

/**
 * Writes a plan whole or not at all, readable by its owner only.
 * @throws GovctlError file_error, invalid_file where the plan could not be applied without telling a secret
 */
export async function writePlanFile(file: string, plan: Plan): Promise<void> {
  refuseWrittenOut(plan);
  try {
    await replaceFile(file, `${JSON.stringify(plan, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `The plan could not be written to ${file}: ${whyFileFailed(cause)}`,
      {
        cause,
        hint: 'Nothing was saved. Use a file in a writable directory.',
      },
    );
  }
}

function refuseWrittenOut({ changes }: Plan): void {
  const details = changes.filter(needsItsFile).map(({ key, place }) => ({
    field: place ? `${place.file}:${place.line}:${place.column}` : key,
    message: `${key} contains a plaintext secret, which cannot be saved in a plan file`,
  }));
  if (details.length === 0) return;
  throw new GovctlError('invalid_file', 'The plan cannot be saved', {
    details,
    hint: 'Use secret: ${WEBHOOK_SECRET} and set that variable, or apply the files directly.',
  });
}

/**
 * Reads a saved plan and checks that it is what govctl wrote.
 * @throws GovctlError invalid_file for what is no plan, plan_tampered where the digest does not fit
 */
export async function readPlanFile(file: string): Promise<Plan> {
  const given = parsePlanText(await readText(file), file);
  if (typeof given !== 'object' || given === null || !('digest' in given)) {
    throw notAPlan(file, 'JSON, but not a plan');
  }
  if ('format_version' in given && given.format_version !== 1) {
    throw notAPlan(
      file,
      `unsupported format version ${JSON.stringify(given.format_version)}; this version of govctl reads version 1`,
    );
  }
  // The digest covers what is written, so it is taken before anything is parsed into shape.
  if (digestPlan(given as Plan) !== given.digest) {
    throw new GovctlError(
      'plan_tampered',
      `${file} was modified since it was saved: its digest does not match`,
      {
        hint: 'Nothing was changed. Create a new plan with `govctl plan --out FILE`, and apply it.',
      },
    );
  }
  const plan = parseToFirstIssue(Plan, given);
  if (plan.success) {
    refuseUnhashed(plan.data, file);
    return plan.data;
  }
  const issue = plan.error.issues[0];
  throw notAPlan(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
}

/** A plan that could name any variable could be made to send any: only those it knows the value of are read. */
function refuseUnhashed(plan: Plan, file: string): void {
  const known = new Set(Object.keys(plan.variables ?? {}));
  const unknown = planVariables(plan).filter((name) => !known.has(name));
  if (unknown.length > 0) throw notAPlan(file, `missing hash of ${unknown.join(', ')}`);
  if (plan.changes.some(needsItsFile)) throw notAPlan(file, 'missing secret');
}

async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('the path is a directory');
    // Reading a pipe or a device could wait for ever.
    if (!found.isFile()) throw new Error('the path is not a file');
    if (found.size > largestPlan) throw new Error('too large for a plan');
    return await readFile(file, 'utf8');
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new GovctlError(
      'invalid_file',
      `The plan ${file} cannot be read: ${whyFileFailed(cause)}`,
      {
        cause,
        hint: missing ? 'Create a plan with `govctl plan --out FILE`.' : 'Check the path.',
      },
    );
  }
}

function parsePlanText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notAPlan(file, `not JSON (${whyFileFailed(cause)})`);
  }
}

const notAPlan = (file: string, reason: string): GovctlError =>
  new GovctlError('invalid_file', `${file} is not a saved plan: ${reason}`, {
    hint: 'Create a plan with `govctl plan --out FILE`. To apply YAML files, pass the files or their directory.',
  });

/** @throws GovctlError plan_expired, plan_foreign for a plan of another project */
export function refuseUnfit(
  plan: Plan,
  file: string,
  project: string | undefined,
  now: number,
): void {
  if (Date.parse(plan.expires_at) <= now) {
    throw new GovctlError('plan_expired', `${file} expired at ${plan.expires_at}`, {
      hint: 'Run plan again, review the plan, and apply it.',
    });
  }
  if (project !== undefined && project !== plan.project) {
    throw new GovctlError(
      'plan_foreign',
      `${file} was created for project "${plan.project}", but the current project is "${project}"`,
      { hint: 'Apply the plan from the repo in which it was created.' },
    );
  }
}

/** @throws GovctlError plan_foreign */
export function refuseOtherService(plan: Plan, file: string, baseUrl: string): void {
  if (sameService(baseUrl, plan.base_url)) return;
  throw new GovctlError(
    'plan_foreign',
    `${file} was created for ${plan.base_url}, but the current service is ${baseUrl}`,
    { hint: `Use --base-url ${plan.base_url}, or run plan again for this service.` },
  );
}

const sameService = (a: string, b: string): boolean => trimEnd(a, '/') === trimEnd(b, '/');
