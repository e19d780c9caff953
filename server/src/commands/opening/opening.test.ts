import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { interview } from './interview.ts';
import type { Prompt } from './prompt.ts';
import { readShopFile } from './shop-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'commerce-opening-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A prompt that is given these answers in order. */
function scripted(...answers: string[]) {
  const printed: string[] = [];
  const next = () => answers.shift() ?? 'no answer is left';
  const prompt: Prompt = {
    ask: async (question, preset) => {
      printed.push(`${question}: ${preset ?? ''}`);
      return next() || preset || '';
    },
    secret: async () => next(),
    print: (text) => void printed.push(text),
    close: () => {},
  };
  return { prompt, printed, answers };
}

test('`site create` fills in the usual German settings after a few answers', async () => {
  const answers = ['Mug & Co', 'germany', '', '', '', '2', '4,90', '9.90', '', 'DE89 3704 0044 0532 0130 00', ''];
  const { prompt, printed, answers: left } = scripted(...answers, 'help@mug.example', '', 'Mina', '');
  const opening = await interview(prompt, {});

  expect(left).toEqual([]);
  expect(opening).toMatchObject({
    name: 'Mug & Co',
    currency: 'EUR',
    staff: { email: 'help@mug.example', name: 'Mina' },
    password: null,
    settings: {
      default_locale: 'de',
      time_zone: 'Europe/Berlin',
      prices_include_tax: true,
      bank_details: { account_holder: 'Mug & Co', iban: 'DE89370400440532013000' },
      brand: { support_email: 'help@mug.example' },
    },
    shipping_options: [
      { name: 'Standard', price: '4.90', countries: ['DE'] },
      { name: 'EU', price: '9.90' },
    ],
  });
  expect(opening.shipping_options[1]?.countries).toHaveLength(26);
  const { tax_rates = [], default_tax_rate } = opening.settings;
  expect(default_tax_rate).toBe('0');
  expect(tax_rates).toHaveLength(54);
  expect(tax_rates).toContainEqual({ country: 'FR', class: 'reduced', rate: '0.07' });
  expect(printed.join('\n')).toMatch(/Tax in Germany, as of \d{4}-\d\d-\d\d: 19 %, reduced 7 %/);
});

test("`site create` asks again after invalid answers, and asks for the tax if the country's rates are unknown", async () => {
  const { prompt, printed } = scripted(
    ...['', 'Sidewalk', 'Atlantis', 'US', 'dollar', 'usd', 'klingon', 'en', 'New York', 'America/New_York'],
    ...['9', '1', 'five', '5', '7.25', '', 'n', 'DE00', '', '', 'no address', 'jo@example.com', 'Jo', 'short', ''],
  );
  const opening = await interview(prompt, {});
  expect(opening).toMatchObject({
    name: 'Sidewalk',
    currency: 'USD',
    settings: {
      prices_include_tax: false,
      default_tax_rate: '0.0725',
      tax_rates: [{ country: 'US', rate: '0.0725' }],
      time_zone: 'America/New_York',
    },
    shipping_options: [{ price: '5.00', countries: ['US'] }],
  });
  expect(opening.settings.bank_details).toBeUndefined();
  const said = printed.filter((line) => line.startsWith('  ')).map((line) => line.trim());
  expect(said).toHaveLength(10);
  expect(said.join(' ')).toMatch(
    /Unknown country.*Unknown ISO 4217.*Unknown time zone.*check digits.*e-mail address.*8 characters/,
  );
});

test("reports each mistake in an answers file with its field, and fills in the country's usual settings", async () => {
  const path = join(folder, 'shop.json');
  const read = (file: unknown) => {
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
    return readShopFile(path);
  };
  await expect(read('{')).rejects.toThrow('is not JSON');
  const wrong = {
    currency: 7,
    colour: 'red',
    country: 'Germany',
    settings: { time_zone: 3, mail: true },
    shipping_options: [{ name: 'Parcel', price: 'four' }],
    products: [{ name: 'Mug' }],
  };
  const refused = await read(wrong).catch((error: Error) => error.message);
  for (const field of [
    ...['name', 'currency', 'colour', 'country', 'settings.time_zone', 'settings.mail', 'shipping_options.0.price'],
    'products.0.slug',
  ]) {
    expect(refused).toContain(`${path}: ${field}: `);
  }

  const file = { name: 'Mug & Co', country: 'AT', shipping_options: [{ name: 'Post', price: '5', countries: ['AT'] }] };
  expect(await read({ ...file, settings: { time_zone: 'UTC' } })).toMatchObject({
    currency: 'EUR',
    settings: {
      time_zone: 'UTC',
      default_locale: 'de-AT',
      default_tax_rate: '0.2',
      tax_rates: [
        { country: 'AT', rate: '0.2' },
        { country: 'AT', class: 'reduced', rate: '0.1' },
      ],
    },
  });
});
