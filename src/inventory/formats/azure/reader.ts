import { withoutCopies } from '../../canonical-text.ts';
import { fieldsOf, isFields, textOf } from '../../json.ts';
import type { Reader } from '../../model.ts';
import { isLiveResource, listEach, listResources, toLiveResource, wholeId } from './lists.ts';
import { templateWords } from './other-case.ts';
import { readTemplate } from './template.ts';

/** Deployment templates, and resources as Resource Manager and Resource Graph list them. */
export const azure: Reader = {
  format: 'azure',
  detects: (document) =>
    schemaOf(document) !== undefined ||
    looksLikeTemplate(document) ||
    listResources(document).some(({ value }) => isLiveResource(value)),
  read: (document, { parameters, allConditions, isJoined }) => {
    const schema = schemaOf(document);
    if (schema !== undefined && !schema.includes('deploymenttemplate'))
      return { raws: [], problems: [{ message: whatElse(schema), at: ['$schema'] }] };
    if (schema !== undefined || looksLikeTemplate(document)) {
      const given = Object.entries(parameters ?? {});
      return readTemplate(
        fieldsOf(document),
        new Map(given.map(([name, value]) => [name.toLowerCase(), value])),
        allConditions,
      );
    }
    const found = isJoined ? listEach(document) : listResources(document);
    const live = withoutCopies(
      found.filter(({ value }) => isLiveResource(value)),
      ({ value }) => String(value['id']),
      ({ value }) => value,
    );
    return {
      raws: live.map(toLiveResource),
      // One that stands alone, in the document or in one of those that are joined.
      isPart: found.some(({ at }) => at.length === (isJoined ? 1 : 0)),
      problems: found.flatMap(({ value, at }) =>
        isLiveResource(value) ? [] : [{ message: 'an Azure resource needs an ID and a type', at }],
      ),
    };
  },
  links: (document) =>
    schemaOf(document) !== undefined || looksLikeTemplate(document)
      ? []
      : listResources(document).flatMap(({ value }) =>
          isLiveResource(value) ? [wholeId(textOf(value['id']) ?? '')] : [],
        ),
};

/** The schema's file name, in lower case, where it is one of Azure's deployments. */
function schemaOf(document: unknown): string | undefined {
  const schema = textOf(templateWords(fieldsOf(document))['$schema'])?.toLowerCase();
  if (schema === undefined || !schema.includes('schema.management.azure.com')) return undefined;
  return schema.slice(schema.lastIndexOf('/') + 1);
}

const looksLikeTemplate = (document: unknown): boolean => {
  const { contentVersion, resources } = templateWords(fieldsOf(document));
  return typeof contentVersion === 'string' && (Array.isArray(resources) || isFields(resources));
};

const whatElse = (schema: string): string =>
  schema.includes('deploymentparameters')
    ? 'these are parameters of a deployment; pass the template, and its parameters with --parameters'
    : `a document with the schema ${schema} deploys no resources`;
