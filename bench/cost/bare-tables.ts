import pg from 'pg';
import { goodsOf, PLENTY } from './goods.ts';

const TABLES = `
  create table product (
    id int generated always as identity primary key, slug text not null unique, name text not null,
    description text not null, category text not null,
    tsv tsvector generated always as (
      setweight(to_tsvector('simple', name), 'A') || setweight(to_tsvector('simple', description), 'D')) stored);
  create index on product using gin (tsv);
  create table variant (
    id int generated always as identity primary key, product_id int not null references product, sku text not null unique,
    title text not null, cents int not null, currency text not null, stock int not null check (stock >= 0));
  create index on variant (product_id);
  create table cart (
    id uuid primary key default gen_random_uuid(), email text, address jsonb, created_at timestamptz not null default now());
  create table cart_item (
    id bigint generated always as identity primary key, cart_id uuid not null references cart,
    variant_id int not null references variant, quantity int not null check (quantity > 0), cents int not null);
  create index on cart_item (cart_id);
  create table orders (
    id bigint generated always as identity primary key, cart_id uuid not null unique references cart, email text,
    address jsonb, cents bigint not null, created_at timestamptz not null default now());
  create table order_item (
    id bigint generated always as identity primary key, order_id bigint not null references orders,
    variant_id int not null references variant, quantity int not null, cents int not null)`;

/** Creates and fills the bare server's tables. Returns the ids of the variants. */
export async function fillBare(url: string, products: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(TABLES);
    const goods = JSON.stringify(Array.from({ length: products }, (_, i) => goodsOf(i)));
    await client.query(
      `insert into product (slug, name, description, category)
        select g->>'slug', g->>'name', g->>'description', g->>'category' from jsonb_array_elements($1::jsonb) g`,
      [goods],
    );
    const { rows } = await client.query<{ id: number }>(
      `insert into variant (product_id, sku, title, cents, currency, stock)
        select p.id, v->>'sku', v->>'size', (v->>'cents')::int, 'EUR', $2
        from jsonb_array_elements($1::jsonb) g join product p on p.slug = g->>'slug', jsonb_array_elements(g->'variants') v
        returning id`,
      [goods, PLENTY],
    );
    return rows.map(({ id }) => String(id));
  } finally {
    await client.end();
  }
}
