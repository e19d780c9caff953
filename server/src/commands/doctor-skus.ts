import type pg from 'pg';
import type { RowOf } from '../db/row-of.ts';
import { type Finding, ok, warning } from './finding.ts';

interface Twin {
  site_id: string;
  sku: string;
  other: string | null;
}

/** Maximum number of SKUs to list. */
const NAMED = 20;

/**
 * Reports SKUs that differ only in case from another SKU of the same shop. New ones are rejected, but existing ones
 * stay.
 */
export async function checkSkus(client: pg.Client): Promise<Finding> {
  const { rows: columns } = await client.query(
    `select from information_schema.columns
      where table_schema = 'commerce' and table_name = 'variants' and column_name = 'sku_twin'`,
  );
  const twins = columns.length === 0 ? [] : await findTwins(client);
  if (twins.length === 0) return ok('skus', 'no SKUs of a shop differ only in case');
  const named = twins.slice(0, NAMED).map(({ site_id, sku, other }) => `${sku} and ${other} of site ${site_id}`);
  const more = twins.length > NAMED ? `, and ${twins.length - NAMED} more` : '';
  return warning('skus', `SKUs that differ only in case: ${named.join('; ')}${more}`, 'Rename one of each pair.');
}

/** Reads the SKUs shop by shop, because row-level security shows the variants of only one shop at a time. */
async function findTwins(client: pg.Client): Promise<Twin[]> {
  const { rows: sites } = await client.query<RowOf<'sites', 'site_id'>>(
    'select site_id from commerce.sites order by created_at',
  );
  const found: Twin[] = [];
  for (const { site_id } of sites) {
    await client.query(`select set_config('app.site_id', $1, false)`, [site_id]);
    const { rows } = await client.query<Twin>(
      `select v.site_id, v.sku, (
          select o.sku from commerce.variants o
          where o.site_id = v.site_id and lower(o.sku) = lower(v.sku) and o.id <> v.id order by o.created_at, o.id limit 1) as other
        from commerce.variants v where v.site_id = $1 and v.sku_twin order by v.created_at, v.id`,
      [site_id],
    );
    found.push(...rows.filter(({ other }) => other !== null));
  }
  return found;
}
