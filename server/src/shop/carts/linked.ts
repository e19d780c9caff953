import sql from 'sql-template-tag';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { keptOfVariant } from './rows.ts';

/** A variant in a buy link. The cart does not exist yet. */
export interface LinkedVariant {
  id: string;
  product_id: string;
  name: string;
  variant_name: string | null;
  price: string;
  image_url: string | null;
}

/** Returns the given variants that are for sale. */
export function findLinked(shop: Shop, variant_ids: string[]): Promise<LinkedVariant[]> {
  return shop.rows<LinkedVariant>(
    sql`select v.id, ${keptOfVariant}, coalesce(v.image_url, (
        select i.url from product_images i where i.site_id = v.site_id and i.product_id = v.product_id
        order by i.position, i.id limit 1)) as image_url
      from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
      where v.site_id = ${shop.siteId} and v.id = any(${variant_ids}::uuid[]) and ${visible}`,
  );
}
