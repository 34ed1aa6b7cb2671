import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/project/read/load.ts';
import { makeRepo } from '../support/temp-repo.ts';

const page = readFileSync(new URL('../../docs/policy-files.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
const documents = examples.filter((text) => /^(key|kind):/.test(text));

describe('docs/policy-files.md', () => {
  it('shows documents of every kind, and a govctl.yaml, that are valid', async () => {
    const config = examples.find((text) => text.startsWith('project:')) ?? '';
    const cwd = makeRepo({
      'govctl.yaml': config,
      ...Object.fromEntries(
        documents.map((text, index) => [
          `policies/${/^key: (.*)$/m.exec(text)?.[1] ?? index}.yaml`,
          text,
        ]),
      ),
    });
    const { problems, policies, others } = await loadProject({ cwd, paths: [] });
    expect(problems).toEqual([]);
    expect(policies).toHaveLength(1);
    expect(others.map(({ kind }) => kind).sort()).toEqual([
      'Budget',
      'Exemption',
      'Framework',
      'PolicyTest',
      'Schedule',
      'Webhook',
    ]);
  });
});
