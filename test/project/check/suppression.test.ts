import { expect, test } from 'vitest';
import { PolicyInput } from '../../../src/contract/policies.ts';
import { suppressionOf } from '../../../src/project/check/suppression.ts';

const policy = PolicyInput.parse({
  name: 'passwords-from-parameters',
  resource_type: 'AWS::DMS::Endpoint',
  rules: [{ condition: 'false', effect: 'DENY' }],
  tags: ['guard:SECURE_PARAMETER', 'cfn_nag:F37', 'suppressed_by:guard:NO_PLAINTEXT'],
});

test('no resource spares itself a mandatory policy', () => {
  const tags = ['guard:SECURE_PARAMETER', 'enforcement:mandatory'];
  expect(suppressionOf({ ...policy, tags }, ['guard:SECURE_PARAMETER'])).toBeUndefined();
});

test.each([
  ['guard:SECURE_PARAMETER', true],
  ['cfn_nag:F37', true],
  ['guard:NO_PLAINTEXT', true],
  ['guard:ANOTHER', false],
  ['cfn_nag:F3', false],
])('a resource that suppresses %s is spared: %s', (suppressed, spared) => {
  const reason = suppressionOf(policy, ['guard:UNRELATED', suppressed]);
  expect(reason).toBe(spared ? `${suppressed} is suppressed by the resource itself` : undefined);
});
