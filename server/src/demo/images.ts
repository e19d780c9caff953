import { crc32 } from 'node:zlib';
import { sketches } from './catalog.ts';
import { gallery } from './drawings/gallery.ts';
import { box, mix, oval, tonesOf } from './drawings/pen.ts';
import { imageCount, imageName, type Picture } from './sketch.ts';
import { swatches } from './swatches.ts';

const WALLS = ['#ECE3D6', '#DFE5DB', '#E4E0E6', '#EEDFD4', '#DBE4E7', '#E9E4CF'];

const pictures = new Map<string, { picture: Picture; index: number }>();
for (const { slug, picture } of sketches) {
  for (let index = 0; index < imageCount(picture); index += 1) {
    pictures.set(imageName(slug, index + 1), { picture, index });
  }
}

/**
 * The SVG document of /demo-images/<name>.svg, or undefined if no demo product has such an image. The same name
 * always returns the same document; it is under 4 KB, has no scripts and refers to nothing outside itself.
 */
export function demoImage(name: string): string | undefined {
  const found = pictures.get(name);
  if (found === undefined) return undefined;
  const { picture, index } = found;
  const drawing = gallery[picture.motif];
  const colour = picture.colours[index];
  const parts = drawing.parts(tonesOf(swatches[colour ?? picture.colours[0] ?? 'Oat']));
  const wall = WALLS[(crc32(picture.motif) + index) % WALLS.length] ?? '#ECE3D6';
  // An image beyond the colours is a close-up of the first one.
  const view = colour === undefined ? '76 84 248 248' : '0 0 400 400';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800" viewBox="${view}">`,
    box(0, 0, 400, 400, 0, wall),
    oval(200, 196, 158, mix(wall, '#ffffff', 0.42)),
    drawing.setting === 'table' ? box(0, 292, 400, 108, 0, mix(wall, '#7a5a3c', 0.16)) : '',
    ...parts,
    '</svg>',
  ].join('');
}
