import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

const PASSWORD = 'correct horse battery staple';

const refusal = (field: string) => ({
  error: 'validation_error',
  detail: [
    {
      loc: ['body', field],
      type: 'password_too_common',
      msg: 'This password is too common. Choose another one, such as four unrelated words.',
    },
  ],
});

test('rejects common passwords in any case at registration, change and reset', async () => {
  const shop = await openShop();
  const { storefront } = shop;
  const email = `june-${randomUUID()}@example.com`;
  const register = (password: string) =>
    storefront.POST('/api/storefront/customer/register', { body: { email, password } });

  for (const common of ['password', 'Passw0rd', '12345678', 'QWERTYUIOP', 'sunshine1']) {
    const { error, response } = await register(common);
    expect([response.status, error]).toMatchObject([422, refusal('password')]);
  }
  expect((await register(PASSWORD)).response.status).toBe(202);
  const { token } = (await mailsTo(shop, email)).at(-1) ?? {};
  await storefront.POST('/api/storefront/customer/verify-email', { body: { token: token ?? '' } });

  const session = await storefront.POST('/api/storefront/customer/login', { body: { email, password: PASSWORD } });
  const changed = await storefront.POST('/api/storefront/customer/me/password', {
    body: { current_password: PASSWORD, new_password: 'password1' },
    headers: { Authorization: `Bearer ${session.data?.access_token}` },
  });
  expect(changed.error).toMatchObject(refusal('new_password'));

  await storefront.POST('/api/storefront/customer/reset-request', { body: { email } });
  const link = (await mailsTo(shop, email)).at(-1)?.token ?? '';
  const reset = (new_password: string) =>
    storefront.POST('/api/storefront/customer/reset', { body: { token: link, new_password } });
  expect((await reset('iloveyou')).error).toMatchObject(refusal('new_password'));
  // The rejected attempts did not use up the link.
  expect((await reset('another horse battery staple')).response.status).toBe(200);
});
