import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT } from '../errors.ts';

/** Finds a staff member by e-mail or id. */
export async function memberNamed(client: DashboardClient, who: string): Promise<Schemas['StaffMember']> {
  const { staff } = await unwrap(client.GET('/api/dashboard/staff'));
  const found = staff.find(({ id, email }) => isNamed(who, id, email));
  if (!found) throw notFound(`Nobody called "${who}" works for the shop.`, 'List them: commerce staff list');
  return found;
}

export function isNamed(wanted: string, id: string, email: string): boolean {
  return [id, email.toLowerCase()].includes(wanted.toLowerCase());
}

export function notFound(message: string, remedy: string): CommandError {
  return new CommandError(EXIT.refused, 'not_found', message, remedy);
}

export async function staffIdOf(client: DashboardClient, who: string): Promise<string> {
  return (await memberNamed(client, who)).id;
}
