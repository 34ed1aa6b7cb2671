import { Environment } from '@marcbachmann/cel-js';
import { checkMacro, checkOptMap } from './checks.ts';
import type { Macro } from './checks.ts';
import { findFunction, findMethod } from './functions.ts';
import { mathSignatures } from './math.ts';
import { rootName } from './names.ts';
import type { Names } from './names.ts';

/** What expressions can name: variables by type, and the functions that both the checker and the engine know. */
export interface Language extends Names {
  /** What parses and checks a source. */
  environmentFor(source: string): Environment;
  /** Whether it is a name of the language, not of a macro. */
  readonly hasName: (name: string) => boolean;
  /** In the order of their slots. */
  readonly variables: readonly string[];
  readonly functions: readonly { readonly name: string; readonly signature: string }[];
}

// Deeper nesting than this is a bomb, not a policy; it also keeps the recursive checker off the stack's end.
const limits = { maxAstNodes: 100_000, maxDepth: 200, maxListElements: 10_000 };

/** What the package's library lacks; what they do is in `functions.ts`. */
const signatures = [
  'cidr_contains(string, string): bool',
  'is_internet(list): bool',
  'is_private(list): bool',
  'allows_everybody(map): bool',
  'string.charAt(int): string',
  'string.replace(string, string): string',
  'string.replace(string, string, int): string',
  'string.reverse(): string',
  'string.format(list): string',
  'duration(google.protobuf.Duration): google.protobuf.Duration',
  'timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp',
  'int(uint): int',
  'int(google.protobuf.Timestamp): int',
  'string(google.protobuf.Timestamp): string',
  'string(google.protobuf.Duration): string',
];

/**
 * The operators it lacks. A JSON number is a double, and people write `resource.days / 2 > 1.5`: it calculates with an
 * int. (With `==` the package adds the other order and `!=`.)
 */
const operators = [
  ...['<', '<=', '>', '>='].map((operator) => `bytes ${operator} bytes: bool`),
  ...['+', '-', '*', '/'].flatMap((operator) => [
    `double ${operator} int: double`,
    `int ${operator} double: double`,
  ]),
  'double == int: bool',
];

/** Functions with a name before them, such as `strings.quote(text)`, by that name. */
const namespaces: readonly (readonly [name: string, signatures: readonly string[]])[] = [
  ['strings', ['quote(string): string']],
  ['base64', ['encode(bytes): string', 'decode(string): bytes']],
  ['math', mathSignatures],
];

/** Macros that the package lacks: nearly all are those with a key and a value. */
const moreMacros = [
  'existsOne(ast, ast): bool',
  ...['all', 'exists', 'exists_one', 'existsOne'].map((name) => `${name}(ast, ast, ast): bool`),
  ...['transformList', 'transformMap', 'transformMapEntry'].flatMap((name) => [
    `${name}(ast, ast, ast): dyn`,
    `${name}(ast, ast, ast, ast): dyn`,
  ]),
];

const namespace = 'Namespace';

const neverRuns = (): never => {
  throw new Error('expressions are checked here, not evaluated');
};

type Variables = readonly (readonly [name: string, type: string])[];

/** Characters after which an environment is replaced: it keeps all types that it has ever seen. */
const renewedAfter = 1 << 18;

/**
 * @param variables names and types, such as `['resource', 'map']`
 * @param container the namespace whose names need no prefix
 */
export function createLanguage(variables: Variables, container = ''): Language {
  let environment = createEnvironment(variables);
  let read = 0;
  const functions = environment
    .getDefinitions()
    .functions.filter(({ name, receiverType, params }) =>
      isOffered(name, receiverType, params.length),
    );
  return {
    environmentFor({ length }) {
      read += length;
      if (read > renewedAfter) {
        environment = createEnvironment(variables);
        read = length;
      }
      return environment;
    },
    hasName: (name) => environment.hasVariable(name),
    variables: variables.map(([name]) => name),
    container,
    functions,
  };
}

function createEnvironment(variables: Variables): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits,
  });
  for (const signature of signatures) environment.registerFunction(signature, neverRuns);
  for (const signature of operators) environment.registerOperator(signature, neverRuns);
  for (const [name, members] of namespaces) {
    const type = `${name}${namespace}`;
    const Namespace = class {};
    environment.registerType(type, Namespace).registerConstant(name, type, new Namespace());
    for (const member of members) environment.registerFunction(`${type}.${member}`, neverRuns);
  }
  for (const macro of moreMacros) {
    environment.registerFunction(`list.${macro}`, (macroCall: Macro) => ({
      evaluate: neverRuns,
      typeCheck: checkMacro(macroCall),
    }));
  }
  for (const name of ['optMap', 'optFlatMap']) {
    environment.registerFunction(`optional.${name}(ast, ast): optional<dyn>`, (call: Macro) => ({
      evaluate: neverRuns,
      typeCheck: checkOptMap(call),
    }));
  }
  environment.registerFunction('OptionalNamespace.ofNonZeroValue(dyn): optional<dyn>', neverRuns);
  for (const [name, type] of variables) {
    environment.registerVariable(name, type).registerVariable(rootName(name), type);
  }
  return environment;
}

const macros: ReadonlySet<string> = new Set([
  'has',
  'all',
  'exists',
  'exists_one',
  'existsOne',
  'map',
  'filter',
  'transformList',
  'transformMap',
  'transformMapEntry',
  'bind',
  'or',
  'orValue',
  'optMap',
  'optFlatMap',
]);

const isOffered = (name: string, receiver: string | null, count: number): boolean =>
  macros.has(name) ||
  (receiver === null ? findFunction(name, count) : findMethod(name, count + 1)) !== undefined ||
  receiver?.endsWith(namespace) === true;
