import { createClient, createDashboardClient, unwrap } from '@commerce-backend/sdk';

interface Shop {
  baseUrl: string;
  credentials: { staff: { email: string; password: string | null } };
}

/** Logs in the shop's staff member with the password. Returns a dashboard client. */
export async function logIn({ baseUrl, credentials }: Shop, merchantId?: string) {
  const { email, password } = credentials.staff;
  const body = { email, password: password ?? '' };
  const session = await unwrap(createClient({ baseUrl, maxAttempts: 1 }).POST('/api/dashboard/auth/login', { body }));
  const sessionToken = session.access_token;
  return { session, staff: createDashboardClient({ baseUrl, sessionToken, merchantId, maxAttempts: 1 }) };
}
