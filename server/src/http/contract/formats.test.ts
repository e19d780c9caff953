import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';
import { parseMoment } from '../../db/connect.ts';
import { isCountry } from '../../shop/countries.ts';
import { document } from './contract.ts';
import { FORMATS } from './formats.ts';

const REFUSED = [
  '2026-05-04T10:30:00+16:00',
  '2026-05-04T10:30:00-16:00',
  '0001-01-01T00:00:00Z',
  '0050-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '1970-01-01T01:00:00+15:00',
  '9999-12-31T23:59:59.9999999Z',
  '9999-01-01T00:00:00Z',
];

test('rejects a date-time that PostgreSQL or a client would read differently (422), with a clear message', async () => {
  const shop = await openShop();
  const answers = await Promise.all(
    REFUSED.map((expires_at) =>
      fetch(`${shop.baseUrl}/api/agent/consent/request?site_id=${shop.site_id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
        body: JSON.stringify({ agent_name: 'Ada', scopes: ['catalog:read'], budget_cents: 0, expires_at }),
      }),
    ),
  );

  for (const answer of answers) {
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      detail: [{ loc: ['body', 'expires_at'], type: 'datetime_parsing', msg: expect.stringContaining('1970 to 9998') }],
    });
  }
});

test('an import rejects only the row with an invalid date', async () => {
  const { dashboard } = await openShop();
  const products = [
    { name: 'Mug', slug: 'mug', price: '10.00', published_at: '2026-05-04T10:30:00+16:00' },
    { name: 'Cup', slug: 'cup', price: '10.00', published_at: '2026-05-04T10:30:00+14:00' },
  ];

  const { data } = await dashboard.POST('/api/dashboard/products/import', { body: { products } });

  expect(data?.results.map(({ status }) => status)).toEqual(['failed', 'created']);
});

test('accepts the first and last date-time of the supported years, and a UTC offset', () => {
  for (const text of ['1970-01-01T00:00:00Z', '9998-12-31T23:59:59.999999999Z', '2026-02-28T00:00:00-12:00']) {
    expect(FORMATS['date-time'](text), text).toBe(true);
  }
});

test('formats database times of the years 1 to 9999, and replaces later ones with the end of 9999', () => {
  expect(parseMoment('0001-01-01 00:00:00+00')).toBe('0001-01-01T00:00:00.000Z');
  expect(parseMoment('0050-06-01 12:30:00.5+00')).toBe('0050-06-01T12:30:00.500Z');
  expect(parseMoment('2026-05-04 10:30:00.123456+00')).toBe('2026-05-04T10:30:00.123Z');
  expect(parseMoment('10000-01-01 00:00:00+00')).toBe('9999-12-31T23:59:59.999Z');
});

test('accepts the price 1000.00 in a currency without decimals, and rejects 1000.50 (decimal_max_places)', async () => {
  const { dashboard } = await openShop({ currency: 'JPY' });
  const create = (price: string) => dashboard.POST('/api/dashboard/products', { body: { name: 'Mug', price } });

  expect((await create('1000.00')).data?.price).toBe('1000');
  expect((await create('1000.50')).error).toMatchObject({ detail: [{ type: 'decimal_max_places' }] });
});

test('the contract lists the countries that the shop accepts', () => {
  const country = new RegExp(String(document.components.schemas?.Country?.pattern));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));

  expect(codes.filter((code) => country.test(code))).toEqual(codes.filter(isCountry));
});
