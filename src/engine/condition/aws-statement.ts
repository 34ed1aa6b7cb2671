import { spend, spendOnEach } from './budget.ts';
import { entryOf, equal, isMap, keysOf } from './compare.ts';
import { isInternet } from './network.ts';
import { prices } from './prices.ts';
import type { Failure } from './values.ts';
import { mismatch, newFailure } from './values.ts';

/** False and true win over what is open, each where it decides. */
type Answer = boolean | Failure;

function some<T>(items: readonly T[], does: (item: T) => Answer): Answer {
  let open: Failure | undefined;
  for (const item of items) {
    const answer = does(item);
    if (answer === true) return true;
    if (answer !== false) open ??= answer;
  }
  return open ?? false;
}

const not = (answer: Answer): Answer => (typeof answer === 'boolean' ? !answer : answer);

const every = <T>(items: readonly T[], does: (item: T) => Answer): Answer =>
  not(some(items, (item) => not(does(item))));

/**
 * `allows_everybody(statement)`: whether a statement of an AWS policy document lets in anybody on the internet, or every account of
 * AWS: it allows, its principal is everybody, and no condition of it limits who that is.
 */
export function allowsEverybody(statement: unknown): Answer {
  if (!isMap(statement)) return mismatch('allows_everybody', statement);
  spend(prices.statement);
  const get = (name: string): unknown => entryOf(statement, name)?.[1];
  const effect = get('effect');
  if (effect === undefined)
    return newFailure('missing_attribute', 'the statement has no effect', 'effect');
  return every(
    [
      () => equal(effect, 'Allow'),
      () => namesEverybody(get('principals'), get('not_principals')),
      () => not(isLimited(get('conditions'))),
    ],
    (part) => part(),
  );
}

/** `NotPrincipal` of a statement that allows is everybody but a few. */
const namesEverybody = (principals: unknown, but: unknown): Answer =>
  some(
    [
      () => someText(principals, (one) => one.includes('*') && !isFixedArn(one)),
      () => someText(but, () => true),
    ],
    (part) => part(),
  );

/** Whether a condition of a statement limits whom it is about. Conditions have to hold all: one that does is enough. */
function isLimited(conditions: unknown): Answer {
  if (conditions === undefined) return false;
  if (!isMap(conditions)) return mismatch('conditions', conditions);
  const all = keysOf(conditions).map((operator) => ({
    operator: lower(operator),
    keys: entryOf(conditions, operator)?.[1],
  }));
  const nulls = all.filter(({ operator }) => operator === 'null');
  const isThere = (key: string): Answer =>
    some(nulls, ({ keys }) =>
      someKey(keys, (one, values) => one === key && everyText(values, isWord('false'))),
    );
  return some(all, ({ operator, keys }) => {
    // With ForAllValues and IfExists, a request that lacks the key is let in.
    const [, lenient, , plain = '', ifExists] =
      /^(forallvalues:)?(foranyvalue:)?(.*?)(ifexists)?$/.exec(operator) ?? [];
    const letsInWithout = lenient !== undefined || ifExists !== undefined;
    if (!compares.has(plain)) return false;
    return someKey(keys, (key, values) =>
      every(
        [() => limits(plain, key, values), () => (letsInWithout ? isThere(key) : true)],
        (part) => part(),
      ),
    );
  });
}

/** The operators that let in what equals a value. */
const compares: ReadonlySet<string> = new Set([
  'stringequals',
  'stringequalsignorecase',
  'stringlike',
  'arnequals',
  'arnlike',
  'ipaddress',
  'bool',
]);

/** Whether each of the values of a key leaves few. */
function limits(operator: string, key: string, values: unknown): Answer {
  if (operator === 'ipaddress') {
    return key === 'aws:sourceip' && not(isInternet(Array.isArray(values) ? values : [values]));
  }
  const isFew = kinds.get(key);
  return isFew !== undefined && (operator === 'bool') === (isFew === isTrue)
    ? everyText(values, isFew)
    : false;
}

const isWord =
  (word: string) =>
  (text: string): boolean =>
    text.toLowerCase() === word;
const isTrue = isWord('true');

/** Neither a wildcard nor a variable of IAM: "The meaning of 'public'" of the Amazon S3 User Guide. */
const isFixed = (text: string): boolean => !/[*?]/.test(text);

/** `o-a1b2c3d4e5/r-ab12/*`: paths of one organization. */
const isFixedPath = (text: string): boolean =>
  isFixed(text.slice(0, text.indexOf('/') + 1) || text);

/** `AROAEXAMPLEID:*`: the sessions of one role. */
const isFixedUser = (text: string): boolean =>
  isFixed(text.slice(0, text.indexOf(':') + 1) || text);

/** Of one account, or of one bucket, whose name no other account can have. */
function isFixedArn(text: string): boolean {
  if (isFixed(text)) return true;
  const [, , service = '', , account = '', ...rest] = text.split(':');
  if (rest.length === 0) return false;
  if (account !== '' && isFixed(account)) return true;
  return service === 's3' && isFixed(/^[^/]*/.exec(rest.join(':'))?.[0] ?? '*');
}

/**
 * What tells who asks, by the key of a condition: those of "The meaning of 'public'" in the Amazon S3 User Guide and in the Amazon
 * EFS User Guide, and those of "AWS global condition context keys" in the IAM User Guide for an account, an organization or a
 * network. An external ID, a tag or a service on the way (`kms:ViaService`) can be anybody's.
 */
const kinds = new Map<string, (text: string) => boolean>([
  ...[
    'aws:principalaccount',
    'aws:principalorgid',
    'aws:principalservicename',
    'aws:principalservicenameslist',
    'aws:sourceaccount',
    'aws:sourceip',
    'aws:sourceorgid',
    'aws:sourceowner',
    'aws:sourcevpc',
    'aws:sourcevpce',
    'aws:vpceaccount',
    'aws:vpceorgid',
    'kms:calleraccount',
    's3:dataaccesspointaccount',
    's3:x-amz-server-side-encryption-aws-kms-key-id',
  ].map((key) => [key, isFixed] as const),
  ...['aws:principalarn', 'aws:sourcearn', 'aws:sourcevpcarn', 's3:dataaccesspointarn'].map(
    (key) => [key, isFixedArn] as const,
  ),
  ...['aws:principalorgpaths', 'aws:sourceorgpaths', 'aws:vpceorgpaths'].map(
    (key) => [key, isFixedPath] as const,
  ),
  ['aws:userid', isFixedUser],
  ['aws:principalisawsservice', isTrue],
  ['elasticfilesystem:accessedviamounttarget', isTrue],
]);

const someKey = (keys: unknown, does: (key: string, values: unknown) => Answer): Answer =>
  isMap(keys)
    ? some(keysOf(keys), (key) => does(lower(key), entryOf(keys, key)?.[1]))
    : mismatch('conditions', keys);

/** @param given a text or a list of them; none where there is nothing */
const someText = (given: unknown, does: (text: string) => boolean): Answer =>
  some(given === undefined ? [] : Array.isArray(given) ? (given as unknown[]) : [given], (one) => {
    if (typeof one !== 'string') return mismatch('allows_everybody', one);
    spend(prices.textFunction);
    spendOnEach(one.length);
    return does(asKnown(one));
  });

const everyText = (given: unknown, does: (text: string) => boolean): Answer =>
  not(someText(given, (text) => !does(text)));

/**
 * A text with its `${…}`: a variable of IAM can become anything, but for those that say whose the resource is; any other is a value
 * of the deployment.
 */
const asKnown = (text: string): string =>
  text.replace(/\$\{([^}$]*)\}/g, (_, name: string) =>
    /^[a-z][\w.-]*:(?!:)/i.test(name) && !/^aws:Resource(Account|Org)/i.test(name) ? '*' : 'x',
  );

function lower(key: unknown): string {
  const text = String(key);
  spendOnEach(text.length);
  return text.toLowerCase();
}
