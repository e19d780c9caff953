/**
 * A generated assortment, the same on each run, whose words are about as common as in real shops: of the frequent search words
 * of a real shop, the median occurs in 0.6 % of the products, one in ten in more than 2.5 %, and one in a hundred in more than
 * 11 %.
 */

import { chanceOf } from '../proofs/testing/random.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Names of clothes, which have sizes; all other products have colours. */
const WORN = words(`
  Jacket Boot Sweater Glove Scarf Trouser Shirt Sandal Hat Belt Sock Coat Vest Hoodie Slipper Apron Raincoat Cardigan Legging
  Blouse Skirt Sneaker Beanie Poncho Parka Jersey Tunic Overall Kimono Pyjama`);
const OTHERS = words(`
  Lamp Chair Blanket Kettle Backpack Shelf Clock Bowl Rug Mug Pillow Curtain Table Mirror Basket Vase Stool Desk Bench Cushion
  Teapot Tray Candle Frame Drawer Cabinet Wardrobe Mattress Duvet Towel Toaster Blender Grinder Skillet Casserole Ladle Spatula
  Whisk Colander Grater Carafe Tumbler Decanter Platter Saucer Thermos Lantern Torch Tent Hammock Cooler Stove Bottle Helmet
  Bicycle Scooter Skateboard Racket Kettlebell Dumbbell Notebook Pencil Stapler Envelope Calendar Globe Puzzle Kite Violin
  Ukulele Speaker Headphone Keyboard Monitor Charger Tripod Printer Router Suitcase Wallet Umbrella Satchel Briefcase Trowel
  Rake Shovel Planter Wheelbarrow Birdhouse Doormat`);
const ADJECTIVES = words(`
  Quiet Amber Nordic Folding Woven Brushed Compact Heavy Light Classic Rustic Modern Soft Sturdy Slim Round Tall Striped Plain
  Quilted Padded Polished Carved Glazed Hammered Knitted Linen Velvet Floral Checked Coastal Alpine Urban Vintage Portable
  Stackable Adjustable Foldaway Insulated Waterproof Breathable Ribbed Layered Tapered Curved Oval Square Pocket Travel Studio
  Garden Harbour Meadow Forest Canyon Prairie Lagoon Summit Valley Orchard`);
const VENDORS = words(`
  Alder Birk Cedar Dune Elm Fjord Grove Heath Inlet Juniper Kestrel Larch Maple Nettle Osier Pine Quarry Rowan Sorrel Thistle
  Umber Vetch Willow Yarrow Aster Bracken Clover Damson Ember Fern Gorse Hazel Iris Jasper Kelp Lichen Myrtle Nutmeg Oriel Poppy`);
const MATERIALS = words('wood steel cotton glass wool leather bamboo ceramic plastic brass silk cork');
const ROOMS = words('kitchen hall bedroom office bathroom nursery patio attic');
const COLOURS = words('Black White Grey Blue Green Red Beige Brown Yellow Pink Orange Purple');
const SIZES = ['S', 'M', 'L'];
const SENTENCES = [
  'Made to be used every day for many years.',
  'Easy to repair and pleasant to hold.',
  'Packed flat, with all that is needed to put it together.',
  'Designed in a small studio and tested by those who use it.',
  'Comes with a warranty of five years.',
  'Wipe clean with a damp cloth; keep away from open fire.',
  'A present for somebody who has everything.',
];

/** The names of products, the most common first. One name in four is clothing. */
const THINGS = OTHERS.flatMap((thing, i) => (i % 3 === 2 ? [thing, WORN[(i - 2) / 3] ?? []].flat() : [thing]));
/** Names of products for the queries, both common and rare ones. */
export const QUERIED = THINGS.filter((_thing, rank) => rank % 6 === 1);

/**
 * Returns the i-th product: three variants, all in stock. One product in three names its material, one in four its
 * room.
 */
export function assorted(i: number) {
  const chance = chanceOf(i);
  const one = (from: string[], evenness: number) => ranked(from, chance.next(), evenness);
  const [adjective, thing, vendor] = [one(ADJECTIVES, 8), one(THINGS, 10), one(VENDORS, 8)];
  const [material, room] = [one(MATERIALS, 2), one(ROOMS, 4)];
  const price = 5 + Math.floor(chance.next() * 195);
  const metadata = { ...(i % 3 === 0 && { material }), ...(i % 4 === 0 && { room }) };
  const values = WORN.includes(thing) ? SIZES : chance.some(COLOURS, 3);
  return {
    name: `${adjective} ${thing} ${i}`,
    slug: `assorted-product-${i}`,
    description: `${SENTENCES[i % SENTENCES.length]} A ${thing.toLowerCase()} by ${vendor}. ${SENTENCES[(i + 1) % SENTENCES.length]}`,
    vendor,
    product_type: thing,
    tags: [thing.toLowerCase(), `series-${i % 50}`],
    status: 'active' as const,
    metadata,
    options: [{ name: values === SIZES ? 'Size' : 'Color', values }],
    variants: values.map((option1, n) => ({
      option1,
      sku: `A-${i}-${n}`,
      price: `${price + n}.90`,
      inventory_quantity: 10 + ((i + n) % 40),
    })),
  };
}

/** Picks one of the words. Earlier words are chosen more often; a greater `evenness` makes the choice more even. */
function ranked(from: string[], share: number, evenness: number): string {
  const weights = from.map((_word, rank) => 1 / (rank + evenness));
  let left = share * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [rank, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return from[rank] ?? '';
  }
  return from.at(-1) ?? '';
}
