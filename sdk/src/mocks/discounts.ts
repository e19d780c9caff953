/** Conditions and amounts of discount codes. */

import { type DiscountTerms, decimal, minorUnits, type PricedLine } from './money.ts';
import { Refusal } from './refusal.ts';
import { isOver, type State, type StoredDiscount } from './state.ts';

export function termsOf({ products, collections }: State, discount: StoredDiscount): DiscountTerms {
  const { kind, value, product_ids, collection_ids } = discount;
  if (product_ids.length === 0 && collection_ids.length === 0) return { kind, value, covers: () => true };
  const inCollections = collections
    .filter(({ id }) => collection_ids.includes(id))
    .flatMap((collection) => collection.products.map(({ id }) => id));
  const covered = new Set(products.map(({ id }) => id).filter((id) => [...product_ids, ...inCollections].includes(id)));
  return { kind, value, covers: (id) => covered.has(id) };
}

/** The error if the discount code cannot be used with these lines; otherwise undefined. */
export function refusalOf(state: State, discount: StoredDiscount, lines: PricedLine[]): Refusal | undefined {
  const { active, starts_at, ends_at } = discount;
  if (!active) return new Refusal('discount_not_found', 'There is no such code.');
  if (ends_at && isOver(ends_at))
    return new Refusal('discount_expired', 'This code has expired.', { ends_at: iso(ends_at) });
  if (starts_at && !isOver(starts_at)) {
    return new Refusal('discount_not_started', 'This code is not valid yet.', { starts_at: iso(starts_at) });
  }
  const covered = lines.filter(({ product_id }) => termsOf(state, discount).covers(product_id));
  if (covered.length > 0) return missingMinimum(state, discount, covered);
  return new Refusal('discount_not_applicable', 'This code does not apply to anything in the cart.');
}

function iso(time: string): string {
  return new Date(time).toISOString();
}

function missingMinimum({ digits }: State, discount: StoredDiscount, covered: PricedLine[]): Refusal | undefined {
  const { minimum_quantity } = discount;
  const least = discount.minimum_subtotal === null ? null : minorUnits(discount.minimum_subtotal, digits);
  const minimum_subtotal = least === null ? null : decimal(least, digits);
  const subtotal = covered.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const quantity = covered.reduce((sum, line) => sum + line.quantity, 0);
  const wants = [
    ...(least !== null && subtotal < least ? [`a subtotal of ${minimum_subtotal}`] : []),
    ...(minimum_quantity !== null && quantity < minimum_quantity ? [`${minimum_quantity} pieces`] : []),
  ];
  if (wants.length === 0) return undefined;
  const message = `This code requires ${wants.join(' and ')} of the products it applies to.`;
  return new Refusal('discount_minimum_not_met', message, { minimum_subtotal, minimum_quantity });
}

/** Throws if the discount code's usage limit is reached, in total or for this buyer. */
export function refuseBeyondLimits({ redeemed, ...discount }: StoredDiscount, email: string | null): void {
  const { usage_limit, usage_limit_per_customer } = discount;
  const own = redeemed.filter((one) => one === email?.toLowerCase()).length;
  if (email && usage_limit_per_customer !== null && own >= usage_limit_per_customer) {
    const message = 'You have already used this code the maximum number of times.';
    throw new Refusal('discount_customer_limit_reached', message);
  }
  if (usage_limit !== null && redeemed.length >= usage_limit) {
    throw new Refusal('discount_usage_limit_reached', 'This code has reached its usage limit.');
  }
}
