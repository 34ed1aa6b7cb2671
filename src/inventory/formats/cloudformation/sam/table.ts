import { own } from '../resolver.ts';
import type { Expansion } from './expansion.ts';
import type { Declared } from './written.ts';
import { base, fieldOf, tagPairs, without, wordOf } from './written.ts';

export function expandTable(declared: Declared): Expansion {
  const { properties } = declared;
  const key = own(properties, 'PrimaryKey');
  const AttributeName = fieldOf(key, 'Name') ?? 'id';
  return {
    made: [
      base(declared, {
        ...without(properties, 'PrimaryKey', 'Tags'),
        AttributeDefinitions: [
          { AttributeName, AttributeType: wordOf(fieldOf(key, 'Type') ?? 'String').slice(0, 1) },
        ],
        KeySchema: [{ AttributeName, KeyType: 'HASH' }],
        BillingMode: Object.hasOwn(properties, 'ProvisionedThroughput')
          ? undefined
          : 'PAY_PER_REQUEST',
        Tags: tagPairs(own(properties, 'Tags')),
      }),
    ],
  };
}
