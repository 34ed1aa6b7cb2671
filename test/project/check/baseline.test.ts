import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/project/check/baseline.ts';

test('a baseline of an earlier build still accepts what is undecided', () => {
  const undecided = (message: string): string =>
    fingerprintOf(
      {
        policy: 'versioning',
        resource: 'Uploads',
        resource_type: 'AWS::S3::Bucket',
        status: 'ERROR',
        severity: 'MEDIUM',
        rules: [{ index: 0, effect: 'DENY', message }],
        reason: 'unknown_value',
      },
      'template.yaml',
    );
  expect(undecided('resource.a is not known: Ref A')).toBe(
    undecided('resource.a is not known before the deployment: Ref A'),
  );
  expect(undecided('resource.a is not known: Ref A')).not.toBe(
    undecided('resource.a is not known: Ref B'),
  );
});
