import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, refusal } from '../testing.ts';
import { SETTINGS } from './setting-values.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own schemas and examples.
const { schemas, examples } = contract.components as any;
const SHOP = examples.Settings.value;
const PATH = '/api/dashboard/settings';

async function givenShop(settings: object = SHOP) {
  const answer = { body: settings };
  const server = await fakeServer({ [`GET ${PATH}`]: answer, [`PATCH ${PATH}`]: answer });
  const { commerce } = await loggedIn(server.url);
  /** The request body that a command line sends. */
  const change = async (...args: string[]) => {
    const { code, err } = await commerce(['settings', 'set', ...args]);
    return code === 0 ? server.seen.findLast(({ method }) => method === 'PATCH')?.body : `${code} ${err}`;
  };
  return { ...server, commerce, change };
}

test('the CLI has a key for every setting of the contract and every field of a setting', () => {
  expect(Object.keys(SETTINGS).sort()).toEqual(Object.keys(schemas.SettingsPatch.properties).sort());
  for (const [name, kind] of Object.entries(SETTINGS)) {
    if (typeof kind === 'string') continue;
    const { $ref } = schemas.SettingsPatch.properties[name];
    expect(Object.keys(kind)).toEqual(Object.keys(schemas[$ref.split('/').at(-1)].properties));
  }
});

test('shows all settings by their keys, in the format that `settings set` accepts', async () => {
  const { commerce } = await givenShop();
  const { out } = await commerce(['settings', 'get']);
  expect(out).toMatch(/^tax_rates +DE=0.19 DE:reduced=0.07 AT=0.2$/m);
  expect(out).toMatch(/^brand.accent_color +#0f4c81$/m);
  expect(out).toMatch(/^bank_details.bic +none$/m);
  expect(out).toMatch(/^search_synonyms +sofa=couch$/m);
  expect((await commerce(['settings', 'get', 'storefront-url'])).out).toBe('https://shop.alder-finch.example/\n');
  expect((await commerce(['settings', 'get', 'legal.terms_required'])).out).toBe('yes\n');
  expect((await commerce(['settings', 'get', 'bank_details'])).out).toMatch(/^bank_details.iban +DE89/m);
  const whole = await commerce(['settings', 'get', '--json']);
  expect(JSON.parse(whole.out)).toEqual(SHOP);
  expect(JSON.parse((await commerce(['settings', 'get', 'tax_rates', '--json'])).out)).toEqual(SHOP.tax_rates);
});

test("sends a changed setting in the contract's format", async () => {
  const { change } = await givenShop();
  expect(await change('name', 'Alder & Finch')).toEqual({ name: 'Alder & Finch' });
  expect(await change('currency', 'eur')).toEqual({ currency: 'EUR' });
  expect(await change('prices_include_tax', 'no')).toEqual({ prices_include_tax: false });
  expect(await change('storefront_url', 'none')).toEqual({ storefront_url: null });
  expect(await change('allowed_origins', 'https://a.example', 'https://b.example')).toEqual({
    allowed_origins: ['https://a.example', 'https://b.example'],
  });
  expect(await change('allowed_origins', 'none')).toEqual({ allowed_origins: [] });
  expect(await change('payment_deadline_hours', '48')).toEqual({ payment_deadline_hours: 48 });
  expect(await change('search_synonyms', 'sofa=couch, settee')).toEqual({
    search_synonyms: [{ term: 'sofa', synonyms: ['couch', 'settee'] }],
  });
  expect(
    await change('tax_rates', 'de=19%', 'DE:reduced=7 %', 'US/CA=7.25%', 'US/New York:food=0.5%', 'AT=0.2'),
  ).toEqual({
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', class: 'reduced', rate: '0.07' },
      { country: 'US', state: 'CA', rate: '0.0725' },
      { country: 'US', state: 'New York', class: 'food', rate: '0.005' },
      { country: 'AT', rate: '0.2' },
    ],
  });
  expect(await change('default_tax_rate', '0%')).toEqual({ default_tax_rate: '0' });
  expect(await change('default_tax_rate', '100%')).toEqual({ default_tax_rate: '1' });
});

test('changing one field of a setting keeps its other fields', async () => {
  const { change } = await givenShop();
  expect(await change('brand.accent-color', '#123456')).toEqual({ brand: { ...SHOP.brand, accent_color: '#123456' } });
  expect(await change('legal', 'terms_url=https://shop.example/?a=b', 'terms_required=no')).toEqual({
    legal: { ...SHOP.legal, terms_url: 'https://shop.example/?a=b', terms_required: false },
  });
  expect(await change('legal_texts.terms_de', '<p>AGB</p>')).toEqual({
    legal_texts: { ...SHOP.legal_texts, terms_de: '<p>AGB</p>' },
  });
  expect(await change('agent_policy.password_above_cents', 'none')).toEqual({
    agent_policy: { ...SHOP.agent_policy, password_above_cents: null },
  });
  expect(await change('bank_details', 'none')).toEqual({ bank_details: null });
  expect(await change('brand', 'none')).toEqual({ brand: {} });

  const fresh = await givenShop({ ...SHOP, bank_details: null });
  const details = ['account_holder=Alder & Finch GmbH', 'iban=de89 3704 0044 0532 0130 00'];
  expect(await fresh.change('bank_details', ...details)).toEqual({
    bank_details: { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' },
  });
});

test('`settings set` rejects an unknown setting or an invalid value, and sends no request', async () => {
  const { change, seen } = await givenShop();
  for (const [args, expected] of [
    [['colour', 'red'], 'There is no setting colour.'],
    [['brand.colour', 'red'], 'They are: logo_url, accent_color'],
    [['name.first', 'x'], 'It has none.'],
    [['name', 'Alder', 'Finch'], 'name takes one value.'],
    [['prices_include_tax', 'perhaps'], 'prices_include_tax cannot be "perhaps".'],
    [['payment_deadline_hours', 'soon'], 'Give a whole number.'],
    [['tax_rates', 'Germany=19%'], '"Germany=19%" is not a tax rate.'],
    [['tax_rates', 'DE=much'], 'tax_rates cannot be "much".'],
    [['default_tax_rate', '1'], '1 can mean 100 % or 1 %: enter 100 or 1 %.'],
    [['legal', 'agb=https://shop.example'], 'Give FIELD=VALUE, with: terms_url'],
    [['search_synonyms', 'sofa'], 'Give TERM=WORD,WORD'],
  ] as const) {
    const refused = await change(...args);
    expect(refused).toMatch(/^2 /);
    expect(refused).toContain(expected);
  }
  expect(seen).toEqual([]);
});

test('`settings set` names the key of a setting that the server rejects', async () => {
  const detail = [{ loc: ['body', 'brand', 'accent_color'], msg: 'Choose a darker colour.', type: 'value_error' }];
  const refused = { ...refusal(422, 'validation_error', 'The request is not valid.'), body: { detail } };
  const server = await fakeServer({ [`GET ${PATH}`]: { body: SHOP }, [`PATCH ${PATH}`]: refused });
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(['settings', 'set', 'brand.accent_color', '#ffff00']);
  expect(code).toBe(1);
  expect(err).toContain('brand.accent_color: Choose a darker colour.');
});
