import { defined } from '../../contract/defined.ts';
import type { Resource } from '../../contract/resources.ts';
import { partAtFault, partsOf } from '../../inventory/attributes/normalise.ts';
import type { MetadataSkip, ReadOptions, ReadResource } from '../../inventory/model.ts';
import type { CheckedFinding } from '../../project/check/checker.ts';
import { createSkipReader } from '../../project/check/inline-skips.ts';
import type { AttachedSkip, InlineSkip } from '../../project/check/inline-skips.ts';
import { placeLeftOut } from '../../project/check/left-out.ts';
import type { Place } from '../../project/model.ts';
import { takingTurns } from '../../project/read/turns.ts';
import { duplicateAt, noticeAt } from './check-run.ts';
import type { CheckRun } from './check-run.ts';
import type { DocumentRead } from './documents.ts';
import type { PlacedFinding } from './placed-finding.ts';
import type { SourcePlaces } from './source-places.ts';

export interface DocumentOptions extends ReadOptions {
  /** Other files than the input in which resources stand. */
  readonly sources?: SourcePlaces | undefined;
  /** Whether what resources ask to skip is skipped. */
  readonly inlineSkips?: boolean | undefined;
  /** Which resources are checked; default: all. */
  readonly wants?: ((read: ReadResource) => boolean) | undefined;
  /** Adds to a finding what it says with the resource at hand. */
  readonly complete?: ((finding: PlacedFinding, read: ReadResource) => PlacedFinding) | undefined;
}

/** A resource or a part of one. */
type Placed = Pick<ReadResource, 'resource' | 'address' | 'at' | 'skips'>;

const fileStart = { line: 1, column: 1 };

const noSkips: readonly MetadataSkip[] = [];

/** What a resource and the parts that are joined into it ask to skip. */
const attachedSkips = (
  { resource, address, at, skips }: ReadResource,
  skipsOf: (read: Placed) => readonly InlineSkip[],
): AttachedSkip[] => [
  ...skipsOf({ resource, address, at, ...defined({ skips }) }).map((skip) => ({ skip })),
  ...partsOf(resource).flatMap((part) =>
    skipsOf({ ...part, resource }).map((skip) => ({ skip, part })),
  ),
];

/** Resources between two looks at whether the check was interrupted: some milliseconds, but for costly conditions. */
const resourcesOfTurn = 500;

/** Not what a reader finds wrong with its text, which is none of a format that is read. */
const explainOwnLanguage = (file: string) => {
  const message = ownLanguages.find(([ending]) => ending.test(file))?.[1];
  return message === undefined ? undefined : { message };
};

const ownLanguages: readonly (readonly [RegExp, string])[] = [
  [
    /\.(?:tf|hcl)$/i,
    'Terraform configuration cannot be checked directly; check a plan: terraform plan -out plan.out && terraform show -json plan.out > plan.json',
  ],
  [
    /\.bicep$/i,
    'Bicep cannot be checked directly; build a template first: az bicep build --file main.bicep',
  ],
];

/**
 * Checks the resources of one document that is read as a whole: a template, a plan, a snapshot, an export in several files.
 * @throws GovctlError interrupted
 */
export async function checkDocument(
  document: DocumentRead,
  options: DocumentOptions,
  run: CheckRun,
): Promise<void> {
  const [input] = document.inputs;
  const { file } = input;
  const byFile = new Map(document.inputs.map((one) => [one.file, one]));
  const read = document.read();
  if (!read.ok) {
    // A folder holds other things too; what cannot even be parsed may be a template with a mistake.
    if (read.unknownFormat && !input.named) run.skipped.push(file);
    else run.unreadable.add({ file, ...(explainOwnLanguage(file) ?? read.problem) });
    for (const problem of read.more ?? []) run.unreadable.add({ file, ...problem });
    return;
  }
  const { resources, problems, leftOut, notices, locate } = read.inventory;
  for (const problem of problems) run.unreadable.add({ file, ...problem });
  for (const one of leftOut) {
    if (run.checker.isWanted(one.type)) run.leftOut.add(placeLeftOut(one, file, locate(one.at)));
  }
  for (const one of notices) run.notices.add(noticeAt(one, file));
  const ids = new Set<string>();
  const found: CheckedFinding[] = [];
  const placeOf = (read: Placed): Place =>
    options.sources?.placeOf(read)?.place ?? { file, ...(locate(read.at) ?? fileStart) };
  const readSkips = createSkipReader<MetadataSkip>('metadata', ({ at }) => ({
    file,
    ...(locate(at) ?? fileStart),
  }));
  const skipsOf = (read: Placed): readonly InlineSkip[] => [
    ...readSkips(read.skips ?? noSkips),
    ...(options.sources?.placeOf(read)?.skips ?? []),
  ];
  const turn = takingTurns(1, run.signal);
  const checkOne = (one: ReadResource): void => {
    if (options.wants && !options.wants(one)) return;
    const inlineSkips = options.inlineSkips ? attachedSkips(one, skipsOf) : [];
    run.checker.check({ ...one, inlineSkips }, found, run.collector.room());
    const isTwice = ids.has(one.resource.id);
    ids.add(one.resource.id);
    if (found.length === 0 && !isTwice) return;
    const place = placeOf(one);
    if (isTwice) run.duplicates.add(duplicateAt(one.resource.id, place, document.inputs.length));
    for (const finding of found) {
      const fails = (resource: Resource) => run.checker.fails(finding.policy, resource);
      const part = finding.status === 'FAIL' ? partAtFault(one.resource, fails) : undefined;
      const placed = { ...finding, ...(part ? placeOf({ ...one, ...part }) : place) };
      run.collector.add(
        options.complete?.(placed, one) ?? placed,
        byFile.get(placed.file) ?? input,
      );
    }
    found.length = 0;
  };
  for (let at = 0; at < resources.length; at += resourcesOfTurn) {
    await turn();
    run.holding(() => resources.slice(at, at + resourcesOfTurn).forEach(checkOne));
  }
  await run.count(run.checker.takeTally());
}
