/** Prices an edit of an order: its lines and amounts in minor units, with the tax rates of the purchase. */

import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { rateOf, type ShippingTaxPart, STANDARD_CLASS, shippingTaxesOf, type TaxTerms, taxOf } from '../totals.ts';

/** A line before the edit. */
export interface Line {
  id: string;
  variant_id: string | null;
  product_id: string | null;
  quantity: number;
  /** The items that an edit cannot remove: shipped, refunded before shipping, or withheld for a withdrawal. */
  fixed: number;
  /** The items refunded before shipping. */
  removed: number;
  price: number;
  total: number;
  discount: number;
  tax: number;
  tax_class: string | null;
  tax_rate: string | null;
  stock_taken: boolean;
  /** Whether the stock is tracked now: never for a custom line, and null if the variant was deleted. */
  tracked: boolean | null;
  requires_shipping: boolean;
}

/** A variant that the edit adds. */
export interface Variant {
  id: string;
  product_id: string;
  price: number;
  tax_class: string;
  requires_shipping: boolean;
  tracked: boolean;
}

export interface Wanted {
  add: { variant_id: string; quantity: number }[];
  change: { line_item_id: string; quantity: number }[];
}

type Amounts = Pick<Line, 'quantity' | 'total' | 'discount' | 'tax'>;

export interface ChangedLine extends Amounts {
  line: Line;
}

/** A new line with the data of a variant or, for more items of a discounted line, with the data of that line. */
export interface AddedLine extends Amounts {
  from: { variant: Variant } | { line: Line };
  price: number;
  tax_class: string | null;
  tax_rate: string | null;
}

export interface Plan {
  changed: ChangedLine[];
  added: AddedLine[];
}

/**
 * Plans the lines. Remaining items keep their share of the discount; added items get none. Throws `not_found`,
 * `edit_exceeds_remaining` for items that can no longer be removed, and a ValidationError. `addField` is the name of
 * `add` in the request.
 */
export function planOf(
  lines: Line[],
  variants: Map<string, Variant>,
  wanted: Wanted,
  tax: TaxTerms,
  addField = 'add',
): Plan {
  const changes = wanted.change.map(({ line_item_id, quantity }) => {
    const line = lines.find(({ id }) => id === line_item_id);
    if (!line) throw notFound('line in this order');
    return { line, quantity };
  });
  refuseMistakes(wanted, variants, changes, addField);
  refuseFixed(changes);
  const added = wanted.add.flatMap(({ variant_id, quantity }): AddedLine[] => {
    const variant = variants.get(variant_id);
    if (!variant) return [];
    const { price, tax_class } = variant;
    return [addedLine({ variant }, { price, quantity, tax_class, tax_rate: rateOf(tax, tax_class) }, tax)];
  });
  const changed: ChangedLine[] = [];
  for (const { line, quantity } of changes) {
    const more = quantity - line.quantity;
    if (more > 0 && !canGrow(line)) added.push(addedLine({ line }, { ...line, quantity: more, discount: 0 }, tax));
    else if (more !== 0) changed.push({ line, ...resized(line, quantity, tax) });
  }
  if (added.reduce((sum, { total }) => sum + total, 0) >= 10 ** 15) {
    throw new ValidationError([bodyMistake([addField], 'value_error', 'The total is too large.')]);
  }
  return { changed, added };
}

/**
 * Whether more items can be added to a line: it has no discount, and its stock is tracked as it was at the purchase.
 */
function canGrow({ discount, stock_taken, tracked }: Line): boolean {
  return discount === 0 && stock_taken === tracked;
}

function refuseMistakes(
  { add, change }: Wanted,
  variants: Map<string, Variant>,
  changes: { line: Line; quantity: number }[],
  addField: string,
): void {
  const mistakes = [
    ...change.flatMap(({ line_item_id }, i) =>
      change.findIndex((one) => one.line_item_id === line_item_id) < i
        ? [bodyMistake(['change', i, 'line_item_id'], 'value_error', 'This line is listed twice.')]
        : [],
    ),
    ...changes.flatMap(({ line, quantity }, i) =>
      quantity > line.quantity && line.tracked === null
        ? [bodyMistake(['change', i, 'quantity'], 'value_error', 'The product no longer exists. Add another product.')]
        : [],
    ),
    ...add.flatMap(({ variant_id }, i) => {
      const place = [addField, i, 'variant_id'];
      if (!variants.has(variant_id)) return [bodyMistake(place, 'value_error', 'There is no such variant.')];
      return add.findIndex((one) => one.variant_id === variant_id) < i
        ? [bodyMistake(place, 'value_error', 'This variant is listed twice.')]
        : [];
    }),
  ];
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

function refuseFixed(changes: { line: Line; quantity: number }[]): void {
  const exceeding = changes.filter(({ line, quantity }) => quantity < line.fixed);
  if (exceeding.length === 0) return;
  const message = 'Pieces that were shipped, refunded or withdrawn from cannot be taken out of the order.';
  throw new ShopError('edit_exceeds_remaining', message, {
    lines: exceeding.map(({ line, quantity }) => ({
      line_item_id: line.id,
      requested: quantity,
      minimum: line.fixed,
    })),
  });
}

/** A new line at this price, without a discount unless one is given. */
export function addedLine(
  from: AddedLine['from'],
  {
    price,
    quantity,
    discount = 0,
    tax_class,
    tax_rate,
  }: Pick<AddedLine, 'price' | 'quantity' | 'tax_class' | 'tax_rate'> & { discount?: number },
  { included }: TaxTerms,
): AddedLine {
  const total = price * quantity;
  const tax = tax_rate === null ? 0 : taxOf(total - discount, { rate: tax_rate, included });
  return { from, price, quantity, total, discount, tax, tax_class, tax_rate };
}

function resized(line: Line, quantity: number, { included }: TaxTerms): Amounts {
  const share = (whole: number) => (line.quantity === 0 ? 0 : Math.round((whole * quantity) / line.quantity));
  const more = quantity - line.quantity;
  const total = more > 0 ? line.total + line.price * more : share(line.total);
  const discount = more > 0 ? line.discount : share(line.discount);
  const { tax_rate } = line;
  const tax = tax_rate === null ? share(line.tax) : taxOf(total - discount, { rate: tax_rate, included });
  return { quantity, total, discount, tax };
}

/** The parts of a new shipping cost by tax rate, for the lines after the edit. */
export function shippingTaxes(cost: number, lines: Line[], plan: Plan, tax: TaxTerms): ShippingTaxPart[] {
  const changed = new Map(plan.changed.map((one) => [one.line.id, one]));
  const kept = lines.map((line) => ({ ...line, ...changed.get(line.id) }));
  const added = plan.added.map(({ from, ...line }) => {
    const { id, requires_shipping } = 'variant' in from ? from.variant : from.line;
    return { ...line, id, requires_shipping };
  });
  const goods = [...kept, ...added]
    .filter(({ quantity }) => quantity > 0)
    .map(({ id, total, discount, tax_class, requires_shipping }) => ({
      ...{ id, product_id: null, price: total - discount, quantity: 1, requires_shipping },
      tax_class: tax_class ?? STANDARD_CLASS,
    }));
  return shippingTaxesOf(cost, goods, new Map(), tax);
}
