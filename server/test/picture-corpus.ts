import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Random choices that are the same for the same seed. */
interface Chance {
  next(): number;
  of<T>(list: readonly T[]): T;
  some<T>(list: readonly T[], count: number): T[];
}

/** A generated image file: valid, or with a wrong type or content. */
export interface Sent {
  kind: string;
  content: Buffer;
  content_type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** The expected result: `ready`, or one of these failure reasons. */
  meant: string[];
}

/** A script in the metadata or content of images, which no response may contain. */
export const MARKER = '<script>alert("marker")</script>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">${MARKER}<rect width="40" height="40"/></svg>`;

type Format = 'jpeg' | 'png' | 'webp';
const FORMATS: Format[] = ['jpeg', 'png', 'webp'];
type Maker = (chance: Chance) => Promise<Omit<Sent, 'kind'>>;

/** Creates an image with noise, and with a marker in its metadata that processing must remove. */
export function picture(format: Format, width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 120, sigma: 20 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } })
    .withExif({ IFD0: { Copyright: MARKER } })
    .toFormat(format)
    .toBuffer();
}

const typeOf = (format: Format) => `image/${format}` as const;
const sizeOf = (chance: Chance, most = 1_500) => 1 + Math.floor(chance.next() * most);

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A black PNG with one bit per pixel: the smallest file for an image of this size. */
function blackPng(width: number, height: number, ...more: Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const parts = [chunk('IHDR', header), ...more, chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

/** Creates a file of another type. Some of these files begin with the first bytes of an image. */
async function other(chance: Chance): Promise<Buffer> {
  const small = await picture('png', 20, 20);
  const beginning = chance.of(['ffd8ffe0', '89504e470d0a1a0a', '52494646']);
  return chance.of([
    Buffer.from(SVG),
    Buffer.from(`<?xml version="1.0"?>${SVG}`),
    Buffer.from(`<html>${MARKER}</html>`),
    Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'),
    Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), small]),
    Buffer.concat([Buffer.from(MARKER), small]),
    Buffer.concat([Buffer.from(beginning, 'hex'), Buffer.from(SVG)]),
    Buffer.from(Array.from({ length: 500 }, () => Math.floor(chance.next() * 256))),
    await sharp(small).gif().toBuffer(),
    await sharp(small).tiff().toBuffer(),
  ]);
}

const MAKERS: Record<string, Maker> = {
  good: async (chance) => {
    const format = chance.of(FORMATS);
    const content = await picture(format, sizeOf(chance), sizeOf(chance));
    return { content, content_type: typeOf(format), meant: ['ready'] };
  },
  'with something behind it': async (chance) => {
    const format = chance.of(FORMATS);
    const content = Buffer.concat([await picture(format, 90, 60), Buffer.from(`PK\x03\x04${MARKER}`, 'latin1')]);
    return { content, content_type: typeOf(format), meant: ['ready', 'unreadable'] };
  },
  'of another type': async (chance) => {
    const [format, said] = chance.some(FORMATS, 2) as [Format, Format];
    return { content: await picture(format, 50, 50), content_type: typeOf(said), meant: ['wrong_type'] };
  },
  'no picture': async (chance) => ({
    content: await other(chance),
    content_type: typeOf(chance.of(FORMATS)),
    meant: ['unreadable'],
  }),
  'cut off': async (chance) => {
    const format = chance.of(FORMATS);
    const whole = await picture(format, 300, 300);
    const content = whole.subarray(0, 1 + Math.floor(chance.next() * whole.length * 0.9));
    return { content, content_type: typeOf(format), meant: ['unreadable'] };
  },
  damaged: async (chance) => {
    const format = chance.of(FORMATS);
    const content = await picture(format, 300, 300);
    for (let i = 0; i < 40; i += 1)
      content[Math.floor(chance.next() * content.length)] = Math.floor(chance.next() * 256);
    return { content, content_type: typeOf(format), meant: ['ready', 'unreadable', 'wrong_type', 'too_large'] };
  },
  'of 100 megapixels': async () => ({
    content: blackPng(10_000, 10_000),
    content_type: 'image/png',
    meant: ['too_large'],
  }),
  'of 49 megapixels': async () => ({ content: blackPng(7_000, 7_000), content_type: 'image/png', meant: ['ready'] }),
  'of as many pixels as can be said': async (chance) => {
    const content = await picture('jpeg', 40, 40);
    const frame = content.indexOf(Buffer.from('ffc0', 'hex'));
    content.writeUInt16BE(65_500 - Math.floor(chance.next() * 9), frame + 5);
    content.writeUInt16BE(65_500, frame + 7);
    return { content, content_type: 'image/jpeg', meant: ['too_large'] };
  },
  'with 200 MB of text in it': async () => ({
    content: blackPng(40, 40, chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), BOMB]))),
    content_type: 'image/png',
    meant: ['ready', 'unreadable'],
  }),
  'progressive, of 24 megapixels': async () => ({
    content: await progressive(),
    content_type: 'image/jpeg',
    meant: ['ready', 'too_large'],
  }),
};

const BOMB = deflateSync(Buffer.alloc(200_000_000));
let large: Promise<Buffer> | undefined;

function progressive(): Promise<Buffer> {
  large ??= sharp({ create: { width: 6_000, height: 4_000, channels: 3, background: '#639' } })
    .jpeg({ progressive: true, quality: 60 })
    .toBuffer();
  return large;
}

export const KINDS = Object.keys(MAKERS);

/** Whether this is a complete WebP image. */
export async function isWholeWebp(content: Buffer): Promise<boolean> {
  try {
    await sharp(content).stats();
    return (await sharp(content).metadata()).format === 'webp';
  } catch {
    return false;
  }
}

/** Creates the file with this number. The kinds alternate, and each file is different. */
export async function fileNumber(index: number, chance: Chance): Promise<Sent> {
  const kind = KINDS[index % KINDS.length] as string;
  return { kind, ...(await (MAKERS[kind] as Maker)(chance)) };
}
