import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import type { Boundary } from '../../project/read/boundary.ts';
import type { ReadOptions } from '../../inventory/model.ts';
import { readRemediationAction } from '../../contract/remediation-action.ts';
import { createChecker } from '../../project/check/checker.ts';
import type { Checker } from '../../project/check/checker.ts';
import { isStandardInput } from '../../project/check/discover-inputs.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import { exemptionsFor } from '../../project/check/exemptions.ts';
import { proposeInTemplate } from '../../project/fix/propose.ts';
import { unifiedDiff } from '../../project/fix/unified-diff.ts';
import { judge, keyOf, whyNoFix } from '../../project/fix/verify.ts';
import type { LoadedProject, LocalPolicy } from '../../project/model.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { takingTurns } from '../../project/read/turns.ts';
import type { PlacedFinding } from './placed-finding.ts';
import { compareSeverity } from './verdict.ts';

/** What became of one finding whose policy has a patch. */
interface Fix {
  readonly policy: string;
  readonly resource: string;
  readonly file: string;
  readonly offered: boolean;
  /** Why there is no fix. */
  readonly why?: string;
}

export interface Fixes {
  readonly fixes: readonly Fix[];
  /** What changes in a file, as `git apply` takes it. */
  readonly diffs: readonly {
    readonly file: string;
    readonly diff: string;
    readonly written: boolean;
  }[];
  /** Failing findings of policies without a patch. */
  readonly unpatched: number;
}

interface FixInput {
  readonly findings: readonly PlacedFinding[];
  readonly policies: readonly LocalPolicy[];
  readonly others: LoadedProject['others'];
  readonly files: readonly InputFile[];
  readonly now: number;
  /** How the templates were read. */
  readonly read: () => Promise<ReadOptions>;
  readonly outside: Boundary['outside'];
  readonly write: boolean;
  readonly signal: AbortSignal;
}

type Patches = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Characters. Each fix reads the file anew and asks all policies. */
const largestFile = 1024 * 1024;
/** Characters that are read anew for the fixes of one file, all in all: some seconds. */
const mostRead = 2_000_000;

/**
 * Fixes for failing findings, file by file, the gravest first: each is tried on the text with those before it, and offered
 * where the finding passes afterwards and nothing else is worse. @throws GovctlError interrupted
 */
export async function findFixes(input: FixInput): Promise<Fixes> {
  const { findings, policies, others, now, signal } = input;
  const patches: Patches = new Map(
    policies.flatMap(({ policy }) => {
      const action = readRemediationAction(policy.remediation_action ?? '');
      return action.kind === 'patch' ? [[policy.name, action.patch] as const] : [];
    }),
  );
  const failing = findings.filter(({ status }) => status === 'FAIL');
  const patched = failing.filter(({ policy }) => patches.has(policy));
  const checker = createChecker({
    policies: policies.map(({ policy, key }) => ({ policy, key })),
    exemptions: exemptionsFor(policies, others).map(({ exemption }) => exemption),
    now,
    all: false,
  });
  const options = await input.read();
  const turn = takingTurns(100, signal);
  const fixes: Fix[] = [];
  const diffs: Fixes['diffs'][number][] = [];
  for (const name of new Set(patched.map(({ file }) => file))) {
    const its = patched.filter((one) => one.file === name);
    const file = input.files.find((one) => one.file === name);
    const refused = (why: string) => fixes.push(...its.map((one) => ({ ...fixOf(one), why })));
    const text = file ? await readText(file) : { why: 'the finding is in no input file' };
    if (!file || 'why' in text) {
      refused('why' in text ? text.why : '');
      continue;
    }
    const found = await fixText(text.text, its, patches, options, checker, turn);
    const diff = unifiedDiff(name, text.text, found.text);
    const isFailed =
      input.write && diff !== ''
        ? await writeText(file, text.bytes, found.text, input.outside)
        : undefined;
    if (isFailed !== undefined) {
      refused(isFailed);
      continue;
    }
    fixes.push(...found.fixes);
    if (diff !== '') diffs.push({ file: name, diff, written: input.write });
  }
  return { fixes, diffs, unpatched: failing.length - patched.length };
}

const fixOf = ({ policy, resource, file }: PlacedFinding) => ({
  policy,
  resource,
  file,
  offered: false,
});

async function fixText(
  given: string,
  findings: readonly PlacedFinding[],
  patches: Patches,
  options: ReadOptions,
  checker: Checker,
  turn: () => Promise<void>,
): Promise<{ readonly text: string; readonly fixes: readonly Fix[] }> {
  let text = given;
  let before = await judge(given, options, checker, turn);
  const fixes: Fix[] = [];
  let read = 0;
  const gravest = findings.toSorted(
    (a, b) => compareSeverity(a.severity, b.severity) || a.line - b.line,
  );
  for (const finding of gravest) {
    const key = keyOf(finding.policy, finding.resource);
    const patch = patches.get(finding.policy);
    const resource = before?.resources.get(finding.resource);
    const refuse = (why: string) => fixes.push({ ...fixOf(finding), why });
    if (!before || !patch)
      refuse('fixes are for CloudFormation templates that can be read as a whole');
    else if (!resource) refuse('the template has several resources of this id');
    else if (!before.findings.has(key)) fixes.push({ ...fixOf(finding), offered: true });
    else if (read > mostRead)
      refuse('the file needs too many; write the others first, then run it again');
    else {
      read += text.length;
      const proposal = proposeInTemplate(text, resource.at, finding.resource_type, patch);
      if (!proposal.ok) {
        refuse(proposal.why);
        continue;
      }
      const after = await judge(proposal.text, options, checker, turn);
      const why = whyNoFix(before, after, key);
      if (why !== undefined || !after) refuse(why ?? '');
      else {
        fixes.push({ ...fixOf(finding), offered: true });
        text = proposal.text;
        before = after;
      }
    }
  }
  return { text, fixes };
}

async function readText(
  file: InputFile,
): Promise<{ readonly text: string; readonly bytes: Uint8Array } | { readonly why: string }> {
  if (isStandardInput(file)) return { why: 'standard input can not be changed' };
  if (file.size > largestFile) return { why: 'the file has more than 1 MiB' };
  try {
    const bytes = await readFile(file.absolute);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes), bytes };
  } catch (error) {
    return { why: error instanceof TypeError ? 'the file is not UTF-8' : whyFileFailed(error) };
  }
}

/** Replaces a file at once, with its mode. Why it was not, where it was not. */
async function writeText(
  { absolute }: InputFile,
  before: Uint8Array,
  text: string,
  outside: Boundary['outside'],
): Promise<string | undefined> {
  const target = outside(absolute);
  if (target !== undefined) return `not written: it leads to ${target}, outside the repo`;
  try {
    const real = await realpath(absolute);
    await access(real, constants.W_OK);
    const { mode } = await stat(real);
    return await replaceFile(real, before, text, mode);
  } catch (error) {
    return `not written: ${whyFileFailed(error)}`;
  }
}

async function replaceFile(
  file: string,
  before: Uint8Array,
  text: string,
  mode: number,
): Promise<string | undefined> {
  const half = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(half, text, { flag: 'wx', mode });
    await chmod(half, mode); // whatever the umask
    if (!(await readFile(file)).equals(before))
      return 'not written: the file was changed meanwhile';
    await rename(half, file);
    return undefined;
  } finally {
    await rm(half, { force: true });
  }
}
