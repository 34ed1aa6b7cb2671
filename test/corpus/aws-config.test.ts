import { describe, expect, test } from 'vitest';
import { hasInputs, readFolder } from './public-inputs.ts';

const folder = 'aws-config';

/** What is no configuration item, or lacks what one needs, and how that is said. */
const reasons = [
  /resource-schema.*: this is the schema of a resource type/,
  /SelectResourceConfig.*: a configuration item without resourceType/,
  /DescribeConfigurationRecorder.*not a supported format/,
  /GetComplianceDetailsByConfigRule.*: these are evaluation results/,
  /poll-evaluation.*: this is a scheduled notification/,
  /configUpdated.*not a supported format/,
  /node-that-was-built.*: the configuration is not valid JSON/,
];

describe.runIf(hasInputs(folder))('public configuration items', () => {
  test('load, or it is said at which place they hold none', () => {
    const { total, failed } = readFolder(folder, 'aws-config');
    expect(failed.filter((one) => !reasons.some((reason) => reason.test(one)))).toEqual([]);
    expect(failed.filter((one) => !/:\d+:\d+: /.test(one))).toEqual([]);
    expect(total - failed.length).toBeGreaterThanOrEqual(18);
  });
});
