import type { ProductImport } from '@commerce-backend/spec';
import { type CatalogEntry, toProduct } from './catalog-entry.ts';
import { desk } from './products/desk.ts';
import { garden } from './products/garden.ts';
import { kitchen } from './products/kitchen.ts';
import { light } from './products/light.ts';
import { living } from './products/living.ts';
import { trail } from './products/trail.ts';
import { wear } from './products/wear.ts';

export const catalogEntries: CatalogEntry[] = [...kitchen, ...light, ...living, ...garden, ...trail, ...wear, ...desk];

/** The demo shop's products, with prices in EUR. Image URLs are paths; the server's base URL must be prepended. */
export const demoProducts: ProductImport[] = catalogEntries.map(toProduct);
