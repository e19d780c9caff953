import { type DashboardClient, paginate } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';
import { isUuid } from './options.ts';

/** Finds the id of a collection that is named by id or handle. */
export async function collectionIdOf(client: DashboardClient, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted;
  const params = { query: { q: wanted } };
  for await (const { id, handle } of paginate(client, '/api/dashboard/collections', { params })) {
    if (handle === wanted) return id;
  }
  const remedy = `Look for it: commerce collections list --q ${JSON.stringify(wanted)}`;
  throw new CommandError(EXIT.refused, 'not_found', `No collection has the handle "${wanted}".`, remedy);
}
