/**
 * The catalogue of both servers, which is the same on each run. Its products have three variants, and a description of
 * 55 words. Each name contains one of 40 nouns, so that a search for a noun finds one product in 40.
 */

const ADJECTIVES =
  words(`Amber Bold Calm Dusky Early Fancy Gentle Happy Ivory Jolly Keen Lively Mellow Nimble Olive Plain
  Quiet Rustic Silver Tidy Upbeat Velvet Warm Young Zesty`);
export const NOUNS = words(`anorak backpack candle denim easel flask guitar hammock inkwell jersey kettle lantern mirror
  notebook ottoman parasol quilt raincoat saddle teapot umbrella vase wallet xylophone yarn zipper bicycle compass drawer
  envelope fountain goggles helmet jacket keyboard ladder mattress napkin oven pillow`);
const FILLER =
  words(`made with care from durable parts and finished by hand for daily use at home or outdoors light enough to
  carry strong enough to keep easy to clean simple to store sized for most needs shipped in plain recycled packaging backed by
  a two year guarantee tested in our own workshop soft smooth sturdy flexible modern classic colour texture fabric metal wood
  glass cotton leather repair spare stitch edge lining handle strap base`);
const SIZES = ['S', 'M', 'L'];
const DESCRIPTION_WORDS = 55;
const CATEGORIES = 20;
/** The stock of each variant, which no run sells out. */
export const PLENTY = 10_000_000;

export interface Goods {
  name: string;
  slug: string;
  description: string;
  category: string;
  variants: { size: string; sku: string; cents: number }[];
}

/** Returns the i-th product of the catalogue, the same on each run. */
export function goodsOf(i: number): Goods {
  const random = randomFrom(i * 7919 + 17);
  const noun = NOUNS[i % NOUNS.length] ?? '';
  const adjective = ADJECTIVES[Math.floor(i / NOUNS.length) % ADJECTIVES.length] ?? '';
  const number = String(i + 1).padStart(4, '0');
  const description = Array.from({ length: DESCRIPTION_WORDS }, () => FILLER[Math.floor(random() * FILLER.length)]);
  const base = 500 + Math.floor(random() * 19_500);
  return {
    name: `${adjective} ${noun} ${number}`,
    slug: `${adjective}-${noun}-${number}`.toLowerCase(),
    description: `${description.join(' ')}.`,
    category: `Category ${(i % CATEGORIES) + 1}`,
    variants: SIZES.map((size, n) => ({ size, sku: `SKU-${number}-${size}`, cents: base + n * 250 })),
  };
}

/** Returns the i-th product in the format that the commerce server accepts. */
export function productOf(i: number) {
  const { category, variants, ...product } = goodsOf(i);
  return {
    ...product,
    product_type: category,
    status: 'active' as const,
    options: [{ name: 'Size', values: SIZES }],
    variants: variants.map(({ size, sku, cents }) => ({
      option1: size,
      sku,
      price: (cents / 100).toFixed(2),
      inventory_quantity: PLENTY,
    })),
  };
}

function words(text: string): string[] {
  return text.split(/\s+/);
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
