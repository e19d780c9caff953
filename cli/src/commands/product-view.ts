import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { otherFacts } from '../other-facts.ts';
import { type Column, facts, moment, type Paint, styleOf, table } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { isUuid } from './options.ts';

type Product = Schemas['Product'];
type Variant = Product['variants'][number];

/** Finds a product by id, slug or a variant's SKU. */
export function findProduct(client: DashboardClient, wanted: string): Promise<Product> {
  return isUuid(wanted) ? byId(client, wanted) : bySlugOrSku(client, wanted);
}

function byId(client: DashboardClient, product_id: string): Promise<Product> {
  return unwrap(client.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id } } }));
}

/**
 * Finds a product with the API's search. Accepts only a product with this slug or, ignoring case, with a variant of
 * this SKU.
 */
async function bySlugOrSku(client: DashboardClient, wanted: string): Promise<Product> {
  for (const q of new Set([wanted, wanted.replaceAll('-', ' ')])) {
    const call = client.GET('/api/dashboard/products', { params: { query: { q, limit: 100 } } });
    const { products } = await unwrap(call);
    const found =
      products.find(({ slug }) => slug === wanted) ??
      products.find(({ variants }) => variants.some(({ sku }) => sku?.toLowerCase() === wanted.toLowerCase()));
    if (found) return found;
  }
  const remedy = 'Look for its id: commerce products list --q "words of its name"';
  throw new CommandError(EXIT.refused, 'not_found', `No product with the slug or SKU "${wanted}" was found.`, remedy);
}

const VARIANT_COLUMNS: Column<Variant>[] = [
  { title: 'VARIANT', value: ({ option1, option2, option3 }) => nameOf([option1, option2, option3]), shrinks: true },
  { title: 'SKU', value: ({ sku }) => sku },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'BEFORE', value: ({ compare_at_price }) => compare_at_price, right: true },
  { title: 'COST', value: ({ cost_per_item }) => cost_per_item, right: true },
  { title: 'STOCK', value: ({ inventory_quantity }) => inventory_quantity, right: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

function nameOf(options: (string | null)[]): string {
  return options.filter((option) => option !== null).join(' / ') || '–';
}

/** Formats a product with its variants. */
export function productText(product: Product, paint: Paint, terminal: Terminal): string {
  const { name, slug, status, vendor, product_type, tags, published_at, price, currency, images, id, ...more } =
    product;
  const { description, description_html: _formatted, tax_class, metadata, variants, updated_at, ...others } = more;
  // The table of variants shows this field.
  const { compare_at_price: _before, ...rest } = others;
  const lines = facts(
    {
      ...{ Name: name, Slug: slug, Status: status, Published: moment(published_at, 'not') },
      Price: `${price} ${currency}`,
      ...{ Vendor: vendor, Type: product_type, Tags: tags.join(', ') || null, Tax: tax_class, Images: images.length },
      ...otherFacts('dashboard.updateProduct', rest),
      Metadata:
        Object.entries(metadata)
          .map(([key, value]) => `${key}: ${value}`)
          .join(', ') || null,
      ...{ Changed: moment(updated_at), Id: id },
    },
    paint,
  );
  return [lines, description, table(VARIANT_COLUMNS, variants, styleOf(terminal, paint))]
    .filter((part) => part !== '')
    .join('\n\n');
}
