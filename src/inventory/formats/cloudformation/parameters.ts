import { UnknownValue } from '../../../contract/resources.ts';
import type { DocumentProblem } from '../../model.ts';
import { noParameter, notAllowed } from '../given-parameters.ts';
import type { Fields } from './resolver.ts';
import { isFields, own, scalarText } from './resolver.ts';

/** Known to every template; their values come with the deployment. */
const pseudoParameters = [
  'AWS::AccountId',
  'AWS::NotificationARNs',
  'AWS::Partition',
  'AWS::Region',
  'AWS::StackId',
  'AWS::StackName',
  'AWS::URLSuffix',
];

/** The values of a template's parameters: as given, else the default, else unknown. */
export function readParameters(
  declared: Fields,
  given: Readonly<Record<string, string>>,
): { readonly values: Map<string, unknown>; readonly problems: DocumentProblem[] } {
  const values = new Map<string, unknown>(
    pseudoParameters.map((name) => [
      name,
      Object.hasOwn(given, name)
        ? given[name]
        : new UnknownValue(`Ref ${name}`, { waitsFor: [name] }),
    ]),
  );
  for (const [name, declaration] of Object.entries(declared)) {
    values.set(name, parameterValue(name, declaration, given));
  }
  const problems = Object.keys(given).flatMap((name): DocumentProblem[] => {
    if (!values.has(name)) return [{ ...noParameter(name, values.keys()), at: ['Parameters'] }];
    const why = whyRefused(own(declared, name), given[name] ?? '');
    if (why === undefined) return [];
    return [
      { message: `the parameter ${name} ${why}`, at: ['Parameters', name], affectsAll: true },
    ];
  });
  return { values, problems };
}

/** Why CloudFormation refuses a value. Of SSM parameters the value is a name. */
function whyRefused(declaration: unknown, value: string): string | undefined {
  const fields = isFields(declaration) ? declaration : {};
  const type = scalarText(own(fields, 'Type')) ?? 'String';
  const allowed = own(fields, 'AllowedValues');
  if (!Array.isArray(allowed) || type.startsWith('AWS::SSM::')) return undefined;
  const words = new Set(allowed.map((one) => String(asNumber(String(one)))));
  const items = [typed(value, type)].flat().map((one) => String(asNumber(String(one))));
  return items.every((one) => words.has(one)) ? undefined : notAllowed(allowed);
}

function parameterValue(
  name: string,
  declaration: unknown,
  given: Readonly<Record<string, string>>,
): unknown {
  const fields = isFields(declaration) ? declaration : {};
  const type = scalarText(own(fields, 'Type')) ?? 'String';
  const secret = scalarText(own(fields, 'NoEcho'))?.toLowerCase() === 'true';
  const unknown = new UnknownValue(`Ref ${name}`, { parameter: { name, secret } });
  // What is given or declared for these is the name under which the value is kept.
  if (type.startsWith('AWS::SSM::Parameter::Value<')) return unknown;
  const declared = own(fields, 'Default');
  // A secret that is handed in stays one: only a default can be read by everybody who can read the template.
  if (secret && (declared === undefined || declared === null)) return unknown;
  const value = Object.hasOwn(given, name) ? given[name] : declared;
  if (value === undefined || value === null || typeof value === 'object') {
    return new UnknownValue(unknown.expression, { parameter: { name, secret }, waitsFor: [name] });
  }
  return typed(value, type);
}

function typed(value: unknown, type: string): unknown {
  if (type === 'CommaDelimitedList' || type.startsWith('List<')) {
    const items = String(value)
      .split(',')
      .map((item) => item.trim());
    return type === 'List<Number>' ? items.map(asNumber) : items;
  }
  return type === 'Number' ? asNumber(value) : value;
}

const asNumber = (value: unknown): unknown => {
  const number = Number(value);
  return String(value).trim() === '' || Number.isNaN(number) ? value : number;
};
