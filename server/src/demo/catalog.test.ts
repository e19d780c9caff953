import type { ProductImport } from '@commerce-backend/spec';
import { describe, expect, it } from 'vitest';
import { catalogEntries, demoProducts } from './catalog.ts';
import { type DemoCollection, demoCollections } from './collections.ts';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The variants of a product, or the product itself if it has none. */
function unitsOf(product: ProductImport) {
  return product.variants ?? [product];
}

function stockOf(product: ProductImport): number {
  return unitsOf(product).reduce((sum, unit) => sum + (unit.inventory_quantity ?? 0), 0);
}

function meets(
  product: ProductImport,
  { field, operator, value }: NonNullable<DemoCollection['rules']>[number],
): boolean {
  const price = Math.min(...unitsOf(product).map((unit) => Number(unit.price)));
  if (field === 'price') return operator === 'less_than' && price < Number(value);
  if (field === 'in_stock') return String(stockOf(product) > 0) === value;
  return operator === 'equals' && (field === 'tag' ? (product.tags ?? []) : [product[field]]).includes(value);
}

function productsIn(collection: DemoCollection): ProductImport[] {
  const { product_slugs = [], rules, rules_match } = collection;
  if (rules === undefined) return demoProducts.filter((product) => product_slugs.includes(product.slug));
  return demoProducts.filter((product) =>
    rules_match === 'any' ? rules.some((rule) => meets(product, rule)) : rules.every((rule) => meets(product, rule)),
  );
}

function countWhere(holds: (product: ProductImport) => boolean): number {
  return demoProducts.filter(holds).length;
}

describe('products of the demo shop', () => {
  it('demo products include drafts, archived, sold-out, backordered, reduced and low-stock products', () => {
    const active = (product: ProductImport) => product.status === 'active';
    expect(countWhere(active)).toBeGreaterThanOrEqual(48);
    expect(countWhere((product) => product.status === 'draft')).toBe(3);
    expect(countWhere((product) => product.status === 'archived')).toBe(1);
    const empty = (product: ProductImport) => active(product) && stockOf(product) === 0;
    const backorder = (product: ProductImport) => unitsOf(product).some((unit) => unit.inventory_policy === 'continue');
    expect(countWhere((product) => empty(product) && !backorder(product))).toBe(2);
    expect(countWhere((product) => empty(product) && backorder(product))).toBe(1);
    expect(countWhere((product) => unitsOf(product).some((unit) => unit.compare_at_price))).toBeGreaterThanOrEqual(12);
    const low = (quantity = 0, threshold = 0) => quantity > 0 && quantity <= threshold;
    const isLow = (product: ProductImport) =>
      unitsOf(product).some((unit) => low(unit.inventory_quantity, unit.low_stock_threshold));
    expect(countWhere(isLow)).toBeGreaterThanOrEqual(10);
    const partly = (product: ProductImport) =>
      stockOf(product) > 0 && unitsOf(product).some((unit) => unit.inventory_quantity === 0);
    expect(countWhere(partly)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...demoProducts.map((product) => product.variants?.length ?? 0))).toBe(12);
  });

  it('demo products have unique slugs, SKUs and barcodes', () => {
    const units = demoProducts.flatMap(unitsOf);
    for (const values of [
      demoProducts.map((product) => product.slug),
      units.map((unit) => unit.sku),
      units.map((unit) => unit.barcode),
    ]) {
      expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
    }
    expect(demoProducts.filter((product) => !SLUG.test(product.slug))).toEqual([]);
    expect(units.filter((unit) => !/^\d{13}$/.test(unit.barcode ?? ''))).toEqual([]);
  });

  it('demo products have a variant for every combination of option values', () => {
    for (const { slug, options = [], variants = [] } of demoProducts) {
      const combinations = options.reduce((product, option) => product * (option.values?.length ?? 0), 1);
      expect(variants.length, slug).toBe(options.length === 0 ? 0 : combinations);
      const chosen = variants.map((variant) =>
        [variant.option1, variant.option2, variant.option3].slice(0, options.length),
      );
      expect(new Set(chosen.map((values) => values.join('|'))).size, slug).toBe(variants.length);
      for (const values of chosen) {
        expect(
          values.every((value, index) => options[index]?.values?.includes(value ?? '')),
          slug,
        ).toBe(true);
      }
    }
  });

  it('demo products define stock for each variant, and prices and images only for existing options', () => {
    for (const { slug, stock, options = {}, pictured, prices = {} } of catalogEntries) {
      if (pictured) expect(Object.keys(options), slug).toContain(pictured);
      const values = Object.values(options);
      expect(stock.length, slug).toBe(values.reduce((product, { length }) => product * length, 1));
      expect(
        Object.keys(prices).filter((value) => !values.flat().includes(value)),
        slug,
      ).toEqual([]);
    }
  });

  it('demo products have a cost below their price, and a price below compare_at_price', () => {
    for (const unit of demoProducts.flatMap(unitsOf)) {
      expect(unit.price, unit.sku ?? '').toMatch(/^\d+\.\d{2}$/);
      expect(Number(unit.cost_per_item)).toBeLessThan(Number(unit.price));
      if (unit.compare_at_price) expect(Number(unit.compare_at_price)).toBeGreaterThan(Number(unit.price));
    }
  });

  it('demo products have the tag sale if and only if their price is reduced', () => {
    for (const product of demoProducts) {
      const reduced = unitsOf(product).some((unit) => unit.compare_at_price);
      expect(product.tags?.includes('sale'), product.slug).toBe(reduced);
    }
  });

  it('demo products have a description of two to four sentences, and metadata', () => {
    for (const { slug, description, metadata } of demoProducts) {
      const sentences = description?.match(/[^.]{3}[.](?= [A-Z]|$)/g) ?? [];
      expect([2, 3, 4], slug).toContain(sentences.length);
      expect(Object.keys(metadata ?? {}).length, slug).toBeGreaterThanOrEqual(2);
    }
  });

  it('demo products were published on a date in the past, except drafts', () => {
    for (const { slug, status, published_at } of demoProducts) {
      if (status === 'draft') expect(published_at, slug).toBeNull();
      else expect(Date.parse(published_at ?? ''), slug).toBeLessThan(Date.parse('2026-11-01T00:00:00Z'));
    }
  });
});

describe('collections of the demo shop', () => {
  it('there are eight demo collections, manual and automatic, with unique handles', () => {
    expect(new Set(demoCollections.map(({ handle }) => handle)).size).toBe(8);
    expect(demoCollections.filter(({ type }) => type === 'automatic').length).toBe(3);
    for (const { handle, type, rules, product_slugs, sort_order } of demoCollections) {
      expect(rules !== undefined, handle).toBe(type === 'automatic');
      expect(product_slugs !== undefined, handle).toBe(type === 'manual');
      expect(type === 'automatic' && sort_order === 'manual', handle).toBe(false);
    }
  });

  it('demo collections contain only existing products, and each only once', () => {
    const slugs = new Set(demoProducts.map((product) => product.slug));
    for (const { handle, product_slugs = [] } of demoCollections) {
      expect(
        product_slugs.filter((slug) => !slugs.has(slug)),
        handle,
      ).toEqual([]);
      expect(new Set(product_slugs).size, handle).toBe(product_slugs.length);
    }
  });

  it('each demo collection contains at least six active products, one of them without variants', () => {
    for (const collection of demoCollections) {
      const active = productsIn(collection).filter((product) => product.status === 'active');
      expect(active.length, collection.handle).toBeGreaterThanOrEqual(6);
      expect(
        active.some((product) => product.variants === undefined),
        collection.handle,
      ).toBe(true);
    }
  });

  it('each demo product is in a collection', () => {
    const held = new Set(demoCollections.flatMap(productsIn));
    expect(demoProducts.filter((product) => !held.has(product)).map(({ slug }) => slug)).toEqual([]);
  });
});
