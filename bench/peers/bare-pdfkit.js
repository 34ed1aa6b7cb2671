// The same text and tables in the same fonts, as pdfkit's own guide writes them: text() for every cell, and
// heightOfString() to know where a page ends. No tags, no contents, no charts.
import { createWriteStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import PDFDocument from 'pdfkit';

const [data, file] = process.argv.slice(2);
const { head, sections } = JSON.parse(readFileSync(data, 'utf8'));
const { resolve } = createRequire(import.meta.url);
const fonts = {
  sans: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
  narrow: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  narrowBold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
  mono: 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf',
  han: '@expo-google-fonts/zcool-xiaowei/400Regular/ZCOOLXiaoWei_400Regular.ttf',
};
const margin = { left: 46, right: 46, top: 66, bottom: 56 };
const doc = new PDFDocument({ size: 'A4', margins: margin, info: { Title: head.name } });
for (const [name, source] of Object.entries(fonts)) doc.registerFont(name, resolve(source));
const out = createWriteStream(file);
doc.pipe(out);

const { generated_at: at, generated_by: by, about, summary } = head;
doc.font('bold').fontSize(25).text(head.name);
doc.font('sans').fontSize(9);
for (const { label, value } of about) doc.text(`${label} ${value}`);
for (const [label, value] of Object.entries(summary)) doc.text(`${label} ${value}`);
doc.text(`${at} ${by} ${head.id} ${head.generator}`);

const faces = { id: 'mono', severity: 'narrowBold', status: 'narrowBold' };
const faceOf = (text, type) => (/\p{Script=Han}/u.test(text) ? 'han' : (faces[type] ?? 'narrow'));

for (const { title, blocks } of sections) {
  const wide = blocks.some(({ columns }) => columns?.length > 7);
  doc.addPage({ size: 'A4', margins: margin, layout: wide ? 'landscape' : 'portrait' });
  doc.font('bold').fontSize(18).text(title);
  for (const block of blocks) {
    if (block.kind === 'paragraph') doc.font('sans').fontSize(9.2).text(block.text).moveDown();
    else writeTable(block);
  }
}
doc.end();
await once(out, 'finish');

function writeTable({ title, columns, cells }) {
  const room = doc.page.width - margin.left - margin.right;
  const shares = columns.reduce((sum, { width }) => sum + width, 0);
  const widths = columns.map(({ width }) => (width / shares) * room - 8);
  const writeRow = (row, faceAt, aligned) => {
    let x = margin.left + 4;
    const y = doc.y;
    let height = 0;
    for (const [n, text] of row.entries()) {
      doc.font(faceAt(n, text)).fontSize(7.5);
      height = Math.max(height, doc.heightOfString(text, { width: widths[n] }));
    }
    if (y + height + 6 > doc.page.height - margin.bottom) {
      doc.addPage({ size: 'A4', margins: margin, layout: doc.page.layout });
      writeHead();
      return writeRow(row, faceAt, aligned);
    }
    for (const [n, text] of row.entries()) {
      const align = aligned && columns[n].type === 'integer' ? 'right' : 'left';
      doc
        .font(faceAt(n, text))
        .fontSize(7.5)
        .text(text, x, y + 3, { width: widths[n], align });
      x += widths[n] + 8;
    }
    doc.x = margin.left;
    doc.y = y + height + 6;
  };
  const writeHead = () =>
    writeRow(
      columns.map((c) => c.title),
      () => 'narrowBold',
      false,
    );
  doc.font('bold').fontSize(9.4).text(title);
  writeHead();
  for (const row of cells) {
    writeRow(row.map(String), (n, text) => faceOf(text, columns[n].type), true);
  }
}
