import { describe, expect, test } from 'vitest';
import { streamBytes } from '../../../src/server/http/byte-body.ts';
import { until } from '../../support/until.ts';

/** A body of chunks that are read when they are let go, and what becomes of it. */
const world = (count: number, failAt = Infinity) => {
  const seen: string[] = [];
  const ended: unknown[][] = [];
  let permits = 0;
  let wake = (): void => undefined;
  const letGo = (): void => {
    permits += 1;
    wake();
  };
  const stream = streamBytes(
    {
      type: 'text/plain',
      size: count,
      open: async function* () {
        seen.push('opened');
        try {
          for (let at = 0; at < count; at += 1) {
            while (permits === 0) await new Promise<void>((resolve) => (wake = resolve));
            permits -= 1;
            if (at === failAt) throw new Error('the disk fails');
            yield Buffer.from(String(at));
          }
        } finally {
          seen.push('closed');
        }
      },
    },
    (...how) => ended.push(how),
  );
  const reader = stream.getReader();
  const read = () => {
    const next = reader.read();
    letGo();
    return next;
  };
  return { seen, ended, reader, read, letGo };
};

describe('a body of bytes', () => {
  test('ends once, when all of it was taken', async () => {
    const { seen, ended, read } = world(2);
    await read();
    expect(String((await read()).value)).toBe('1');
    expect(ended).toEqual([]);
    expect((await read()).done).toBe(true);
    expect([seen, ended]).toEqual([['opened', 'closed'], [[2, undefined]]]);
  });

  test('that nobody takes is never opened', async () => {
    const { seen, ended, reader } = world(2);
    await reader.cancel();
    expect([seen, ended]).toEqual([[], [[0, undefined]]]);
  });

  test('is closed by who wants no more, between two chunks or while one is read', async () => {
    const between = world(3);
    await between.read();
    await between.reader.cancel();
    expect([between.seen, between.ended]).toEqual([['opened', 'closed'], [[1, undefined]]]);
    const amid = world(3);
    const pending = amid.reader.read();
    await until(() => amid.seen.includes('opened'));
    const cancelled = amid.reader.cancel();
    amid.letGo();
    await cancelled;
    expect((await pending).done).toBe(true);
    await until(() => amid.seen.includes('closed'));
    expect([amid.seen, amid.ended]).toEqual([['opened', 'closed'], [[0, undefined]]]);
  });

  test('fails where reading fails, and tells why to the server alone', async () => {
    const { seen, ended, read } = world(3, 1);
    await read();
    await expect(read()).rejects.toThrow('the response was truncated');
    expect(seen).toEqual(['opened', 'closed']);
    expect(ended).toEqual([[1, expect.objectContaining({ message: 'the disk fails' })]]);
  });
});
