import { isMap } from 'yaml';
import type { Document } from 'yaml';
import type { InputProblem } from '../model.ts';
import { YamlLimitError, composeDocuments, findRepeatedKeys, tooLarge } from './compose-yaml.ts';
import { findTooDeep, tooDeep } from './depth.ts';
import { explainYamlError } from './explain-yaml-error.ts';
import { createLocateInYaml } from './locate-yaml.ts';
import type { LocateInYaml } from './locate-yaml.ts';
import type { TextParse } from './parsed-text.ts';
import { createPlaces } from './place.ts';
import type { TextPlace } from './place.ts';
import { AliasError, keyOf, yamlValue } from './yaml-values.ts';

/** Reads all YAML documents of a text; undefined where it holds none, but comments perhaps. */
export function parseYaml(text: string): TextParse | undefined {
  const places = createPlaces(text);
  const fail = (offset: number, message: string): TextParse => ({
    ok: false,
    problem: { message, ...places(offset) },
  });
  try {
    const documents = composeDocuments(text).filter((one) => !isEmpty(one));
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error) {
      const { message, hint } = explainYamlError(error);
      return fail(error.pos[0], `this is not YAML: ${message}. ${hint}`);
    }
    if (documents.length === 0) return undefined;
    const [only, ...more] = documents.map(toValue);
    const document = more.length === 0 ? only : [only, ...more];
    // Short tags and aliases nest beyond what is written.
    const deep = findTooDeep(document);
    const locate = createLocate(documents);
    if (deep) return fail(locate(deep), tooDeep);
    return {
      ok: true,
      parsed: {
        document,
        problems: repeatedKeys(documents, places),
        repeatedKeys: () => [],
        locate: (paths) => paths.map((path) => places(locate(path))),
      },
    };
  } catch (error) {
    if (error instanceof YamlLimitError) return fail(error.offset, limits[error.limit]);
    if (error instanceof AliasError) return fail(error.node.range?.[0] ?? 0, error.message);
    throw error;
  }
}

const limits: Readonly<Record<YamlLimitError['limit'], string>> = {
  depth: tooDeep,
  size: `${tooLarge}. Convert it to JSON, which may be larger`,
};

const isEmpty = ({ errors, contents }: Document.Parsed): boolean =>
  errors.length === 0 && (contents === null || ('value' in contents && contents.value === null));

function toValue(document: Document.Parsed): unknown {
  return document.contents === null ? null : yamlValue(document.contents, isTemplate(document));
}

/** CloudFormation reads YAML 1.1, in which yes and no are booleans. */
const isTemplate = ({ contents }: Document.Parsed): boolean =>
  isMap(contents) &&
  contents.items.some(({ key }) => ['Resources', 'AWSTemplateFormatVersion'].includes(keyOf(key)));

/** Of one text; one is enough to look at the others, too. */
const maxRepeatedKeys = 20;

function repeatedKeys(
  documents: readonly Document.Parsed[],
  places: (offset: number) => TextPlace,
): InputProblem[] {
  return documents
    .flatMap(({ contents }) => findRepeatedKeys(contents))
    .slice(0, maxRepeatedKeys)
    .map((key) => ({
      message: `duplicate key ${JSON.stringify(keyOf(key))}`,
      ...places(key.range?.[0] ?? 0),
    }));
}

function createLocate(documents: readonly Document.Parsed[]): LocateInYaml {
  const locates = documents.map(createLocateInYaml);
  const [only] = locates;
  if (locates.length === 1 && only) return only;
  return ([document = 0, ...path]) => locates[Number(document)]?.(path) ?? 0;
}
