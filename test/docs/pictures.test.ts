import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAssessor } from '../../src/server/rightsizing/assess-all.ts';
import type { Compose } from '../../src/server/reports/generation/compose-report.ts';
import { createCompose } from '../../src/server/reports/generation/compose-report.ts';
import { costSources } from '../../src/server/wiring/cost-sources.ts';
import { asFile, openPdf } from '../report/formats/pdf/pdf-tools.ts';
import { startTestService } from '../server/test-service.ts';
import { makeTempFolder, projectRoot } from '../support/built-cli.ts';
import type { FakeWorldSettings, Outcome } from '../support/fake-world.ts';
import { runCommandLine } from '../support/fake-world.ts';
import { runTool } from '../support/system-tool.ts';
import { textOf, withText } from './png-text.ts';
import { terminalPicture } from './terminal-picture.ts';

/** `npm run docs` makes the pictures, `npm test` fails where they no longer show what the program does. */
const pictures = path.join(projectRoot, 'docs', 'pictures');
const isUpdating = (): boolean => expect.getState().snapshotState.snapshotUpdateState === 'all';

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(argv, { cwd: path.join(projectRoot, 'policies-example'), ...settings });

describe('the pictures of the docs', () => {
  it('show what check prints', async () => {
    const argv = ['check', 'infrastructure/web-shop.template'];
    const { stdout, stderr } = await run(argv, { tty: true, columns: 84 });
    const command = `govctl ${argv.join(' ')}`;
    const svg = terminalPicture(command, `$ \x1b[1m${command}\x1b[22m\n${stdout}${stderr}`);
    await expect(svg).toMatchFileSnapshot(path.join(pictures, 'check.svg'));
  });

  it('show a page of a report', async () => {
    const picture = path.join(pictures, 'report.png');
    const { pdf, page, text } = await scorePage(await reportOfTheLibrary());
    if (isUpdating()) writeFileSync(picture, withText(drawn(pdf, page), text));
    expect(textOf(readFileSync(picture)), 'run npm run docs').toBe(text);
  });

  it('are small', () => {
    const sizes = readdirSync(pictures).map((name) => statSync(path.join(pictures, name)).size);
    expect(Math.max(...sizes)).toBeLessThan(150_000);
  });
});

const compose: Compose = (deps, ...others) =>
  createCompose(new Set(), costSources(deps, {}, createAssessor(deps)))(deps, ...others);

/** The example policies, applied to the example inventory. */
async function reportOfTheLibrary(): Promise<Buffer> {
  const service = await startTestService({ reports: { compose } });
  onTestFinished(() => service.close());
  const out = makeTempFolder();
  const settings: FakeWorldSettings = {
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
  };
  const create = ['report', 'create', 'Web shop, SOC 2', '--type', 'compliance'];
  for (const argv of [
    ['apply', '--auto-approve'],
    ['resource', 'import', 'infrastructure/snapshot.json'],
    [...create, '--framework', 'soc2', '--format', 'pdf', '--out', out],
  ]) {
    const { exitCode, stderr } = await run(argv, settings);
    expect(exitCode, stderr).toBe(0);
    await service.evaluator.run();
  }
  const [file = ''] = readdirSync(out);
  return readFileSync(path.join(out, file));
}

interface Page {
  readonly pdf: Buffer;
  /** From 1. */
  readonly page: number;
  readonly text: string;
}

async function scorePage(bytes: Buffer): Promise<Page> {
  const pdf = await openPdf(bytes);
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const { items } = await (await pdf.getPage(page)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str : '')).join('\n');
    // The ID at the foot is another one each time, and below what is drawn.
    if (text.includes('Evaluations by result')) return { pdf: bytes, page, text: text.replace(/rpt_\w+/, '') }; // prettier-ignore
  }
  throw new Error('no page of the report shows evaluations by result');
}

/** The upper half of the page, as PNG, by poppler. */
function drawn(pdf: Buffer, page: number): Buffer {
  const file = path.join(makeTempFolder(), 'page');
  const area = ['-x', '0', '-y', '0', '-W', '910', '-H', '720'];
  runTool('pdftoppm', '-png', '-singlefile', '-r', '110', '-f', `${page}`, ...area, asFile(pdf), file); // prettier-ignore
  return readFileSync(`${file}.png`);
}
