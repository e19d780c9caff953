import { expect, onTestFinished, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';

test('reports a full database disk (503), and accepts the retry once there is space', async () => {
  const { owner, baseUrl } = await testServer();
  const shop = await openShop();
  await owner.query(`create function public.fill_disk() returns trigger language plpgsql as $$
      begin raise 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger fill_disk before insert on commerce.products for each row when (new.name = 'Too large')
      execute function public.fill_disk()`);
  const makeSpace = () => owner.query('drop function if exists public.fill_disk cascade');
  onTestFinished(async () => {
    await makeSpace();
  });
  const send = () =>
    fetch(`${baseUrl}/api/dashboard/products`, {
      method: 'POST',
      headers: {
        'X-API-Key': shop.credentials.api_key,
        'Content-Type': 'application/json',
        'Idempotency-Key': '8c4d5f6e-6d9e-4d0c-8f5a-2b1a9c7e3d10',
      },
      body: JSON.stringify({ name: 'Too large', price: '1.00' }),
    });

  const refused = await send();

  expect(refused.status).toBe(503);
  expect(refused.headers.get('Retry-After')).toBe('10');
  expect(await refused.json()).toMatchObject({
    error: 'storage_full',
    message: expect.stringContaining('disk of the database is full'),
    retryable: true,
  });

  await makeSpace();
  expect((await send()).status).toBe(201);
  // `/readyz` tries a write, and thereby detects that the disk has space again.
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
});
