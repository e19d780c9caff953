import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { WIDEST, WIDTHS } from './keys.ts';
import type { Answer, Picture, Rendered, Task } from './rendering.ts';

/**
 * Child process that decodes images. Only JPEG, PNG and WebP are enabled, because sharp would also read SVG with
 * external references and other formats. The memory for an image is estimated from its header before decoding.
 */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
sharp.cache(false);
sharp.concurrency(1);

const MOST_PIXELS = 50_000_000;
/** Limit for images that must be decoded as a whole, in bytes. */
const MOST_MEMORY = 60_000_000;
/** An image that needs more memory than this, in bytes, is decoded while no other one is. */
const HEAVY = 20_000_000;
const AT_ONCE = 2;
const QUALITY = 82;
const DECODE_WITHIN_SECONDS = 60;
const OPTIONS: SharpOptions = {
  limitInputPixels: MOST_PIXELS,
  sequentialRead: true,
  failOn: 'error',
  unlimited: false,
};
const FORMATS: Record<string, string> = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

async function render({ path, content_type, folder }: Task): Promise<Rendered> {
  const about = await sharp(path, { ...OPTIONS, limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  const format = about && FORMATS[about.format];
  if (!about || !format) return { unusable: 'unreadable' };
  if (format !== content_type) return { unusable: 'wrong_type' };
  const memory = memoryFor(about);
  if (about.width * about.height > MOST_PIXELS || memory > MOST_MEMORY) return { unusable: 'too_large' };
  return turn(memory > HEAVY ? AT_ONCE : 1, async () => {
    const decoded = await decode(path).catch(() => undefined);
    return decoded ? { pictures: await write(decoded, folder) } : { unusable: 'unreadable' };
  });
}

/**
 * Memory in bytes to decode an image. Progressive and interlaced images must be decoded as a whole; others are read row
 * by row and count as 0.
 */
function memoryFor({ format, width, height, isProgressive, chromaSubsampling, channels, depth }: Metadata): number {
  const pixels = width * height;
  if (!isProgressive) return 0;
  if (format === 'png') return pixels * channels * (depth === 'ushort' ? 2 : 1);
  return pixels * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels);
}

/** Decodes an image, rotates it upright, converts it to sRGB, limits its size and removes its metadata. */
function decode(path: string) {
  return sharp(path, OPTIONS)
    .timeout({ seconds: DECODE_WITHIN_SECONDS })
    .autoOrient()
    .resize({ width: WIDEST, height: WIDEST * 4, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
}

async function write({ data, info }: Awaited<ReturnType<typeof decode>>, folder: string): Promise<Picture[]> {
  const pictures: Picture[] = [];
  const { width, height, channels } = info;
  // The widest version is always stored under the same name, so that its URL is known before the image is decoded.
  for (const size of WIDTHS.filter((one) => one < width || one === WIDEST)) {
    const made = await sharp(data, { raw: { width, height, channels } })
      .resize({ width: Math.min(size, width) })
      .webp({ quality: QUALITY })
      .toFile(`${folder}/${size}.webp`);
    pictures.push({ size, width: made.width, height: made.height });
  }
  return pictures;
}

let free = AT_ONCE;
const queue: { places: number; start: () => void }[] = [];

/** Runs work when enough places are free. Waiting work is served in order of arrival. */
async function turn<T>(places: number, work: () => Promise<T>): Promise<T> {
  await new Promise<void>((start) => {
    queue.push({ places, start });
    admit();
  });
  try {
    return await work();
  } finally {
    free += places;
    admit();
  }
}

function admit(): void {
  for (let next = queue[0]; next && next.places <= free; next = queue[0]) {
    free -= next.places;
    queue.shift();
    next.start();
  }
}

process.on('message', async (task: Task) => {
  const answer = await render(task).catch((error: Error) => ({ broken: error.message }));
  process.send?.({ ...answer, id: task.id } satisfies Answer);
});
// The server has exited or was killed.
process.once('disconnect', () => process.exit());
