import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  attach,
  collected,
  fill,
  idOf,
  startEvidence,
} from '../../server/evidence/evidence-world.ts';
import type { TestService } from '../../server/test-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { EvidenceCli } from './evidence-cli.ts';
import { createEvidenceCli } from './evidence-cli.ts';

let service: TestService;
let cli: EvidenceCli;
beforeEach(async () => {
  service = await startEvidence();
  cli = createEvidenceCli(service);
  await fill(service);
});
afterEach(async () => {
  cli.remove();
  await service.close();
});

const list = (...argv: string[]) => cli.run(['evidence', 'list', ...argv]);

describe('govctl evidence list', () => {
  it('lists what is known of the controls of a framework, by source', async () => {
    await attach(service);
    const { exitCode, stdout } = await list('soc2');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^CC6\.1 +tallies +2 evaluations: 1 pass, 1 fail/m);
    expect(stdout).toMatch(/^CC1\.1 +manual +Signed by all\./m);
    const json = JSON.parse((await list('soc2', '-o', 'json')).stdout) as {
      evidence: object[];
      pagination: object;
    };
    expect(json.evidence).toHaveLength(7);
    expect(json.pagination).toMatchObject({ total: 7 });
  });

  it('takes a control in either form, sources, and a time', async () => {
    for (const words of [['soc2', 'CC6.1'], ['SOC2:CC6.1']]) {
      const { stdout } = await list(...words, '--source', 'policies,changes', '--since', '30d');
      expect(stdout.trim().split('\n')).toHaveLength(3);
      expect(stdout).toMatch(/^CC6\.1 +policies +1 policy/m);
    }
    const page = await list('soc2', '--limit', '2');
    expect(page.stdout.trim().split('\n')).toHaveLength(3);
    expect(page.stderr).toContain('2 of 6');
  });

  it('lists bundles and what is attached, the newest first', async () => {
    const older = await collected(service);
    service.advance(60_000);
    const newer = await collected(service, { controls: ['CC6.1'] });
    const { stdout } = await list('--bundles');
    expect(stdout).toMatch(new RegExp(`${newer} +soc2: CC6.1[^]*${older} +soc2 `));
    expect((await list('pci', '--bundles')).stdout).toBe('');
    const id = idOf(await attach(service));
    const attached = await list('SOC2:CC1.1', '--attached');
    expect(attached.stdout).toContain(`${id}  soc2:CC1.1  Signed by all.  2026-12-31`);
    expect((await list('--attached', '-o', 'ndjson')).stdout).toContain(`"id":"${id}"`);
  });

  it('shows one bundle', async () => {
    const id = await collected(service, { name: 'Q1' });
    const { exitCode, stdout } = await cli.run(['evidence', 'get', id]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ +name +Q1$/m);
    expect(stdout).toContain(`govctl evidence export ${id}`);
    expect(await cli.run(['evidence', 'get', 'evd_none'])).toMatchObject({ exitCode: 1 });
  });

  it('refuses what it cannot list before it asks a service', async () => {
    const refused: [words: string[], message: string][] = [
      [[], 'No framework given'],
      [['--bundles', '--attached'], 'Use either --bundles or --attached'],
      [['--bundles', '--since', '30d'], 'Use either --bundles or --since'],
      [['soc2', 'CC6.1', '--bundles'], 'not by control'],
      [['soc2', '--source', 'rumours'], 'unknown value'],
      [['soc2', '--limit', '0'], 'must be a whole number'],
    ];
    for (const [words, message] of refused) {
      const outcome = await cli.offline(['evidence', 'list', ...words], {
        env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'any' },
      });
      expect(outcome, words.join(' ')).toMatchObject({ exitCode: 3 });
      expect(outcome.stderr).toContain(message);
    }
  });

  it('says which framework and control there are none of, and which server has no evidence', async () => {
    expect(await list('soc9')).toMatchObject({ exitCode: 1 });
    expect(await list('soc2', 'CC99')).toMatchObject({ exitCode: 1 });
    const { fetch } = createMinimalService();
    const { stderr } = await cli.run(['evidence', 'list', 'soc2'], { fetch });
    expect(stderr).toContain('does not support evidence');
  });
});
