import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { WIDEST, WIDTHS } from './keys.ts';
import type { Answer, Picture, Rendered, Task } from './rendering.ts';

/**
 * Process that reads images. Only three decoders are allowed (sharp would also read SVG with its references, and more),
 * and the memory of an image is estimated from its header before decoding.
 */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
sharp.cache(false);
sharp.concurrency(1);

const MOST_PIXELS = 50_000_000;
/** Memory limit for an image that must be decoded as a whole. */
const MOST_MEMORY = 60_000_000;
/** An image above this is read alone. */
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

/** The memory that an image needs at once: a progressive or interlaced one is only complete with its last row. */
function memoryFor({ format, width, height, isProgressive, chromaSubsampling, channels, depth }: Metadata): number {
  const pixels = width * height;
  if (!isProgressive) return 0;
  if (format === 'png') return pixels * channels * (depth === 'ushort' ? 2 : 1);
  return pixels * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels);
}

/** Decodes an image: upright, in sRGB, at most as wide as the widest image, and without metadata. */
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
  // The widest image has a fixed name whatever its width, so that its URL is known in advance.
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

/** Runs work when enough places are free, in order of arrival. */
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
// The server has ended, perhaps because it was killed.
process.once('disconnect', () => process.exit());
