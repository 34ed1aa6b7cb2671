import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleReport } from '../../../support/sample-report.ts';
import { runTool } from '../../../support/system-tool.ts';
import { asFile, hasPoppler, pagesOf, renderToBytes } from './pdf-tools.ts';

/** A page as a picture in shades of grey, a pixel a point. */
interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0 is black. */
  readonly at: (x: number, y: number) => number;
}

/** As poppler draws them. */
function picturesOf(bytes: Uint8Array): readonly Picture[] {
  const file = asFile(bytes);
  const folder = path.dirname(file);
  runTool('pdftoppm', '-gray', '-r', '72', file, path.join(folder, 'page'));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pgm'))
    .sort()
    .map((name) => readPicture(readFileSync(path.join(folder, name))));
}

/** Netpbm's P5: a head of three numbers, then a byte a pixel. */
function readPicture(bytes: Buffer): Picture {
  const [head = '', width, height] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 40).toString('latin1')) ?? [];
  const across = Number(width);
  const pixels = bytes.subarray(head.length);
  return {
    width: across,
    height: Number(height),
    at: (x, y) => pixels[y * across + x] ?? 255,
  };
}

/** Whether anything is drawn within so many points of the edges of a page. */
const touchesEdge = ({ width, height, at }: Picture, margin: number): boolean =>
  Array.from({ length: height }, (_, y) => y).some((y) =>
    Array.from({ length: width }, (_, x) => x).some(
      (x) =>
        (x < margin || y < margin || x >= width - margin || y >= height - margin) && at(x, y) < 250,
    ),
  );

const inkOf = ({ width, height, at }: Picture): number => {
  let dark = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (at(x, y) < 200) dark += 1;
  return dark / (width * height);
};

describe.skipIf(!hasPoppler)('the pages of a fixed report', () => {
  it('say the same in the same order', async () => {
    const { bytes } = await renderToBytes(sampleReport(24));
    // How many spaces and empty lines stand for a distance differs between versions of poppler.
    const pages = pagesOf(bytes).map((page) =>
      page
        .replace(/ {2,}/g, '  ')
        .replace(/\s*\n\s*/g, '\n')
        .trim(),
    );
    await expect(`${pages.join('\n\n\f\n')}\n`).toMatchFileSnapshot('sample-pages.txt');
  });

  it('are drawn within their margins, and none is empty or black', async () => {
    const { bytes, rendered } = await renderToBytes(sampleReport(24));
    const [title, ...pages] = picturesOf(bytes);
    expect(pages).toHaveLength((rendered.pages?.total ?? 0) - 1);
    if (!title) throw new Error('there is a page');
    // Its band goes to the edges.
    expect(inkOf(title)).toBeGreaterThan(0.1);
    for (const page of pages) {
      expect(touchesEdge(page, 24)).toBe(false);
      expect(inkOf(page)).toBeGreaterThan(0.001);
      expect(inkOf(page)).toBeLessThan(0.3);
    }
  });
});
