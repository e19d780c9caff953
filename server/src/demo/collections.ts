import type { CollectionInput } from '@commerce-backend/spec';
import type { CatalogEntry } from './catalog-entry.ts';
import { desk } from './products/desk.ts';
import { garden } from './products/garden.ts';
import { kitchen } from './products/kitchen.ts';
import { light } from './products/light.ts';
import { living } from './products/living.ts';
import { trail } from './products/trail.ts';

/** A collection. A manual one lists products by slug, because ids are assigned when the products are stored. */
export type DemoCollection = Omit<CollectionInput, 'product_ids'> & { handle: string; product_slugs?: string[] };

function slugsOf(...products: CatalogEntry[]): string[] {
  return products.map((product) => product.slug);
}

/** The demo shop's collections. Image URLs are paths; the server's base URL must be prepended. */
export const demoCollections: DemoCollection[] = [
  {
    handle: 'kitchen-and-table',
    title: 'Kitchen & Table',
    description: 'Stoneware, cast iron and linen for the room where everybody ends up.',
    type: 'manual',
    sort_order: 'manual',
    image_url: '/demo-images/rowan-stoneware-mug.svg',
    product_slugs: slugsOf(...kitchen),
  },
  {
    handle: 'living-and-light',
    title: 'Living & Light',
    description: 'Lamps, blankets and furniture for long evenings.',
    type: 'manual',
    sort_order: 'manual',
    image_url: '/demo-images/wren-oak-table-lamp.svg',
    product_slugs: slugsOf(...living, ...light),
  },
  {
    handle: 'garden-and-balcony',
    title: 'Garden & Balcony',
    description: 'Pots, tools and places to sit, for four acres or for four square metres.',
    type: 'manual',
    sort_order: 'title_asc',
    image_url: '/demo-images/sunday-terracotta-pot.svg',
    product_slugs: slugsOf(...garden),
  },
  {
    handle: 'trail-and-camp',
    title: 'Trail & Camp',
    description: 'Things that are carried far and put away wet.',
    type: 'manual',
    sort_order: 'manual',
    image_url: '/demo-images/larch-tent.svg',
    product_slugs: slugsOf(...trail),
  },
  {
    handle: 'weather-and-wool',
    title: 'Weather & Wool',
    description: 'What to wear when it rains, and what to wear when it stops.',
    type: 'automatic',
    rules: ['Clothing', 'Footwear', 'Accessories'].map((value) => ({
      field: 'product_type',
      operator: 'equals',
      value,
    })),
    rules_match: 'any',
    sort_order: 'created_desc',
    image_url: '/demo-images/gale-rain-jacket.svg',
  },
  {
    handle: 'desk-and-paper',
    title: 'Desk & Paper',
    description: 'Notebooks, pens and the tray they belong in.',
    type: 'manual',
    sort_order: 'price_asc',
    image_url: '/demo-images/almanac-field-notebook.svg',
    product_slugs: slugsOf(...desk),
  },
  {
    handle: 'on-sale',
    title: 'On Sale',
    description: 'Reduced until the shelf is empty.',
    type: 'automatic',
    rules: [{ field: 'tag', operator: 'equals', value: 'sale' }],
    rules_match: 'all',
    sort_order: 'price_asc',
    image_url: '/demo-images/alba-pendant-lamp.svg',
  },
  {
    handle: 'gifts-under-40',
    title: 'Gifts under €40',
    description: 'Small things that are sure to please, and that we can send today.',
    type: 'automatic',
    rules: [
      { field: 'tag', operator: 'equals', value: 'gift' },
      { field: 'price', operator: 'less_than', value: '40' },
      { field: 'in_stock', operator: 'equals', value: 'true' },
    ],
    rules_match: 'all',
    sort_order: 'best_selling',
    image_url: '/demo-images/moorland-soy-candle-4.svg',
  },
];
