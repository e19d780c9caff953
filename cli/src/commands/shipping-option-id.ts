import { type DashboardClient, paginate } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { isUuid } from './options.ts';

/**
 * Finds a shipping option by id or name. Returns its id. Names need not be unique; a name that several options share is
 * not accepted.
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
