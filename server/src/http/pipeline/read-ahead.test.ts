import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Connection } from '../../db/connect.ts';
import { ShopError } from '../../shop/errors.ts';
import { type Actor, Shop, type Tenant } from '../../shop/shop.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { ReadAhead } from './read-ahead.ts';

const connection = {} as Connection;
const actor: Actor = { type: 'storefront', id: randomUUID(), customer_id: null };

/** A credential, and requests with it; `read` answers the version of the catalogue that it was asked for. */
function givenCredential() {
  const claim = { kind: 'storefront', secret: randomUUID(), customer_secret: null, storefront_secret: null } as Claim;
  const site_id = randomUUID();
  const tenant = (catalog_version: string): Tenant => ({
    ...{ site_id, merchant_id: site_id, currency: 'EUR', currency_digits: 2, show_stock: 'exact', catalog_version },
  });
  async function request(admission: Promise<string>) {
    const reads: string[] = [];
    const ahead = new ReadAhead(claim, async ({ catalogVersion }) => {
      reads.push(catalogVersion);
      return catalogVersion;
    });
    ahead.begin(connection);
    const before = [...reads];
    try {
      const caller = await ahead.admitted(admission.then((version) => ({ tenant: tenant(version) }) as Caller));
      const result = await ahead.result(new Shop(caller.tenant, actor, connection), caller.tenant);
      return { before, reads, result };
    } catch (error) {
      return { before, reads, error };
    } finally {
      await ahead.end();
    }
  }
  return { request };
}

const refusal = new ShopError('rate_limited', 'Too many requests.');

test('what was read before the look-up answered is told when it found what the last one found', async () => {
  const { request } = givenCredential();
  expect(await request(Promise.resolve('1'))).toEqual({ before: [], reads: ['1'], result: '1' });
  expect(await request(Promise.resolve('1'))).toEqual({ before: ['1'], reads: ['1'], result: '1' });
});

test('it is read anew when the catalogue has changed', async () => {
  const { request } = givenCredential();
  await request(Promise.resolve('1'));
  expect(await request(Promise.resolve('2'))).toEqual({ before: ['1'], reads: ['1', '2'], result: '2' });
  expect(await request(Promise.resolve('2'))).toEqual({ before: ['2'], reads: ['2'], result: '2' });
});

test('who is refused is told nothing, and nothing is read ahead for them until they are admitted again', async () => {
  const { request } = givenCredential();
  await request(Promise.resolve('1'));
  expect(await request(Promise.reject(refusal))).toEqual({ before: ['1'], reads: ['1'], error: refusal });
  expect(await request(Promise.reject(refusal))).toEqual({ before: [], reads: [], error: refusal });
  expect(await request(Promise.resolve('1'))).toEqual({ before: [], reads: ['1'], result: '1' });
});

test('another credential is another caller', async () => {
  await givenCredential().request(Promise.resolve('1'));
  expect(await givenCredential().request(Promise.resolve('1'))).toMatchObject({ before: [] });
});
