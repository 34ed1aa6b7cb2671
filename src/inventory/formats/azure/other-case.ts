import type { Fields } from '../../json.ts';
import type { DocumentPath, DocumentProblem } from '../../model.ts';

const ofTemplate = ['resources', 'parameters', 'variables', 'functions'];
const ofDeployment = ['template', 'parameters', 'expressionEvaluationOptions'];
const ofResource = [
  ...['type', 'name', 'apiVersion', 'condition', 'copy', 'existing', 'location', 'tags'],
  ...['properties', 'resources', 'sku', 'kind', 'identity', 'zones', 'scope', 'resourceGroup'],
];

/**
 * Words of the template language in another case, such as `Properties`. Azure may take them for the words that they
 * resemble; here they would count as absent, and what they say would be passed over.
 */
const otherCase =
  (words: readonly string[]) =>
  (given: Fields, at: DocumentPath): DocumentProblem[] =>
    Object.keys(given).flatMap((name) => {
      if (words.includes(name)) return [];
      const word = words.find((one) => one.toLowerCase() === name.toLowerCase());
      return word === undefined
        ? []
        : [{ message: `${JSON.stringify(name)} has to be written ${word}`, at: [...at, name] }];
    });

export const otherCaseInTemplate = otherCase(ofTemplate);
export const otherCaseInResource = otherCase(ofResource);
/** In the `properties` of a deployment inside a template. */
export const otherCaseInDeployment = otherCase(ofDeployment);
