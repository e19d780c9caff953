import { generateSync } from 'otplib';
import { exchange } from '../testing/raw-requests.ts';
import { hire } from '../testing/staff.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { openSession } from '../testing/three-tenants.ts';

/**
 * Sends each code of a second factor several times concurrently, and once again afterwards. Only one login per code may
 * succeed. Returns the number of logins.
 */
export async function useCodesAgain(world: World): Promise<number> {
  const [tenant] = world.tenants;
  const { email, password } = await hire(world, tenant.site_id, tenant.canary);
  const StaffSession = await openSession(world, email, password);
  const person: Tenant = { ...tenant, secrets: { ...tenant.secrets, StaffSession } };
  const { totp_secret: secret } = (await callAs(world, person, 'dashboard.setUpTwoFactor')) as { totp_secret: string };
  const codeOf = (periods: number) => generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + periods * 30 });
  const confirmed = await callAs(world, person, 'dashboard.confirmTwoFactor', { totp_code: codeOf(-1) });
  const [recovery = ''] = (confirmed as { recovery_codes: string[] }).recovery_codes;
  const logIn = async (totp_code: string) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
    const body = JSON.stringify({ email, password, totp_code });
    return (await exchange(world.baseUrl, 'POST', '/api/dashboard/auth/login', headers, body)).status;
  };
  let tried = 0;
  for (const [what, code] of Object.entries({ 'a code of the app': codeOf(0), 'a recovery code': recovery })) {
    const statuses = [...(await Promise.all([1, 2, 3].map(() => logIn(code)))), await logIn(code)];
    tried += statuses.length;
    const used = statuses.filter((status) => status === 200).length;
    if (used !== 1) world.violations.add(`${what} logged in ${used} times: ${statuses.join(' ')}`);
  }
  return tried;
}
