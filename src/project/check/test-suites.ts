import path from 'node:path';
import type * as z from 'zod';
import type { Exemption } from '../../engine/exempt.ts';
import type { PolicyTestDocument } from '../documents/policy-test.ts';
import { inputFiles } from '../documents/policy-test.ts';
import type { LoadOptions, LocalPolicy, Place, Problem } from '../model.ts';
import type { Boundary } from '../read/boundary.ts';
import { isFile } from '../read/check-references.ts';
import { readPolicyFiles } from '../read/load.ts';
import type { FileContent, ReadProject } from '../read/load.ts';
import { locate, valueSpan } from '../read/locate.ts';
import { createReparser } from '../read/parse-yaml.ts';

export type PolicyTest = z.infer<typeof PolicyTestDocument>;

/** A test document with the policies that it is about. */
export interface TestSuite {
  readonly file: string;
  /** Its folder, absolute: inputs are named from there. */
  readonly folder: string;
  /** How far inputs may lead. */
  readonly boundary: Boundary;
  readonly test: PolicyTest;
  readonly policies: readonly LocalPolicy[];
  /** Of the policies' file and of the test's own. */
  readonly exemptions: readonly Exemption[];
  /** Where something stands in the document. */
  place(at: readonly (string | number)[]): Place;
}

/** Every file of the paths, and those of policies elsewhere that their tests name. */
export async function readTestFiles(options: LoadOptions): Promise<ReadProject> {
  const read = await readPolicyFiles(options);
  const have = new Set(read.contents.map(({ absolute }) => absolute));
  const missing = new Set(
    // One that does not exist is among the problems, at its place.
    testsOf(read.contents).flatMap(({ policyFile }) =>
      have.has(policyFile) || !isFile(policyFile) ? [] : [policyFile],
    ),
  );
  if (missing.size === 0) return read;
  const more = await readPolicyFiles(options, [...missing]);
  return {
    ...read,
    // Those of govctl.yaml itself were found before.
    problems: [...read.problems, ...more.problems.filter((one) => !isAmong(read.problems, one))],
    contents: [...read.contents, ...more.contents],
  };
}

const isAmong = (problems: readonly Problem[], { file, message }: Problem): boolean =>
  problems.some((one) => one.file === file && one.message === message);

/** The tests of some files, in their order. */
export function listSuites({
  contents,
  boundary,
}: Pick<ReadProject, 'contents' | 'boundary'>): TestSuite[] {
  const byFile = new Map(contents.map((content) => [content.absolute, content]));
  // The tests of a file run one after another.
  const parseAgain = createReparser(1);
  return testsOf(contents).map(({ located, content, policyFile, test }): TestSuite => {
    const about = byFile.get(policyFile);
    const { source, index } = located;
    return {
      file: content.file,
      folder: path.dirname(content.absolute),
      boundary,
      test,
      policies: about?.policies ?? [],
      exemptions: [...new Set([about, content])].flatMap((each) => exemptionsOf(each)),
      place(at) {
        const raw = parseAgain(source).documents[index];
        return source.place(raw ? valueSpan(locate(raw, at), source.text).start : 0);
      },
    };
  });
}

/** Files that the tests read as inputs, absolute. */
export const inputsOf = (suites: readonly TestSuite[]): string[] =>
  suites.flatMap(({ folder, test }) => inputFiles(test).map((file) => path.resolve(folder, file)));

const testsOf = (contents: readonly FileContent[]) =>
  contents.flatMap((content) =>
    content.locatedOthers.flatMap((located) => {
      const { kind, document } = located.other;
      if (kind !== 'PolicyTest') return [];
      // As its schema read it.
      const test = document as unknown as PolicyTest;
      const policyFile = path.resolve(path.dirname(content.absolute), test.policy);
      return [{ located, content, policyFile, test }];
    }),
  );

const exemptionsOf = (content: FileContent | undefined): Exemption[] =>
  (content?.locatedOthers ?? []).flatMap(({ other }) =>
    // As its schema read it.
    other.kind === 'Exemption' ? [other.document as unknown as Exemption] : [],
  );
