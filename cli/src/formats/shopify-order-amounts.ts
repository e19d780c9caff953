/**
 * Amounts of an order, which must add up to its total. Shopify's cells often do not: a discount code may reduce the
 * shipping cost, lines may have their own discount, and tips and duties have no column. The total is taken as correct.
 */

export interface OrderCells {
  lines: { quantity: number; price: string }[];
  /** Sum of the lines after their discounts. */
  subtotal: string | undefined;
  discount: string | undefined;
  lineDiscounts: string[];
  shipping: string;
  taxes: string;
  total: string | undefined;
}

export interface Amounts {
  discount: string;
  shipping_cost: string;
  tax: string;
  tax_included: boolean;
  total: string;
  /** The part of the total that no column explains. */
  extra: string | undefined;
}

/** Integer amounts in thousandths. */
interface Parts {
  discount: number;
  shipping: number;
  tax: number;
  included: boolean;
}

/** Interprets the cells so that they add up to the total. Unexplained amounts cause a warning. */
export function balanced(cells: OrderCells, warn: (message: string) => void): Amounts {
  const lines = cells.lines.reduce((sum, { quantity, price }) => sum + quantity * thousandths(price), 0);
  const [shipping, tax] = [thousandths(cells.shipping), thousandths(cells.taxes)];
  const off = thousandths(cells.discount ?? '0');
  const fromLines = cells.lineDiscounts.reduce((sum, each) => sum + thousandths(each), 0);
  const bySubtotal = cells.subtotal === undefined ? off : lines - thousandths(cells.subtotal);
  const total = cells.total === undefined ? Math.max(0, lines - off) + shipping + tax : thousandths(cells.total);
  const discounts: [number, number][] = [
    [bySubtotal, shipping],
    [bySubtotal, shipping - (off - bySubtotal)],
    [off, shipping],
    [off + fromLines, shipping],
  ];
  const tried = discounts.flatMap(([discount, cost]) =>
    (tax > 0 ? [false, true] : [false]).map((included): Parts => ({ discount, shipping: cost, tax, included })),
  );
  const sum = ({ discount, shipping: cost, tax: own, included }: Parts) =>
    lines - discount + cost + (included ? 0 : own);
  const fits = tried.find(
    (parts) => parts.discount >= 0 && parts.discount <= lines && parts.shipping >= 0 && sum(parts) === total,
  );
  if (fits) return amountsOf(fits, total, 0);
  const clipped = { discount: Math.min(lines, Math.max(0, bySubtotal)), shipping, tax };
  const closest = [false, true]
    .map((included): Parts => ({ ...clipped, included: included && tax > 0 }))
    .toSorted((one, other) => Math.abs(sum(one) - total) - Math.abs(sum(other) - total))[0] as Parts;
  const missing = total - sum(closest);
  if (missing > 0) {
    warn(
      `Total: ${textOf(missing)} of it is in no column, such as a tip or duties; it is kept as a line "Other charges".`,
    );
    return amountsOf(closest, total, missing);
  }
  warn(
    `Total: it is ${textOf(-missing)} less than the sum of the columns, such as after a change of the order; the discount is larger by this amount.`,
  );
  return amountsOf(less(closest, -missing, lines), total, 0);
}

/** Subtracts an amount from the lines, then from shipping, and then from a tax that is not included in the prices. */
function less(parts: Parts, amount: number, lines: number): Parts {
  const fromLines = Math.min(amount, lines - parts.discount);
  const fromShipping = Math.min(amount - fromLines, parts.shipping);
  const rest = amount - fromLines - fromShipping;
  return {
    ...parts,
    discount: parts.discount + fromLines,
    shipping: parts.shipping - fromShipping,
    tax: parts.included ? parts.tax : Math.max(0, parts.tax - rest),
  };
}

function amountsOf({ discount, shipping, tax, included }: Parts, total: number, extra: number): Amounts {
  return {
    discount: textOf(discount),
    shipping_cost: textOf(shipping),
    tax: textOf(tax),
    tax_included: included,
    total: textOf(total),
    extra: extra > 0 ? textOf(extra) : undefined,
  };
}

function thousandths(amount: string): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  return Number(whole + fraction.padEnd(3, '0').slice(0, 3));
}

function textOf(amount: number): string {
  const digits = String(amount).padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3).replace(/0$/, '')}`;
}
