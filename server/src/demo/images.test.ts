import { describe, expect, it } from 'vitest';
import { demoProducts } from './catalog.ts';
import { demoCollections } from './collections.ts';
import { demoImage } from './images.ts';

const ADDRESS = /^\/demo-images\/([a-z0-9-]+)\.svg$/;

function nameIn(url: string | null | undefined): string {
  return ADDRESS.exec(url ?? '')?.[1] ?? `not an image address: ${url}`;
}

const names = demoProducts.flatMap((product) => (product.images ?? []).map((image) => nameIn(image.url)));

describe('images of the demo shop', () => {
  it('exist wherever a product, a variant or a collection refers to one', () => {
    const urls = [
      ...demoProducts.flatMap((product) => (product.images ?? []).map((image) => image.url)),
      ...demoProducts.flatMap((product) => (product.variants ?? []).flatMap((variant) => variant.image_url ?? [])),
      ...demoCollections.map((collection) => collection.image_url),
    ];
    expect(urls.filter((url) => demoImage(nameIn(url)) === undefined)).toEqual([]);
  });

  it('are unknown under any other name', () => {
    for (const name of [
      '',
      'rowan-stoneware-mug-9',
      'rowan-stoneware-mug.svg',
      '../catalog',
      '__proto__',
      'constructor',
    ]) {
      expect(demoImage(name)).toBeUndefined();
    }
  });

  it('are SVG documents under 4 KB that run nothing and refer to nothing outside', () => {
    for (const name of names) {
      const svg = demoImage(name) ?? '';
      expect(Buffer.byteLength(svg), name).toBeLessThan(4096);
      expect(svg, name).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
      expect(svg.replace('http://www.w3.org/2000/svg', ''), name).not.toMatch(
        /script|http|href|\son\w+=|<text|NaN|undefined/,
      );
    }
  });

  it('close every element they open', () => {
    for (const name of names) {
      const open: string[] = [];
      for (const [, closing, tag, alone] of (demoImage(name) ?? '').matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
        if (closing) expect(open.pop(), name).toBe(tag);
        else if (!alone) open.push(tag ?? '');
      }
      expect(open, name).toEqual([]);
    }
  });

  it('are the same each time and differ from one another', () => {
    expect(names.map((name) => demoImage(name))).toEqual(names.map((name) => demoImage(name)));
    expect(new Set(names.map((name) => demoImage(name))).size).toBe(names.length);
  });
});
