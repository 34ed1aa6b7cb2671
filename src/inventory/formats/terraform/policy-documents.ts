import { UnknownValue } from '../../../contract/resources.ts';
import { field, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { at, isUnknown, list } from '../../attributes/values.ts';

const makers: Readonly<Record<string, (values: unknown) => Fields | undefined>> = {
  aws_iam_policy_document: awsDocument,
  google_iam_policy: googlePolicy,
};

/**
 * Characters of a document that is put together: several times what AWS takes. One that is made of another twice, and
 * so on, would double each time.
 */
const longestDocument = 100_000;

/** How long those are that hold unknown values, and so are no texts. */
const lengths = new WeakMap<object, number>();

/** Whether a data source only puts a policy together. */
export const isPolicySource = (type: unknown): boolean =>
  typeof type === 'string' && Object.hasOwn(makers, type);

/** Attributes of them that are the policy as JSON text; behind an index, as in `d[each.key].json`, a plan tells none. */
const documentAttributes = new Set(['json', 'minified_json', 'policy_data', '']);

/**
 * What a data source's attribute will be, worked out of its planned values: a text as far as all of it is known, else
 * the document with unknown values in it. Undefined where it is no policy, or too long for one.
 */
export function readPolicyDocument(type: string, attribute: string, values: unknown): unknown {
  const make = makers[type.replace('data.', '')];
  const document = make && documentAttributes.has(attribute) ? make(values) : undefined;
  return document && asText(document);
}

function asText(document: Fields): unknown {
  let isKnown = true;
  const text = JSON.stringify(document, (_, value: unknown) => {
    // The value itself has toJSON(), so that it is seen as undefined here; what is left out is no key at all.
    isKnown &&= value !== undefined;
    return value;
  });
  if (text.length > longestDocument) return undefined;
  lengths.set(document, text.length);
  return isKnown ? text : document;
}

/** Fields that are given. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));

const items = (value: unknown): readonly unknown[] => {
  const all = list(value);
  return isUnknown(all) ? [all] : all;
};

/** An unknown list as it is; an empty one as nothing. */
const someOf = (value: unknown): unknown =>
  isUnknown(value) || itemsOf(value).length > 0 ? value : undefined;

function awsDocument(values: unknown): Fields | undefined {
  const room = { left: longestDocument };
  const statements = [
    ...['source_json', 'source_policy_documents'].flatMap((name) =>
      statementsOf(values, name, room),
    ),
    ...items(at(values, 'statement')).map(awsStatement),
    ...['override_policy_documents', 'override_json'].flatMap((name) =>
      statementsOf(values, name, room),
    ),
  ];
  if (room.left < 0) return undefined;
  // Of two statements with one name the later replaces the earlier.
  const named = new Map(
    statements.map((one, index) => [textOf(at(one, 'Sid')) ?? index, one] as const),
  );
  return {
    Version: textOf(field(values, 'version')) ?? '2012-10-17',
    Statement: [...named.values()],
  };
}

/** The statements of other documents, given as texts or as this file makes them, as far as there is room. */
const statementsOf = (values: unknown, name: string, room: { left: number }): unknown[] =>
  items(at(values, name)).flatMap((document) => {
    if (isUnknown(document)) return [document];
    room.left -= lengthOf(document);
    return room.left < 0 ? [] : [...items(at(parse(document), 'Statement'))];
  });

const lengthOf = (document: unknown): number => {
  if (typeof document === 'string') return document.length;
  return isFields(document) ? (lengths.get(document) ?? 0) : 0;
};

function parse(document: unknown): unknown {
  if (typeof document !== 'string' || document === '') return document;
  try {
    return JSON.parse(document) as unknown;
  } catch {
    return { Statement: [new UnknownValue('a policy document that is not valid JSON')] };
  }
}

function awsStatement(statement: unknown): unknown {
  if (isUnknown(statement)) return statement;
  return given({
    Sid: at(statement, 'sid') === '' ? undefined : at(statement, 'sid'),
    Effect: at(statement, 'effect') ?? 'Allow',
    Principal: principals(at(statement, 'principals')),
    NotPrincipal: principals(at(statement, 'not_principals')),
    Action: someOf(at(statement, 'actions')),
    NotAction: someOf(at(statement, 'not_actions')),
    Resource: someOf(at(statement, 'resources')),
    NotResource: someOf(at(statement, 'not_resources')),
    Condition: conditions(at(statement, 'condition')),
  });
}

/** Blocks of a type and identifiers; `*` of any kind is everybody. */
function principals(blocks: unknown): unknown {
  if (isUnknown(blocks)) return blocks;
  const pairs = itemsOf(blocks).map(
    (block) => [at(block, 'type'), at(block, 'identifiers')] as const,
  );
  if (pairs.length === 0) return undefined;
  const kinds = pairs.map(([type]) => type);
  if (kinds.includes('*')) return '*';
  return gather(pairs.map(([type, ids]) => [textOf(type) ?? 'AWS', ids] as const));
}

function conditions(blocks: unknown): unknown {
  if (isUnknown(blocks)) return blocks;
  const all = itemsOf(blocks);
  if (all.length === 0) return undefined;
  const open = all.find(
    (block) => isUnknown(at(block, 'test')) || isUnknown(at(block, 'variable')),
  );
  if (open !== undefined) return new UnknownValue('a condition of a policy');
  const byTest = new Map<string, unknown[]>();
  for (const block of all) {
    const test = textOf(at(block, 'test')) ?? '';
    const blocks = byTest.get(test) ?? [];
    byTest.set(test, blocks);
    blocks.push(block);
  }
  return Object.fromEntries(
    Array.from(byTest, ([test, blocks]) => [
      test,
      gather(
        blocks.map((block) => [textOf(at(block, 'variable')) ?? '', at(block, 'values')] as const),
      ),
    ]),
  );
}

/** Lists under one name in one list; an unknown one is an item. */
function gather(pairs: readonly (readonly [string, unknown])[]): Fields {
  const lists = new Map<string, unknown[]>();
  for (const [name, value] of pairs) {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    for (const one of items(value)) list.push(one);
  }
  return Object.fromEntries(lists);
}

function googlePolicy(values: unknown): Fields {
  const bindings = items(at(values, 'binding')).map((binding) =>
    isUnknown(binding)
      ? binding
      : given({
          role: at(binding, 'role'),
          members: at(binding, 'members') ?? [],
          condition: itemsOf(at(binding, 'condition'))[0],
        }),
  );
  const audits = items(at(values, 'audit_config')).map((config) =>
    isUnknown(config)
      ? config
      : given({
          service: at(config, 'service'),
          auditLogConfigs: items(at(config, 'audit_log_configs')).map((log) =>
            isFields(log) && !isUnknown(log)
              ? given({ logType: log['log_type'], exemptedMembers: log['exempted_members'] })
              : log,
          ),
        }),
  );
  return given({ bindings, auditConfigs: audits.length > 0 ? audits : undefined });
}
