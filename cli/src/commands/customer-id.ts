import { type DashboardClient, paginate } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { isUuid } from './options.ts';

/** Finds the id of a customer who is named by id or e-mail. */
export async function customerIdOf(client: DashboardClient, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted;
  const params = { query: { q: wanted } };
  for await (const { id, email } of paginate(client, '/api/dashboard/customers', { params })) {
    if (email.toLowerCase() === wanted.toLowerCase()) return id;
  }
  const remedy = `Look for them: commerce customers list --q ${JSON.stringify(wanted)}`;
  throw new CommandError(EXIT.refused, 'not_found', `No customer has the e-mail "${wanted}".`, remedy);
}
