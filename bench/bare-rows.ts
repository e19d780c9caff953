/**
 * SQL and money functions for the routes of the bare server: a minimal server on Express and pg, with which ours is compared.
 */

/** The columns of the rows that the statements return. Each statement selects some of these columns. */
export interface Row {
  id: string;
  cart_id: string;
  variant_id: string;
  product_id: string;
  discount_id: string;
  name: string;
  variant_name: string;
  sku: string;
  image_url: string | null;
  option1: string | null;
  option2: string | null;
  option3: string | null;
  code: string;
  kind: string;
  value: string;
  wanted: boolean;
  quantity: number;
  free: number;
  on_hand: number;
  reserved: number;
  last_number: number;
  price: string;
  total: string;
  shipping_cost: string;
  shipping_method: string;
  shipping_address: object;
  email: string;
  payment_method: string;
  payment_due_at: string;
  payment_deadline_hours: number;
  bank_details: object;
}

export type Query = (text: string, values: unknown[]) => Promise<Row[]>;

export function first(rows: Row[]): Row {
  if (!rows[0]) throw new Error('Not found, or not enough of it.');
  return rows[0];
}

export const cents = (amount: string) => Math.round(Number(amount) * 100);
export const decimal = (amount: number) => (amount / 100).toFixed(2);

export const LINES = `
  select i.id, i.variant_id, i.product_id, p.name, concat_ws(' / ', v.option1, v.option2, v.option3) as variant_name, v.sku,
    coalesce(v.image_url, (select g.url from product_images g where g.site_id = p.site_id and g.product_id = p.id
      order by g.position limit 1)) as image_url,
    v.option1, v.option2, v.option3, i.quantity, v.price, v.price * i.quantity as total, v.on_hand - v.reserved as free
  from cart_items i join variants v on v.site_id = i.site_id and v.id = i.variant_id
  join products p on p.site_id = v.site_id and p.id = v.product_id
  where i.site_id = $1 and i.cart_id = $2 order by i.created_at, i.id`;

export const subtotalOf = (lines: Row[]) => lines.reduce((sum, line) => sum + cents(line.total), 0);
