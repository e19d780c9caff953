import { createClient, createDashboardClient } from '@commerce-backend/sdk';
import type { StaffRole } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const staffPath = '/api/dashboard/staff';
const member = '/api/dashboard/staff/{staff_id}';
const invitationsPath = '/api/dashboard/staff/invitations';
const invitation = '/api/dashboard/staff/invitations/{invitation_id}';
const register = '/api/dashboard/auth/invitation/register';
const accept = '/api/dashboard/auth/invitation/accept';
const PASSWORD = 'four unrelated quiet words';

const to = (staff_id = '') => ({ path: { staff_id } });

/** Opens a shop with a logged-in owner, and a function that adds staff members. */
async function openStaffedShop() {
  const shop = await openShop();
  const { staff: owner } = await logIn(shop);
  const { baseUrl } = shop;
  const anybody = createClient({ baseUrl, maxAttempts: 1 });
  const logInAs = async (email: string) => {
    const { data } = await anybody.POST('/api/dashboard/auth/login', { body: { email, password: PASSWORD } });
    return createDashboardClient({ baseUrl, sessionToken: data?.access_token ?? '', maxAttempts: 1 });
  };
  /** Invites an e-mail address, and returns the token in the last mail to it. */
  const invite = async (email: string, role: StaffRole, by = owner) => {
    const { error } = await by.POST(invitationsPath, { body: { email, role } });
    if (error) throw new Error(JSON.stringify(error));
    return (await mailsTo(shop, email.toLowerCase())).at(-1)?.token ?? '';
  };
  const hire = async (role: StaffRole, by = owner) => {
    const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.com`;
    const token = await invite(email, role, by);
    const { data, error } = await anybody.POST(register, { body: { token, name: `The ${role}`, password: PASSWORD } });
    if (!data) throw new Error(JSON.stringify(error));
    return { id: data.staff.id, email, client: await logInAs(email) };
  };
  return { ...shop, db_owner: shop.owner, owner, anybody, invite, hire, logInAs };
}

test('a role limits the calls of a staff member, and a change of the role applies to the next call', async () => {
  const { owner, hire, dashboard } = await openStaffedShop();
  const viewer = await hire('viewer');
  const orders = '/api/dashboard/orders';
  const settings = '/api/dashboard/settings';

  const { data: me } = await viewer.client.GET('/api/dashboard/me');
  expect(me).toMatchObject({ role: 'viewer', scopes: expect.arrayContaining(['read', 'orders:read', 'audit:read']) });
  expect(me?.scopes).not.toContain('write');
  expect((await viewer.client.GET(orders)).response.status).toBe(200);
  const refused = await viewer.client.PATCH(settings, { body: { name: 'Mine now' } });
  expect(refused.response.status).toBe(403);
  expect(refused.error).toMatchObject({
    error: 'insufficient_scope',
    scope: 'settings:write',
    held: expect.arrayContaining(['settings:read']),
  });

  await owner.PATCH(member, { params: to(viewer.id), body: { role: 'fulfilment' } });
  expect((await viewer.client.GET('/api/dashboard/customers')).response.status).toBe(403);
  expect((await viewer.client.GET(orders)).response.status).toBe(200);
  expect((await viewer.client.GET('/api/dashboard/me')).data?.role).toBe('fulfilment');

  expect((await owner.DELETE(member, { params: to(viewer.id) })).response.status).toBe(204);
  const gone = await viewer.client.GET(orders);
  expect(gone.error).toMatchObject({ error: 'merchant_not_allowed' });
  expect((await owner.DELETE(member, { params: to(viewer.id) })).response.status).toBe(404);
  expect((await dashboard.GET(staffPath)).data?.staff).toMatchObject([{ role: 'owner', invited_by: null }]);
});

test('removing a staff member lists their active API keys, and revokes or keeps them as requested', async () => {
  const { owner, hire, baseUrl } = await openStaffedShop();
  const keys = '/api/dashboard/api-keys';
  const [leaver, other] = [await hire('manager'), await hire('manager')];
  const { data: made } = await leaver.client.POST(keys, {
    body: { description: 'Reports', scopes: ['read', 'keys:write'] },
  });
  const { data: old } = await leaver.client.POST(keys, { body: { description: 'Old', scopes: ['read'] } });
  await leaver.client.DELETE('/api/dashboard/api-keys/{api_key_id}', {
    params: { path: { api_key_id: old?.id ?? '' } },
  });
  const { data: kept } = await other.client.POST(keys, { body: { description: 'Kept', scopes: ['read'] } });
  const works = async (secret = '') =>
    (await createDashboardClient({ baseUrl, apiKey: secret, maxAttempts: 1 }).GET('/api/dashboard/orders')).response
      .status;

  const asked = await owner.DELETE(member, { params: to(leaver.id) });
  const stillThere = await leaver.client.GET('/api/dashboard/orders');
  const revoked = await owner.DELETE(member, { params: { ...to(leaver.id), query: { keys: 'revoke' } } });
  const keeping = await owner.DELETE(member, { params: { ...to(other.id), query: { keys: 'keep' } } });

  expect([asked.response.status, asked.error]).toMatchObject([
    409,
    { error: 'member_has_keys', keys: [{ id: made?.id, kind: 'api_key', description: 'Reports' }] },
  ]);
  expect(stillThere.response.status).toBe(200);
  expect([revoked.response.status, keeping.response.status]).toEqual([204, 204]);
  expect([await works(made?.secret), await works(kept?.secret)]).toEqual([401, 200]);
  const { data: listed } = await owner.GET(keys);
  expect(listed?.find(({ id }) => id === made?.id)?.revoked_by).toMatchObject({ type: 'staff', name: 'Staff' });
});

test('nobody can grant, change or remove a role with more permissions than their own, and only owners manage owners', async () => {
  const { owner, hire, invite, baseUrl, credentials } = await openStaffedShop();
  const manager = await hire('manager');
  const support = await hire('support', manager.client);
  const { data: listed } = await manager.client.GET(staffPath);
  const first = listed?.staff.find(({ role }) => role === 'owner');
  const scope = { error: 'insufficient_scope', scope: 'payments:write' };

  const made = await manager.client.PATCH(member, { params: to(support.id), body: { role: 'owner' } });
  expect(made.error).toMatchObject(scope);
  const taken = await manager.client.DELETE(member, { params: to(first?.id) });
  expect(taken.error).toMatchObject(scope);
  const lowered = await manager.client.PATCH(member, { params: to(first?.id), body: { role: 'viewer' } });
  expect(lowered.error).toMatchObject(scope);
  const invited = await manager.client.POST(invitationsPath, { body: { email: 'boss@example.com', role: 'owner' } });
  expect(invited.error).toMatchObject(scope);
  expect((await support.client.GET(invitationsPath)).response.status).toBe(200);
  const bySupport = await support.client.POST(invitationsPath, { body: { email: 'pal@example.com', role: 'viewer' } });
  expect(bySupport.error).toMatchObject({ error: 'insufficient_scope', scope: 'staff:write' });

  const keys = '/api/dashboard/api-keys';
  const wide = await manager.client.POST(keys, { body: { description: 'Wide', scopes: ['write', 'payments:write'] } });
  expect(wide.error).toMatchObject(scope);
  const { data: owners } = await owner.POST(keys, {
    body: { description: 'Pay', scopes: ['write', 'payments:write'] },
  });
  expect(owners?.scopes).toEqual(['read', 'write', 'payments:write']);
  const rotated = await manager.client.POST('/api/dashboard/api-keys/{api_key_id}/rotate', {
    params: { path: { api_key_id: owners?.id ?? '' } },
  });
  expect(rotated.error).toMatchObject(scope);
  const { data: plain } = await manager.client.POST(keys, { body: { description: 'Plain', scopes: ['write'] } });
  const withKey = createDashboardClient({ baseUrl, apiKey: plain?.secret ?? '', maxAttempts: 1 });
  const syncKey = await withKey.POST('/api/dashboard/sync-keys', { body: { description: 'No' } });
  expect(syncKey.error).toMatchObject({ error: 'insufficient_scope', scope: 'keys:write' });

  // The only owner cannot leave; once there is a second one, the first can.
  expect((await owner.DELETE(member, { params: to(first?.id) })).error).toMatchObject({ error: 'last_owner' });
  const alone = await owner.PATCH(member, { params: to(first?.id), body: { role: 'viewer' } });
  expect(alone.error).toMatchObject({ error: 'last_owner' });
  await owner.PATCH(member, { params: to(manager.id), body: { role: 'owner' } });
  const keepKeys = { params: { ...to(first?.id), query: { keys: 'keep' as const } } };
  expect((await manager.client.DELETE(member, keepKeys)).response.status).toBe(204);
  expect(await invite(credentials.staff.email, 'viewer', manager.client)).toMatch(/^inv_/);
});

test('cancelling an order with a refund needs orders:refund, for staff and for API keys', async () => {
  const { owner, hire, givenOrder, baseUrl } = await openStaffedShop();
  const fulfilment = await hire('fulfilment');
  const support = await hire('support');
  const { data: key } = await owner.POST('/api/dashboard/api-keys', {
    body: { description: 'Warehouse', scopes: ['orders:read', 'orders:write'] },
  });
  const program = createDashboardClient({ baseUrl, apiKey: key?.secret ?? '', maxAttempts: 1 });
  const paid = async () => {
    const { id: order_id } = await givenOrder();
    await owner.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id } } });
    return { path: { order_id } };
  };
  const cancel = (client: typeof owner, params: Awaited<ReturnType<typeof paid>>, refund: boolean) =>
    client.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'staff', refund } });
  const [first, second] = [await paid(), await paid()];

  for (const client of [fulfilment.client, program]) {
    const refused = await cancel(client, first, true);
    expect([refused.response.status, refused.error]).toMatchObject([
      403,
      { error: 'insufficient_scope', scope: 'orders:refund' },
    ]);
  }
  const { data: untouched } = await owner.GET('/api/dashboard/orders/{order_id}', { params: first });
  expect(untouched).toMatchObject({ status: 'confirmed', payment_status: 'paid' });

  expect((await cancel(fulfilment.client, first, false)).data).toMatchObject({ payment_status: 'paid' });
  expect((await cancel(support.client, second, true)).data).toMatchObject({ payment_status: 'refunded' });
});

test('nobody can withdraw or replace an invitation to a role with more permissions than their own', async () => {
  const { owner, hire, invite, anybody } = await openStaffedShop();
  const manager = await hire('manager');
  const email = `boss-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const token = await invite(email, 'owner');
  const { data: open } = await manager.client.GET(invitationsPath);
  const params = { path: { invitation_id: open?.invitations[0]?.id ?? '' } };
  const scope = { error: 'insufficient_scope', scope: 'payments:write' };

  expect((await manager.client.DELETE(invitation, { params })).error).toMatchObject(scope);
  const replaced = await manager.client.POST(invitationsPath, {
    body: { email: email.toUpperCase(), role: 'viewer' },
  });
  expect(replaced.error).toMatchObject(scope);

  const joined = await anybody.POST(register, { body: { token, name: 'The boss', password: PASSWORD } });
  expect(joined.data).toMatchObject({ role: 'owner' });
  const later = await manager.client.POST(invitationsPath, { body: { email: 'pal@example.com', role: 'viewer' } });
  const own = { path: { invitation_id: later.data?.id ?? '' } };
  expect((await manager.client.DELETE(invitation, { params: own })).response.status).toBe(204);
  expect((await owner.DELETE(invitation, { params: own })).response.status).toBe(404);
});

test('the audit of each affected shop records when staff join it and when they change their login', async () => {
  const first = await openStaffedShop();
  const second = await openStaffedShop();
  const other = await openStaffedShop();
  const email = `noor-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const token = await first.invite(email, 'support');
  const { anybody } = first;
  const { data: joined } = await anybody.POST(register, { body: { token, name: 'Noor Haddad', password: PASSWORD } });
  const noor = await first.logInAs(email);
  const sent = {
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: { token: await second.invite(email, 'viewer') },
  };
  await noor.POST(accept, sent);
  await noor.POST(accept, sent);
  await noor.POST('/api/dashboard/account/two-factor');
  await noor.DELETE('/api/dashboard/account/two-factor');
  await noor.DELETE('/api/dashboard/account/sessions');
  await noor.DELETE('/api/dashboard/account/sessions/{session_id}', {
    params: { path: { session_id: crypto.randomUUID() } },
  });
  const wrong = { current_password: 'a guess', new_password: 'a longer horse and a better staple' };
  expect((await noor.POST('/api/dashboard/account/password', { body: wrong })).response.status).toBe(401);
  await noor.POST('/api/dashboard/account/password', { body: { ...wrong, current_password: PASSWORD } });
  await anybody.POST('/api/dashboard/auth/reset-request', { body: { email } });
  const reset = (await mailsTo({ ...first, owner: first.db_owner }, email)).at(-1)?.token ?? '';
  const body = { token: reset, new_password: 'yet another horse and staple' };
  expect((await anybody.POST('/api/dashboard/auth/reset', { body })).response.status).toBe(200);

  const told = async ({ dashboard }: typeof first) => {
    const query = { actor_type: 'staff', actor_id: joined?.staff.id ?? '' } as const;
    const { data } = await dashboard.GET('/api/dashboard/audit-events', { params: { query } });
    return data?.audit_events ?? [];
  };
  const own = [
    'resetStaffPassword 200',
    'changePassword 200',
    'endOtherSessions 200',
    'turnOffTwoFactor 200',
    'setUpTwoFactor 200',
  ];
  const inWords = (events: Awaited<ReturnType<typeof told>>) =>
    events.map(({ action, status }) => `${action.replace('dashboard.', '')} ${status}`);
  const inFirst = await told(first);
  expect(inWords(inFirst)).toEqual([...own, 'registerStaff 201']);
  expect(inWords(await told(second))).toEqual([...own, 'acceptInvitation 200']);
  expect(await told(other)).toEqual([]);
  expect(inFirst.at(-1)).toMatchObject({ actor_name: 'Noor Haddad', fields: ['token', 'name', 'password'] });
  expect(JSON.stringify(inFirst)).not.toContain(reset);
});

test('one owner remains when two owners remove each other concurrently', async () => {
  const { hire, owner, db_owner, site_id } = await openStaffedShop();
  const second = await hire('owner');
  const { data } = await owner.GET('/api/dashboard/me');

  const replies = await Promise.all([
    owner.DELETE(member, { params: to(second.id) }),
    second.client.DELETE(member, { params: to(data?.staff?.id) }),
  ]);

  const { rowCount } = await db_owner.query(
    sql`select from commerce.staff_memberships where site_id = ${site_id} and role = 'owner'`,
  );
  expect(rowCount).toBe(1);
  expect(replies.filter(({ response }) => response.status === 204)).toHaveLength(1);
});

test('an invitation can be used once, becomes invalid when it is replaced, and never opens an existing account', async () => {
  const { anybody, owner, invite, hire, logInAs } = await openStaffedShop();
  const elsewhere = await openStaffedShop();
  const email = `noor-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const first = await invite(email, 'support');
  const second = await invite(email.toUpperCase(), 'viewer');
  const tell = (token: string) => anybody.POST('/api/dashboard/auth/invitation', { body: { token } });
  const join = (token: string) => anybody.POST(register, { body: { token, name: 'Noor Haddad', password: PASSWORD } });

  expect((await tell(first)).error).toMatchObject({ error: 'invitation_token_invalid' });
  expect((await tell(second)).data).toMatchObject({ email, role: 'viewer', has_account: false });
  expect((await owner.GET(invitationsPath)).data?.invitations).toMatchObject([{ email, role: 'viewer' }]);
  const common = await anybody.POST(register, { body: { token: second, name: 'Noor', password: 'password1' } });
  expect(common.response.status).toBe(422);
  const joined = await Promise.all(Array.from({ length: 4 }, () => join(second)));
  expect(joined.map(({ response }) => response.status).toSorted()).toEqual([201, 400, 400, 400]);
  expect((await join(second)).error).toMatchObject({ error: 'invitation_token_invalid' });
  const again = await owner.POST(invitationsPath, { body: { email, role: 'owner' } });
  expect(again.error).toMatchObject({ error: 'already_staff' });

  // The invited person now has a login, so an invitation from another shop does not set her password, and nobody else
  // can accept it.
  const third = await elsewhere.invite(email, 'manager');
  expect((await join(third)).error).toMatchObject({ error: 'login_required' });
  const stranger = await hire('viewer');
  const stolen = await stranger.client.POST(accept, { body: { token: third } });
  expect(stolen.error).toMatchObject({ error: 'invitation_for_another' });
  const noor = await logInAs(email);
  // Repeating the request returns the first response, although the person already belongs to that shop.
  const sent = { headers: { 'Idempotency-Key': crypto.randomUUID() }, body: { token: third } };

  const { data: place } = await noor.POST(accept, sent);
  expect((await noor.POST(accept, sent)).data).toEqual(place);
  expect(place).toMatchObject({ role: 'manager', merchant: { site_id: elsewhere.site_id } });
  expect((await noor.GET('/api/dashboard/me')).data?.merchants).toHaveLength(2);
  const { data: there } = await elsewhere.owner.GET(staffPath);
  expect(there?.staff.find((one) => one.email === email)).toMatchObject({ name: 'Noor Haddad', role: 'manager' });

  const fourth = await invite(`late-${email}`, 'viewer');
  const { data: open } = await owner.GET(invitationsPath);
  const invitation_id = open?.invitations[0]?.id ?? '';
  expect((await owner.DELETE(invitation, { params: { path: { invitation_id } } })).response.status).toBe(204);
  expect((await join(fourth)).error).toMatchObject({ error: 'invitation_token_invalid' });
  const foreign = await elsewhere.owner.DELETE(invitation, { params: { path: { invitation_id } } });
  expect(foreign.response.status).toBe(404);
});

test('accepting an invitation four times at once creates one membership; withdrawing it at the same time prevents it or fails', async () => {
  const { owner, hire } = await openStaffedShop();
  const elsewhere = await openStaffedShop();
  const person = await hire('viewer');
  const membersThere = async () => {
    const { data } = await elsewhere.owner.GET(staffPath);
    return data?.staff.filter(({ email }) => email === person.email) ?? [];
  };

  for (const round of [1, 2, 3, 4]) {
    const token = await elsewhere.invite(person.email, 'support');
    const { data: open } = await elsewhere.owner.GET(invitationsPath);
    const params = { path: { invitation_id: open?.invitations[0]?.id ?? '' } };
    const [withdrawn, accepted] = await Promise.all([
      elsewhere.owner.DELETE(invitation, { params }),
      person.client.POST(accept, { body: { token } }),
    ]);
    const [member_there] = await membersThere();
    expect([withdrawn.response.status, accepted.response.status], `round ${round}`).toEqual(
      member_there ? [404, 200] : [204, 400],
    );
    if (member_there) await elsewhere.owner.DELETE(member, { params: to(member_there.id) });
  }

  const token = await elsewhere.invite(person.email, 'support');
  const replies = await Promise.all(Array.from({ length: 4 }, () => person.client.POST(accept, { body: { token } })));
  expect(replies.filter(({ data }) => data)).toHaveLength(1);
  expect(await membersThere()).toHaveLength(1);
  expect((await owner.GET(staffPath)).data?.staff.filter(({ email }) => email === person.email)).toHaveLength(1);
});

test('an invitation can be accepted for seven days', async () => {
  const { anybody, invite, db_owner } = await openStaffedShop();
  const pass = (email: string, time: string) =>
    db_owner.query(sql`update commerce.staff_invitations set expires_at = expires_at - ${time}::interval
      where email = ${email}`);
  const [early, late] = ['early', 'late'].map((name) => `${name}-${crypto.randomUUID().slice(0, 8)}@example.com`);
  const join = (token: string) => anybody.POST(register, { body: { token, name: 'Noor', password: PASSWORD } });

  const inTime = await invite(early ?? '', 'viewer');
  await pass(early ?? '', '6 days 23 hours');
  expect((await join(inTime)).data).toMatchObject({ role: 'viewer' });

  const tooLate = await invite(late ?? '', 'viewer');
  await pass(late ?? '', '7 days');
  expect((await join(tooLate)).error).toMatchObject({ error: 'invitation_token_invalid' });
  const shown = await anybody.POST('/api/dashboard/auth/invitation', { body: { token: tooLate } });
  expect(shown.error).toMatchObject({ error: 'invitation_token_invalid' });
});

test('removing a staff member or their permissions invalidates the invitations that they sent', async () => {
  const { anybody, owner, invite, hire } = await openStaffedShop();
  const [leaving, demoted, promoted] = [await hire('owner'), await hire('manager'), await hire('manager')];
  const asked = { leaving: 'owner', demoted: 'viewer', promoted: 'support' } as const;
  const by = { leaving, demoted, promoted };
  const tokens = new Map<string, string>();
  for (const name of ['leaving', 'demoted', 'promoted'] as const) {
    const email = `friend-of-${name}-${crypto.randomUUID().slice(0, 8)}@example.com`;
    tokens.set(name, await invite(email, asked[name], by[name].client));
  }

  await owner.DELETE(member, { params: to(leaving.id) });
  await owner.PATCH(member, { params: to(demoted.id), body: { role: 'viewer' } });
  await owner.PATCH(member, { params: to(promoted.id), body: { role: 'owner' } });
  const join = (name: string) =>
    anybody.POST(register, { body: { token: tokens.get(name) ?? '', name: 'A friend', password: PASSWORD } });

  expect((await join('leaving')).error).toMatchObject({ error: 'invitation_token_invalid' });
  expect((await join('demoted')).error).toMatchObject({ error: 'invitation_token_invalid' });
  expect((await owner.GET(invitationsPath)).data?.invitations).toMatchObject([{ role: 'support' }]);
  expect((await join('promoted')).data).toMatchObject({ role: 'support' });
});

test('the audit records the actions of staff and API keys with names, targets and fields', async () => {
  const { owner, dashboard, givenProduct, givenOrder } = await openStaffedShop();
  const { id: product_id } = await givenProduct();
  await owner.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id } },
    body: { price: '12.00', vendor: 'Alder' },
  });
  await owner.PATCH('/api/dashboard/payment-account', { body: { secret_key: 'sk_test_ofAlder' } });
  const { data: key } = await owner.POST('/api/dashboard/sync-keys', { body: { description: 'ERP' } });
  const order = await givenOrder();
  await owner.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: order.id } } });

  const { data: byStaff } = await dashboard.GET('/api/dashboard/audit-events', {
    params: { query: { actor_type: 'staff' } },
  });
  const byAction = Object.fromEntries((byStaff?.audit_events ?? []).map((event) => [event.action, event]));
  expect(byAction['dashboard.updateProduct']).toMatchObject({
    actor_name: 'Staff',
    status: 200,
    targets: [product_id],
    fields: ['price', 'vendor'],
  });
  expect(byAction['dashboard.updatePaymentAccount']).toMatchObject({ fields: ['secret_key'] });
  expect(JSON.stringify(byStaff)).not.toContain('sk_test_ofAlder');
  const { data: byKey } = await dashboard.GET('/api/dashboard/audit-events', {
    params: { query: { actor_type: 'api_key', action: 'dashboard.createProduct' } },
  });
  expect(byKey?.audit_events.at(-1)).toMatchObject({ actor_name: 'First API key', targets: [product_id] });

  expect(key?.created_by).toMatchObject({ type: 'staff', name: 'Staff' });
  const tokens = '/api/dashboard/storefront-tokens';
  const { data: token } = await owner.POST(tokens, { body: { description: 'Second' } });
  expect(token).toMatchObject({ created_by: { type: 'staff', name: 'Staff' }, revoked_by: null });
  const { data: ended } = await dashboard.DELETE('/api/dashboard/storefront-tokens/{storefront_token_id}', {
    params: { path: { storefront_token_id: token?.id ?? '' } },
  });
  expect(ended).toMatchObject({
    created_by: { type: 'staff' },
    revoked_by: { type: 'api_key', name: 'First API key' },
  });
  const { data: timeline } = await dashboard.GET('/api/dashboard/orders/{order_id}/timeline', {
    params: { path: { order_id: order.id } },
  });
  expect(timeline?.entries[0]).toMatchObject({ type: 'payment_confirmed', actor_type: 'staff', actor_name: 'Staff' });
});

test('a request rejected for lack of permission succeeds with the same Idempotency-Key once permission is granted', async () => {
  const { owner, hire, givenOrder, site_id, db_owner } = await openStaffedShop();
  const packer = await hire('fulfilment');
  const { id } = await givenOrder();
  const params = { path: { order_id: id }, header: { 'Idempotency-Key': crypto.randomUUID() } };
  const cancel = (reason: 'staff' | 'other' = 'staff') =>
    packer.client.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason, refund: true } });

  for (const { response, error } of [await cancel(), await cancel()]) {
    expect([response.status, error]).toMatchObject([403, { error: 'insufficient_scope', scope: 'orders:refund' }]);
    expect(response.headers.has('Idempotency-Replayed')).toBe(false);
  }
  await owner.PATCH(member, { params: to(packer.id), body: { role: 'support' } });
  const done = await cancel();
  expect([done.response.status, done.data?.status]).toEqual([200, 'cancelled']);
  const replayed = await cancel();
  expect(replayed.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect((await cancel('other')).response.status).toBe(422);

  const { rows } = await db_owner.query(
    `select status from commerce.audit_events where site_id = $1 and actor_id = $2 and action = 'dashboard.cancelOrder'
      order by created_at, id`,
    [site_id, packer.id],
  );
  expect(rows.map(({ status }) => status).slice(0, 3)).toEqual([403, 403, 200]);
});
