import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { storedBy } from '../../src/server/local/snapshot.ts';
import { shape } from '../../src/server/shape.ts';
import { modules } from '../../src/server/wiring/modules.ts';

interface Row {
  readonly id: string;
  readonly at?: string;
}

describe('the shape of a row', () => {
  it('does not compile once the type of the row has another field', () => {
    const id = z.string();
    const at = z.string().optional();
    expect(shape<Row>({ id, at }).safeParse({ id: 'a' }).success).toBe(true);
    // @ts-expect-error: a field of the type is missing
    shape<Row>({ at });
    // @ts-expect-error: an optional field of the type is missing
    shape<Row>({ id });
    // @ts-expect-error: the type no longer has the field
    shape<Row>({ id, at, to: at });
    // @ts-expect-error: the field has another type
    shape<Row>({ id: z.number(), at });
    // @ts-expect-error: rows without the field would be refused
    shape<Row>({ id, at: z.string() });
  });

  it('takes fields of other versions', () => {
    const row = { id: 'a', later: 1 };
    expect(shape<Row>({ id: z.string(), at: z.string().optional() }).parse(row)).toEqual(row);
  });

  it.each(storedBy(modules).collections.map((one) => [one.spec.name, one] as const))(
    'of %s refuses a row of nothing but an ID',
    (_, { shape: itsShape }) => {
      expect(itsShape.safeParse({ id: 'x' }).success).toBe(false);
    },
  );
});
