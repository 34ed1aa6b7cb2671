import type { DocumentProblem, RawResource } from '../../model.ts';
import type { Fields } from './resolver.ts';
import { isFields, own } from './resolver.ts';

/**
 * Transforms of CloudFormation itself ("Transform reference", AWS CloudFormation User Guide) that change nothing of what
 * is declared beside what is worked out here. AWS::Include is none of them: what it brings in stands elsewhere.
 */
const harmless: ReadonlySet<unknown> = new Set([
  'AWS::CodeDeployBlueGreen',
  'AWS::LanguageExtensions',
  'AWS::SecretsManager-2020-07-23',
  'AWS::SecretsManager-2024-09-16',
  'AWS::Serverless-2016-10-31',
  'AWS::ServiceCatalog',
]);

/** Macros that a whole template goes through: they may add, change and drop resources. */
export function noticesOfMacros(document: Fields): DocumentProblem[] {
  const written = own(document, 'Transform');
  const listed = written === undefined || written === null ? [] : [written].flat();
  return listed
    .map((one: unknown) => (isFields(one) ? own(one, 'Name') : one))
    .filter((name) => !harmless.has(name))
    .map((name) => ({
      message: `the template uses the macro ${String(typeof name === 'string' ? name : 'with an unknown name')}, which may add or change resources; they are checked as written`,
      at: ['Transform'],
    }));
}

/** Modules, which their resources replace on deployment: one notice for all of them. */
export function noticesOfModules(raws: readonly RawResource[]): DocumentProblem[] {
  const modules = raws.filter(({ type }) => type.endsWith('::MODULE'));
  const [first] = modules;
  if (!first) return [];
  const used = modules.length === 1 ? 'the module' : `${modules.length} modules, such as`;
  return [
    {
      message: `the template uses ${used} ${first.type}, which may add or change resources; these are not checked`,
      at: [...first.at, 'Type'],
    },
  ];
}
