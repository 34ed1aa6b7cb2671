import { describe, expect, it } from 'vitest';
import { Recent } from '../../src/server/recent.ts';

describe('recent values', () => {
  let time = 0;
  const made: string[] = [];
  const make = (value: string) => () => {
    made.push(value);
    return Promise.resolve(value);
  };
  function setUp(most: number) {
    time = 0;
    made.length = 0;
    return new Recent<string>(
      most,
      ({ length }) => length,
      () => time,
    );
  }

  it('are made once', async () => {
    const recent = setUp(10);
    expect(await recent.get('a', make('one'))).toBe('one');
    expect(await recent.get('a', make('two'))).toBe('one');
    expect(made).toEqual(['one']);
  });

  it('are dropped, the least recently used first, when all together are too large', async () => {
    const recent = setUp(10);
    for (const key of ['a', 'b', 'a', 'c']) await recent.get(key, make(`${key}...`));
    expect(made).toEqual(['a...', 'b...', 'c...']);
    await recent.get('a', make('a...'));
    await recent.get('b', make('b...'));
    expect(made).toEqual(['a...', 'b...', 'c...', 'b...']);
  });

  it('include the newest, however large', async () => {
    const recent = setUp(10);
    await recent.get('a', make('a'));
    await recent.get('b', make('b'.repeat(20)));
    await recent.get('b', make('c'));
    expect(made).toEqual(['a', 'b'.repeat(20)]);
    await recent.get('a', make('a'));
    expect(made).toHaveLength(3);
  });

  it('are dropped 5 minutes after their last use', async () => {
    const recent = setUp(10);
    await recent.get('a', make('a'));
    await recent.get('b', make('b'));
    time = 4 * 60_000;
    await recent.get('a', make('a'));
    time = 6 * 60_000;
    await recent.get('c', make('c'));
    await recent.get('a', make('a'));
    await recent.get('b', make('b'));
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  it('are counted as large as they have become', async () => {
    const sizes = [1, 1];
    const recent = new Recent<number>(10, (value) => sizes[value] ?? 0);
    await recent.get('a', () => Promise.resolve(0));
    await recent.get('b', () => Promise.resolve(1));
    sizes[0] = 20;
    await recent.get('a', () => Promise.resolve(0));
    let isMade = false;
    await recent.get('b', () => {
      isMade = true;
      return Promise.resolve(1);
    });
    expect(isMade).toBe(true);
  });

  it('that could not be made are not remembered', async () => {
    const recent = setUp(10);
    await expect(recent.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await recent.get('a', make('yes'))).toBe('yes');
  });
});
