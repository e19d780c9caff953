import { createClient, createDashboardClient } from '@commerce-backend/sdk';
import type { StaffRole } from '@commerce-backend/spec';
import { mailsTo } from './mail.ts';
import { logIn } from './session.ts';
import type { openShop } from './shop.ts';

const PASSWORD = 'four unrelated quiet words';

/** Adds a staff member with this role, as invited by the owner, and logs them in. */
export async function givenMember(shop: Awaited<ReturnType<typeof openShop>>, role: StaffRole) {
  const { staff: owner } = await logIn(shop);
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await owner.POST('/api/dashboard/staff/invitations', { body: { email, role } });
  const token = (await mailsTo(shop, email)).at(-1)?.token ?? '';
  const anybody = createClient({ baseUrl: shop.baseUrl, maxAttempts: 1 });
  const body = { token, name: `The ${role}`, password: PASSWORD };
  const { data, error } = await anybody.POST('/api/dashboard/auth/invitation/register', { body });
  if (!data) throw new Error(JSON.stringify(error));
  const session = await anybody.POST('/api/dashboard/auth/login', { body: { email, password: PASSWORD } });
  const sessionToken = session.data?.access_token ?? '';
  const client = createDashboardClient({ baseUrl: shop.baseUrl, sessionToken, maxAttempts: 1 });
  return { id: data.staff.id, email, sessionToken, client, owner };
}
