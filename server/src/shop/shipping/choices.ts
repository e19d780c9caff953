import type { Address, CartWarning, ShippingChoice, ShippingOption } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { jsonObject } from '../../db/fields.ts';
import * as carts from '../carts/carts.ts';
import { type CartLine, forSale } from '../carts/rows.ts';
import { NOTHING_MORE, totals } from '../carts/view.ts';
import { decimal, minorUnits } from '../money.ts';
import { normalPostalCode } from '../postal-codes.ts';
import type { Shop } from '../shop.ts';
import { stateKey } from '../states.ts';

/** The known parts of the delivery address. */
export type Destination = Pick<Address, 'country' | 'state' | 'postal_code'>;

/** The data that determines the shipping options. The subtotal is in minor units, after the discount. */
export interface Parcel extends Destination {
  subtotal: number;
  weight_grams: number;
  requires_shipping: boolean;
  /** Whether a discount code for free shipping sets all prices to 0. */
  free_shipping?: boolean;
}

/** An active shipping option with its conditions. */
export type ActiveOption = ShippingChoice &
  Pick<
    ShippingOption,
    | 'countries'
    | 'states'
    | 'postcode_prefixes'
    | 'minimum_weight_grams'
    | 'maximum_weight_grams'
    | 'minimum_subtotal'
    | 'maximum_subtotal'
  >;

const activeOption = jsonObject<ActiveOption>({
  id: sql`id`,
  name: sql`name`,
  description: sql`description`,
  kind: sql`kind`,
  price: sql`price::text`,
  cash_on_delivery_fee: sql`cash_on_delivery_fee::text`,
  countries: sql`countries`,
  states: sql`states`,
  postcode_prefixes: sql`postcode_prefixes`,
  minimum_weight_grams: sql`minimum_weight_grams`,
  maximum_weight_grams: sql`maximum_weight_grams`,
  estimated_days_min: sql`estimated_days_min`,
  estimated_days_max: sql`estimated_days_max`,
  minimum_subtotal: sql`minimum_subtotal::text`,
  maximum_subtotal: sql`maximum_subtotal::text`,
});

/** Selects the active shipping options as a JSON array, in the merchant's order. */
export function activeOptions(shop: Shop): Sql {
  return sql`(
    select coalesce(json_agg(${activeOption} order by position, id), '[]')
    from shipping_options where site_id = ${shop.siteId} and active)`;
}

/** The weight in grams of the lines that are shipped. */
export function weightOf(lines: CartLine[]): number {
  return lines.reduce(
    (sum, { requires_shipping, weight_grams, quantity }) => sum + (requires_shipping ? weight_grams * quantity : 0),
    0,
  );
}

/** The shipping options for a parcel; none if nothing has to be shipped. */
export function choicesAmong(options: ActiveOption[], parcel: Parcel, digits: number): ShippingChoice[] {
  if (!parcel.requires_shipping) return [];
  return options
    .filter((option) => fits(option, parcel, digits))
    .map(
      ({ id, name, description, kind, price, cash_on_delivery_fee: fee, estimated_days_min, estimated_days_max }) => {
        const free = parcel.free_shipping ? decimal(0, digits) : undefined;
        return {
          ...{ id, name, description, kind, price: free ?? price },
          ...{ cash_on_delivery_fee: fee && (free ?? fee), estimated_days_min, estimated_days_max },
        };
      },
    );
}

function fits(option: ActiveOption, parcel: Parcel, digits: number): boolean {
  const [minimum, maximum] = [option.minimum_subtotal ?? null, option.maximum_subtotal ?? null];
  return (
    reaches(option, parcel) &&
    (option.minimum_weight_grams === null || option.minimum_weight_grams <= parcel.weight_grams) &&
    (option.maximum_weight_grams === null || option.maximum_weight_grams >= parcel.weight_grams) &&
    (minimum === null || minorUnits(minimum, digits) <= parcel.subtotal) &&
    (maximum === null || minorUnits(maximum, digits) >= parcel.subtotal)
  );
}

function reaches(option: ActiveOption, { country, state, postal_code }: Destination): boolean {
  const { countries, states, postcode_prefixes } = option;
  const here = country ?? '';
  if (countries.length > 0 && !countries.includes(here)) return false;
  if (states.length > 0 && !(state && states.some((one) => stateKey(here, one) === stateKey(here, state))))
    return false;
  const code = folded(postal_code ?? '');
  return (
    postcode_prefixes.length === 0 || postcode_prefixes.some((prefix) => code !== '' && code.startsWith(folded(prefix)))
  );
}

function folded(code: string): string {
  return normalPostalCode(code).replaceAll(/[ -]/g, '');
}

/**
 * A warning that the shop does not deliver to the address, even if pickup is possible; none while the country is
 * unknown.
 */
export function undeliverable(options: ActiveOption[], choices: ShippingChoice[], parcel: Parcel): CartWarning[] {
  if (!parcel.requires_shipping || !parcel.country || choices.some(isDelivery)) return [];
  const deliveries = options.filter(isDelivery);
  const everywhere = deliveries.some(({ countries }) => countries.length === 0);
  const countries = everywhere ? [] : [...new Set(deliveries.flatMap((option) => option.countries))].sort();
  const message =
    countries.length === 0 || countries.includes(parcel.country)
      ? 'The shop has no shipping option for this address.'
      : `The shop does not deliver to this country. It delivers to ${countries.join(', ')}.`;
  const short = message.length > 1_000 ? 'The shop does not deliver to this country.' : message;
  return [{ ...NOTHING_MORE, code: 'address_undeliverable', line_item_id: null, message: short, countries }];
}

function isDelivery({ kind }: Pick<ShippingChoice, 'kind'>): boolean {
  return kind === 'delivery';
}

/** Whether a shipping option lets shoppers pay when they receive the goods. */
export function isPaidOnReceipt(option: { kind: string; cash_on_delivery_fee: string | null }): boolean {
  const { kind, cash_on_delivery_fee } = option;
  return kind === 'pickup' || cash_on_delivery_fee !== null;
}

/** Lists the shipping options for a cart and a delivery address. Throws the errors of `carts.readForCustomer`. */
export async function choicesForCart(
  shop: Shop,
  cart_id: string,
  destination: Destination,
): Promise<{ shipping_options: ShippingChoice[]; warnings: CartWarning[] }> {
  const [cart, found] = await together(
    carts.readForCustomer(shop, cart_id, shop.customerId, false),
    shop.one<{ options: ActiveOption[] }>(sql`select ${activeOptions(shop)} as options`),
  );
  const { subtotal, discount } = totals(cart);
  const lines = forSale(cart.lines);
  const parcel = {
    ...destination,
    subtotal: subtotal - discount,
    weight_grams: weightOf(lines),
    requires_shipping: lines.some((line) => line.requires_shipping),
    free_shipping: cart.discount?.holds === true && cart.discount.terms.kind === 'free_shipping',
  };
  const options = found?.options ?? [];
  const shipping_options = choicesAmong(options, parcel, shop.currencyDigits);
  return { shipping_options, warnings: undeliverable(options, shipping_options, parcel) };
}
