import type { ProductImport } from '@commerce-backend/spec';
import { type CatalogEntry, toProduct } from './catalog-entry.ts';
import { desk } from './products/desk.ts';
import { garden } from './products/garden.ts';
import { kitchen } from './products/kitchen.ts';
import { light } from './products/light.ts';
import { living } from './products/living.ts';
import { trail } from './products/trail.ts';
import { wear } from './products/wear.ts';

/** All products of the demo shop, in their short form. */
export const catalogEntries: CatalogEntry[] = [...kitchen, ...light, ...living, ...garden, ...trail, ...wear, ...desk];

/**
 * The demo shop's products, prices in EUR. Image URLs begin with /demo-images/, and the server's address must be put in front.
 */
export const demoProducts: ProductImport[] = catalogEntries.map(toProduct);
