import type { Config } from '../config.ts';
import { findSite, inShop } from '../shop/in-shop.ts';
import { siteDetails } from '../shop/merchant/site-list.ts';
import { TEST_PROVIDER } from '../shop/payments/test-provider.ts';
import { type Shop, SYSTEM } from '../shop/shop.ts';
import { limitsOf, toldLimits } from '../shop/site-limits.ts';
import { withPool } from './database.ts';
import { refuseNoSiteId } from './site-id.ts';

/** Shows the health of a site as JSON, like `GET /api/operator/sites/{site_id}`. */
export async function siteShow(config: Config, site_id: string): Promise<void> {
  refuseNoSiteId(site_id);
  const card = config.cardProvider === 'test' ? { name: TEST_PROVIDER } : undefined;
  const shown = await withPool(config, async (db) => {
    const tenant = await findSite(db, site_id);
    if (!tenant) throw new Error(`Site ${site_id} does not exist.`);
    const read = async (shop: Shop) => {
      const own = await limitsOf(shop);
      const limits = toldLimits(own).filter(({ name }) => name in own);
      return { ...(await siteDetails(shop, card)), limits };
    };
    return inShop(db, tenant, SYSTEM, read, { whileMoved: true });
  });
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
}
