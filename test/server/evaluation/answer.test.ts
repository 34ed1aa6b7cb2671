import { expect, it } from 'vitest';
import { createAnswers } from '../../../src/server/evaluation/thread/answer.ts';
import type { DecideQuestion } from '../../../src/server/evaluation/thread/messages.ts';

const resource = { id: 'r', type: 'A::B', provider: 'a', tags: {}, properties: {} };

/** Policies with patterns of 45,000 parts each, in some 500 characters. */
const large = (from: number, count: number): DecideQuestion['given'] =>
  Array.from({ length: count }, (_, at) => {
    const conditions = Array.from({ length: 5 }, (_, n) => {
      const pattern = `(a|b)*a${'[ab]{1000}'.repeat(8)}(x{${(from + at) * 5 + n}})`;
      return `resource.id.matches("${pattern}")`;
    });
    const condition = conditions.join(' || ');
    return { key: `k${from + at}`, rules: [{ condition, effect: 'DENY' as const }] };
  });

function start() {
  const answers = createAnswers();
  return (given: DecideQuestion['given'], forget = false) => {
    const keys = given.map(({ key }) => key);
    const subjects = [{ resource, keys }];
    const answer = answers({ kind: 'decide', now: 0, forget, given, subjects, turn: 2_000_000 });
    if (answer.kind !== 'decided') throw new Error('it was asked to decide');
    return answer;
  };
}

it('a turn makes rules ready by what they take, however short they are, and says which were left', () => {
  const ask = start();
  const given = large(0, 40);
  let from = 0;
  let turns = 0;
  for (; from < given.length; turns += 1) {
    const { ready, verdicts } = ask(given.slice(from));
    expect(ready).toBeGreaterThan(0);
    // What it decided is of those that it made ready.
    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.length).toBeLessThanOrEqual(ready);
    from += ready;
  }
  expect(turns).toBeGreaterThan(1);
});

it('what is kept ready to run is bounded by what it takes, and full until it is forgotten', () => {
  const ask = start();
  let from = 0;
  let isFull = false;
  for (; !isFull; from += 1) ({ isFull } = ask(large(from, 1)));
  // A hundred such take what a million characters do.
  expect(from).toBeLessThan(200);
  expect(ask([{ key: 'small', rules: [] }]).isFull).toBe(true);
  expect(ask(large(0, 1), true).isFull).toBe(false);
});

it('rules that were neither given nor kept are no verdict', () => {
  const answers = createAnswers();
  const question = { kind: 'decide', now: 0, forget: false, given: [], turn: 1 } as const;
  expect(() => answers({ ...question, subjects: [{ resource, keys: ['none'] }] })).toThrow(
    'unknown rules requested',
  );
});

it('an answer has equal verdicts once, so that what is stored of thousands of resources shares them', () => {
  const answers = createAnswers();
  const rules = [
    { condition: 'resource.properties.open', effect: 'DENY' as const, message: 'open' },
  ];
  const open = { ...resource, properties: { open: true } };
  const answer = answers({
    kind: 'decide',
    now: 0,
    forget: false,
    given: [{ key: 'k', rules }],
    subjects: [open, resource, { ...open, id: 's' }].map((one) => ({ resource: one, keys: ['k'] })),
    turn: 2_000_000,
  });
  if (answer.kind !== 'decided') throw new Error('it was asked to decide');
  const [first, unset, last] = structuredClone(answer).verdicts;
  expect(first).toMatchObject({ status: 'FAIL', rules: [{ message: 'open' }] });
  expect(unset).toMatchObject({ status: 'ERROR' });
  expect(last).toBe(first);
});
