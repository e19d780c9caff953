import { createClient, createDashboardClient, unwrap } from '@commerce-backend/sdk';
import type { OwnedSite } from './processes.ts';

const BANK_DETAILS = { account_holder: 'Bench', iban: 'DE89370400440532013000' };

/** Lets the shop accept bank transfers. Only staff who have just logged in may change the bank details. */
export async function setBankDetails(baseUrl: string, { staff }: OwnedSite): Promise<void> {
  const body = { email: staff.email, password: staff.password };
  const session = await unwrap(createClient({ baseUrl }).POST('/api/dashboard/auth/login', { body }));
  const client = createDashboardClient({ baseUrl, sessionToken: session.access_token });
  await unwrap(client.PATCH('/api/dashboard/settings', { body: { bank_details: BANK_DETAILS } }));
}
