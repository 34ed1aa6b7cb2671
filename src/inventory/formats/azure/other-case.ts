import type { Fields } from '../../json.ts';

const ofTemplate = [
  '$schema',
  'contentVersion',
  'resources',
  'parameters',
  'variables',
  'functions',
];
const ofDeployment = ['template', 'parameters', 'expressionEvaluationOptions'];
const ofResource = [
  ...['type', 'name', 'apiVersion', 'condition', 'copy', 'existing', 'location', 'tags'],
  ...['properties', 'resources', 'sku', 'kind', 'identity', 'zones', 'scope', 'resourceGroup'],
  ...['subscriptionId', 'plan', 'managedBy', 'extendedLocation'],
];

/** Azure takes the words of its template language in any case; where one has two spellings, its own wins. */
const inOneCase =
  (words: readonly string[]) =>
  (given: Fields): Fields =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const word = words.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
        return word !== name && Object.hasOwn(given, word) ? [] : [[word, value] as const];
      }),
    );

export const templateWords = inOneCase(ofTemplate);
export const resourceWords = inOneCase(ofResource);
/** In the `properties` of a deployment inside a template. */
export const deploymentWords = inOneCase(ofDeployment);
