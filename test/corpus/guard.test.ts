// The policies that stand for rules of the AWS Guard Rules Registry (tag `guard:<RULE_NAME>`), over its published cases.
// One rule, or a few by a part of their names:
//   npx vitest run --config .config/vitest.config.ts test/corpus/guard.test.ts -t S3_BUCKET_LOGGING_ENABLED
// Every disagreement and every ERROR is printed with the findings; -t leaves the totals out.
// Many cases suppress a rule by its id in cfn_nag: the policy then needs the tag `cfn_nag:<ID>` beside `guard:<RULE_NAME>`.
import { describe, expect, test } from 'vitest';
import { field, textOf } from '../../src/inventory/json.ts';
import { agrees, answerAll, hasGuardCases, readRuleIndex, show } from './guard-cases.ts';

if (!hasGuardCases) console.log('skipped: the Guard Rules Registry cases are not in this checkout');

describe.runIf(hasGuardCases)('the policies of the Guard rules', () => {
  const answers = hasGuardCases ? answerAll() : new Map<string, never[]>();
  const withCases = [...answers].flatMap(([rule, given]) => (given.length > 0 ? rule : [])).sort();

  test.each(withCases)('%s decides as published, in most of its cases', (rule) => {
    const given = answers.get(rule) ?? [];
    const wrong = given.filter((one) => !agrees(one));
    const open = given.filter((one) => agrees(one) && one.verdict === 'ERROR');
    const told = [...wrong, ...open].map(show);
    if (told.length > 0) console.log([`  ${rule}`, ...told].join('\n'));
    expect(wrong.length / given.length).toBeLessThan(0.5);
  });

  test('agree on at least 97 % of the cases, and cover at least 120 rules', () => {
    const index = readRuleIndex();
    const all = [...answers.values()].flat();
    const agreed = all.filter(agrees);
    const errors = all.filter(({ verdict }) => verdict === 'ERROR');
    const rules = [...answers.keys()];
    const withoutCases = rules.filter(
      (rule) =>
        !withCases.includes(rule) && textOf(field(index[rule], 'description')) !== undefined,
    );
    console.log(
      [
        `Guard rules: ${rules.length} covered (${withCases.length} with cases, ${withoutCases.length} with a description only)`,
        `cases: ${agreed.length} of ${all.length} agree (${((100 * agreed.length) / all.length).toFixed(2)} %); ERROR in ${errors.length}`,
        ...withCases.flatMap((rule) => {
          const given = answers.get(rule) ?? [];
          const right = given.filter(agrees).length;
          return right === given.length ? [] : [`  ${rule}: ${right} of ${given.length}`];
        }),
      ].join('\n'),
    );
    expect(rules.filter((rule) => !Object.hasOwn(index, rule))).toEqual([]);
    expect(agreed.length / all.length).toBeGreaterThanOrEqual(0.97);
    expect(rules.length).toBeGreaterThanOrEqual(120);
    expect(withoutCases.length).toBeGreaterThanOrEqual(46);
  });
});
