/** A generated catalogue of any size. Each run generates the same products. */

const SIZES = ['S', 'M', 'L'];
const ADJECTIVES = ['Quiet', 'Amber', 'Nordic', 'Folding', 'Woven', 'Brushed', 'Compact', 'Heavy', 'Light', 'Classic'];
export const NOUNS = ['Lamp', 'Chair', 'Blanket', 'Kettle', 'Backpack', 'Jacket', 'Shelf', 'Clock', 'Bowl', 'Rug'];
const VENDORS = ['Alder', 'Birk', 'Cedar', 'Dune', 'Elm', 'Fjord', 'Grove', 'Heath'];
const SENTENCE = 'Made to be used every day for many years, easy to repair and pleasant to hold. ';

export function slugOf(i: number): string {
  return `bench-product-${i}`;
}

/** Returns the i-th product: three variants, two images, some tags and metadata, all in stock. */
export function productOf(i: number) {
  const pick = (words: string[], step: number) => words[Math.floor(i / step) % words.length] ?? '';
  const noun = pick(NOUNS, 1);
  const price = 5 + ((i * 37) % 195);
  const image = (position: number) => ({
    url: `https://images.example/${i}/${position}.jpg`,
    alt: `${noun} ${position}`,
  });
  return {
    name: `${pick(ADJECTIVES, NOUNS.length)} ${noun} ${i}`,
    slug: slugOf(i),
    description: SENTENCE.repeat(4).trim(),
    vendor: pick(VENDORS, 3),
    product_type: noun,
    tags: [noun.toLowerCase(), i % 2 ? 'new' : 'classic', `series-${i % 25}`],
    status: 'active' as const,
    metadata: { material: i % 3 ? 'wood' : 'steel', room: i % 2 ? 'kitchen' : 'hall' },
    options: [{ name: 'Size', values: SIZES }],
    images: [image(1), image(2)],
    variants: SIZES.map((option1, n) => ({
      option1,
      sku: `B-${i}-${option1}`,
      price: `${price + n}.90`,
      inventory_quantity: 10 + ((i + n) % 40),
      weight: '1.250',
    })),
  };
}
