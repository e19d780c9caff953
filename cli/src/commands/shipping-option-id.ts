import { type DashboardClient, paginate } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { isUuid } from './options.ts';

/**
 * Finds the id of a shipping option that is named by id or name. Names need not be unique; a name of several options identifies
 * none.
 */
export async function shippingOptionIdOf(client: DashboardClient, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted;
  const found: string[] = [];
  for await (const { id, name } of paginate(client, '/api/dashboard/shipping-options')) {
    if (name === wanted) found.push(id);
  }
  const [id] = found;
  if (id && found.length === 1) return id;
  const message = id ? `${found.length} options are named "${wanted}".` : `No shipping option is named "${wanted}".`;
  const remedy = 'Name it by its id: commerce shipping-options list';
  throw new CommandError(EXIT.refused, id ? 'ambiguous' : 'not_found', message, remedy);
}
