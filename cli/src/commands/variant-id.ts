import { type DashboardClient, paginate } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { isUuid } from './options.ts';

/** Finds the id of a variant that is named by id or SKU. */
export async function variantIdOf(client: DashboardClient, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted;
  for await (const { sku, variant_id } of paginate(client, '/api/dashboard/inventory', {
    params: { query: { q: wanted } },
  })) {
    if (sku === wanted) return variant_id;
  }
  const remedy = `Look for it: commerce inventory list --q ${JSON.stringify(wanted)}`;
  throw new CommandError(EXIT.refused, 'not_found', `No variant has the SKU "${wanted}".`, remedy);
}
