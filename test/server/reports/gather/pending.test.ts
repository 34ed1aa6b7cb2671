import { afterEach, beforeEach, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { composeOf } from './content-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  for (const id of ['r1', 'r2', 'r3']) await inventory.put(id, { public: true });
  await inventory.createPolicy('p', {
    rules: [{ condition: 'resource.public == true', effect: 'DENY' }],
  });
});
afterEach(() => service.close());

const said =
  'Evaluation was not complete: 3 evaluations of 1 policy were pending. Violations, and figures based on them, are incomplete.';

it.each(reportTypes)(
  'a %s report says beside its figures what was pending when it began',
  async (type) => {
    // The background goes on while the report is made.
    let background: Promise<unknown> | undefined;
    const onProgress = () => void (background ??= service.evaluator.run());
    const early = await composeOf(service, { type }, { isEarly: true, onProgress });
    await background;
    expect(early.model.head.notices).toContain(said);
    const texts = early.model.sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : [])),
    );
    expect(texts.filter((text) => text === said)).toHaveLength(1);
    await early.close();
    const later = await composeOf(service, { type });
    expect(later.model.head.notices ?? []).not.toContainEqual(
      expect.stringContaining('not complete'),
    );
    await later.close();
  },
);
