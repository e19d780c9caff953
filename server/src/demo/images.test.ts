import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { demoProducts } from './catalog.ts';
import { demoCollections } from './collections.ts';
import { demoImage } from './images.ts';

const ADDRESS = /^\/demo-images\/([a-z0-9-]+)\.svg$/;

function nameIn(url: string | null | undefined): string {
  return ADDRESS.exec(url ?? '')?.[1] ?? `not an image address: ${url}`;
}

const names = demoProducts.flatMap((product) => (product.images ?? []).map((image) => nameIn(image.url)));
const images = await Promise.all(names.map(async (name) => ({ name, svg: (await demoImage(name)) ?? '' })));

describe('images of the demo shop', () => {
  it('demo images are exactly the files of the folder `pictures`', async () => {
    const files = await readdir(new URL('pictures/', import.meta.url));
    expect(names.map((name) => `${name}.svg`).sort()).toEqual(files.sort());
  });

  it('a demo image exists for every variant and collection that refers to one', () => {
    const urls = [
      ...demoProducts.flatMap((product) => (product.variants ?? []).flatMap((variant) => variant.image_url ?? [])),
      ...demoCollections.map((collection) => collection.image_url),
    ];
    expect(urls.filter((url) => !names.includes(nameIn(url)))).toEqual([]);
  });

  it('finds no demo image under an unknown name, a path or a file name', async () => {
    for (const name of [
      '',
      'rowan-stoneware-mug-9',
      'rowan-stoneware-mug.svg',
      '../catalog',
      '../pictures/rowan-stoneware-mug',
      'rowan-stoneware-mug\0',
      '__proto__',
    ]) {
      expect(await demoImage(name), name).toBeUndefined();
    }
  });

  it('demo images are SVG files under 4 KB without scripts and external references', () => {
    for (const { name, svg } of images) {
      expect(Buffer.byteLength(svg), name).toBeLessThan(4096);
      expect(svg, name).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
      expect(svg.replace('http://www.w3.org/2000/svg', ''), name).not.toMatch(
        /script|http|href|\son\w+=|<text|NaN|undefined/,
      );
    }
  });

  it('demo images close every element that they open', () => {
    for (const { name, svg } of images) {
      const open: string[] = [];
      for (const [, closing, tag, alone] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
        if (closing) expect(open.pop(), name).toBe(tag);
        else if (!alone) open.push(tag ?? '');
      }
      expect(open, name).toEqual([]);
    }
  });

  it('demo images are all different', () => {
    expect(new Set(images.map(({ svg }) => svg)).size).toBe(names.length);
  });
});
