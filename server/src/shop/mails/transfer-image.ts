import { crc32, deflateSync } from 'node:zlib';
import type { TransferCode } from '../payments/transfer-code.ts';

/** Pixels per module. Mails show the image at about half its size, so that it is sharp on dense screens. */
const SCALE = 6;
const GRAYSCALE = 0;

/** Encodes a QR code as a PNG with one bit per pixel. Many mail programs do not show SVG images. */
export function imageOf(code: TransferCode): Buffer {
  const size = code.length * SCALE;
  const rows = code.flatMap((row) => Array<Buffer>(SCALE).fill(bitsOf(row)));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([1, GRAYSCALE, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** A row of pixels, after the PNG filter byte for "no filter". Light pixels are 1. */
function bitsOf(row: boolean[]): Buffer {
  const bits = Buffer.alloc(1 + Math.ceil((row.length * SCALE) / 8));
  for (let x = 0; x < row.length * SCALE; x += 1) {
    const at = 1 + (x >> 3);
    if (!row[Math.floor(x / SCALE)]) bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
  }
  return bits;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
