import { crc32 } from 'node:zlib';

/** Of the chunk that holds what a picture says, as PNG names it. */
const keyword = 'Description';
const end = 12;

/** A PNG file that also says in words what it shows. */
export function withText(png: Buffer, text: string): Buffer {
  const content = Buffer.concat([Buffer.from('iTXt'), Buffer.from(`${keyword}\0\0\0\0\0${text}`)]);
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  return Buffer.concat([png.subarray(0, -end), chunk, png.subarray(-end)]);
}

/** @throws where the picture has no text */
export function textOf(png: Buffer): string {
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + end) {
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at)).toString();
    if (png.toString('latin1', at + 4, at + 8) === 'iTXt' && content.startsWith(`${keyword}\0`)) {
      return content.slice(keyword.length + 5);
    }
  }
  throw new Error('this PNG file does not say what it shows');
}
