import type { CollectionRule, ProductImport, VariantInput } from '@commerce-backend/spec';
import { demoProducts } from './catalog.ts';
import { type DemoCollection, demoCollections } from './collections.ts';
import { JUNE } from './people.ts';
import { demoDiscounts, demoSettings, demoShippingOptions } from './terms.ts';

/** Returns the demo shop's data for `commerce mock`, with only active products, without costs and barcodes. */
export function mockShop() {
  const { prices_include_tax, default_tax_rate, tax_rates, bank_details, payment_deadline_hours } = demoSettings;
  const products = demoProducts.filter(({ status }) => status === 'active').map(withoutCosts);
  const { first_name, last_name } = JUNE.address;
  return {
    ...{ name: 'Alder & Finch', currency: 'EUR', prices_include_tax, default_tax_rate, tax_rates, bank_details },
    ...{ payment_deadline_hours, products, discounts: demoDiscounts, shipping_options: demoShippingOptions },
    collections: demoCollections.map((collection) => ({
      ...{ handle: collection.handle, title: collection.title, description: collection.description },
      ...{ image_url: collection.image_url, product_slugs: slugsIn(collection, products) },
    })),
    customers: [{ email: JUNE.email, password: 'correct horse', first_name, last_name, address: JUNE.address }],
  };
}

function withoutCosts({ cost_per_item: _, barcode, variants, ...product }: ProductImport): ProductImport {
  const shown = variants?.map(({ cost_per_item, barcode: own, ...variant }) => variant);
  return { ...product, ...(shown && { variants: shown }) };
}

function slugsIn({ product_slugs, rules = [], rules_match }: DemoCollection, products: ProductImport[]): string[] {
  const listed = new Set(products.map(({ slug }) => slug));
  if (product_slugs) return product_slugs.filter((slug) => listed.has(slug));
  const meets = (product: ProductImport) =>
    rules_match === 'any' ? rules.some((rule) => fits(product, rule)) : rules.every((rule) => fits(product, rule));
  return products.filter(meets).map(({ slug }) => slug);
}

/** Whether a product matches a rule. Supports only the rules of the demo shop's collections. */
function fits(product: ProductImport, { field, operator, value }: CollectionRule): boolean {
  const pieces: VariantInput[] = product.variants ?? [product];
  switch (`${field} ${operator}`) {
    case 'product_type equals':
      return product.product_type === value;
    case 'tag equals':
      return product.tags?.includes(value) ?? false;
    case 'price less_than':
      return Number(product.price) < Number(value);
    case 'in_stock equals':
      return String(pieces.some(({ inventory_quantity = 0 }) => inventory_quantity > 0)) === value;
    default:
      throw new Error(`The mock shop does not know the rule ${field} ${operator}.`);
  }
}
