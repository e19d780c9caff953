import { randomBytes } from 'node:crypto';
import type { ProductImport, SettingsPatch, SetupItem, ShippingOptionInput } from '@commerce-backend/spec';
import type { Connection } from '../../db/connect.ts';
import { importProducts, type RowCheck } from '../products/import.ts';
import * as shippingOptions from '../shipping/options.ts';
import type { Shop } from '../shop.ts';
import { slugOf } from '../slugs.ts';
import * as settings from './settings.ts';
import * as setup from './setup.ts';
import { createSite, type NewPassword, type SiteCredentials } from './sites.ts';
import { taxesOf, usualCountry } from './usual-taxes.ts';

export interface Opening {
  name: string;
  currency: string;
  staff: { email: string; name: string };
  /** Null: the password is generated. */
  password: string | null;
  settings: SettingsPatch;
  shipping_options: ShippingOptionInput[];
  products: ProductImport[];
}

export interface Opened {
  credentials: SiteCredentials;
  missing: SetupItem[];
  can_sell: boolean;
}

export interface OpeningDeps {
  baseUrl: string;
  /** The operator's card provider for all shops, if any. */
  card: { name: string } | undefined;
  mistakesInRow: RowCheck;
  /** Adds the place of the mistake in the input to an error. */
  refusedAt(place: string, error: unknown): unknown;
}

/**
 * Creates a shop with all its parts. Must run in a transaction. Throws the errors of `createSite` and those that
 * `refusedAt` returns.
 */
export async function openShop(
  connection: Connection,
  opening: Omit<Opening, 'password'> & { password: NewPassword },
  deps: OpeningDeps,
): Promise<Opened> {
  const { shop, credentials } = await createSite(connection, opening);
  await furnish(shop, opening, deps);
  const { items, can_sell } = await setup.get(shop, { card: deps.card });
  return { credentials, can_sell, missing: items.filter(({ done }) => !done) };
}

/** Stores the settings, shipping options and products of a new shop. */
async function furnish(shop: Shop, opening: Omit<Opening, 'password'>, deps: OpeningDeps): Promise<void> {
  const part = async <T>(at: string, work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw deps.refusedAt(at, error);
    });
  if (Object.keys(opening.settings).length > 0)
    await part('settings', settings.update(shop, opening.settings, deps.baseUrl));
  for (const [index, option] of opening.shipping_options.entries()) {
    await part(`shipping_options.${index}`, shippingOptions.create(shop, option));
  }
  if (opening.products.length === 0) return;
  const { results } = await importProducts(shop, { products: opening.products }, deps.mistakesInRow);
  const refused = results.find(({ status }) => status === 'failed');
  const [mistake] = refused?.errors ?? [];
  if (refused) throw deps.refusedAt(`products.${refused.index}`, new Error(mistake?.msg ?? 'Rejected.'));
}

/** The usual settings of a shop in the country. */
export function usualSettings(
  country: string,
  { shipping_options = [] }: Pick<Partial<Opening>, 'shipping_options'>,
): SettingsPatch {
  const usual = usualCountry(country);
  if (!usual) return {};
  const { locale, time_zone, standard, reduced } = usual;
  const isEverywhere = shipping_options.some(({ countries = [] }) => countries.length === 0);
  const isHome = shipping_options.every(({ countries }) => countries?.every((code) => code === country));
  const reach = isHome ? 'country' : isEverywhere ? 'world' : 'eu';
  return { default_locale: locale, time_zone, prices_include_tax: true, ...taxesOf(country, reach, standard, reduced) };
}

/** An e-mail address for a login, at a domain that nobody can register (RFC 2606). */
export function inventedEmail(name: string): string {
  return `owner@${slugOf(name, 'shop').slice(0, 40)}-${randomBytes(3).toString('hex')}.invalid`;
}
