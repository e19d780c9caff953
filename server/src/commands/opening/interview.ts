/** The dialog that opens a shop. It asks few questions, many of them with the usual value of the country as default. */

import type { BankDetails, SettingsPatch, ShippingOptionInput } from '@commerce-backend/spec';
import { LANGUAGES } from '../../language/locales.ts';
import { countryCode } from '../../shop/countries.ts';
import { ValidationError } from '../../shop/errors.ts';
import type { Opening } from '../../shop/merchant/opening.ts';
import { isTimeZone } from '../../shop/merchant/public-facts.ts';
import { hasValidCheckDigits } from '../../shop/merchant/settings.ts';
import {
  EU_COUNTRIES,
  RATES_AS_OF,
  type Reach,
  taxesOf,
  type UsualCountry,
  usualCountry,
} from '../../shop/merchant/usual-taxes.ts';
import { canonicalAmount, currencyDigits, isCurrency } from '../../shop/money.ts';
import { refuseCommonPassword } from '../../shop/passwords/common.ts';
import type { Prompt } from './prompt.ts';

/** Answers that were given by flags. */
export interface Given {
  name?: string;
  currency?: string;
  staffEmail?: string;
  staffName?: string;
}

export async function interview(prompt: Prompt, given: Given): Promise<Opening> {
  prompt.print('A new shop. Press Enter to accept the value in brackets; Ctrl-C cancels without creating anything.\n');
  const name = given.name ?? (await until(prompt, 'Name of the shop', undefined, required(255)));
  const country = await until(prompt, 'Country (code or English name)', undefined, readCountry);
  const usual = usualCountry(country);
  const currency = given.currency ?? (await until(prompt, 'Currency', usual?.currency, readCurrency));
  const locale = await until(prompt, `Language (${LANGUAGES.join(', ')})`, languageOf(usual), readLanguage);
  const time_zone = await until(prompt, 'Time zone', usual?.time_zone ?? 'UTC', readTimeZone);
  const { reach, shipping_options } = await askDelivery(prompt, country, currency);
  const taxes = await askTaxes(prompt, country, reach ?? 'country', usual);
  const bank_details = await askBankDetails(prompt, name);
  const support_email = await until(prompt, 'E-mail address for shoppers (empty for none)', '', readEmailOrNone);
  const staff = {
    email: given.staffEmail ?? (await until(prompt, 'Your e-mail address, to log in', support_email ?? '', readEmail)),
    name: given.staffName ?? (await until(prompt, 'Your name', undefined, required(255))),
  };
  const password = await askPassword(prompt);
  const settings: SettingsPatch = {
    default_locale: localeOf(locale, usual),
    time_zone,
    ...taxes,
    ...(bank_details && { bank_details }),
    ...(support_email && { brand: { support_email } }),
  };
  return { name, currency, staff, password, settings, shipping_options, products: [] };
}

type Reader<T> = (line: string) => T | Promise<T>;

/** Asks the question until the input is valid, and shows the mistake after each invalid input. */
async function until<T>(prompt: Prompt, question: string, preset: string | undefined, read: Reader<T>): Promise<T> {
  for (;;) {
    const line = await prompt.ask(question, preset);
    try {
      return await read(line);
    } catch (error) {
      prompt.print(`  ${error instanceof ValidationError ? error.detail[0]?.msg : (error as Error).message}`);
    }
  }
}

function required(maximum: number): Reader<string> {
  return (line) => {
    if (line === '' || line.length > maximum) throw new Error(`Type 1 to ${maximum} characters.`);
    return line;
  };
}

function readCountry(line: string): string {
  const code = countryCode(line);
  if (!code) throw new Error('Unknown country. Type a code such as DE, or an English name such as Germany.');
  return code;
}

function readCurrency(line: string): string {
  const code = line.toUpperCase();
  if (!isCurrency(code)) throw new Error('Unknown ISO 4217 currency code. Type one such as EUR.');
  return code;
}

function readLanguage(line: string): string {
  const code = line.toLowerCase();
  if (!LANGUAGES.some((known) => known === code)) throw new Error(`Texts are available in ${LANGUAGES.join(', ')}.`);
  return code;
}

function readTimeZone(line: string): string {
  if (!isTimeZone(line)) throw new Error('Unknown time zone. Type an IANA name such as Europe/Berlin.');
  return line;
}

function readEmail(line: string): string {
  if (line.length > 254 || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(line)) throw new Error('Invalid e-mail address.');
  return line;
}

function readEmailOrNone(line: string): string | null {
  return line === '' ? null : readEmail(line);
}

function languageOf(usual: UsualCountry | undefined): string {
  return usual?.locale.slice(0, 2) ?? 'en';
}

/** The locale for a language: the country's usual locale if it has that language, otherwise the language alone. */
function localeOf(language: string, usual: UsualCountry | undefined): string {
  return usual?.locale.startsWith(language) ? usual.locale : language;
}

async function agree(prompt: Prompt, question: string): Promise<boolean> {
  return until(prompt, `${question} (y/n)`, 'y', (line) => {
    if (!/^(?:y|yes|n|no)$/i.test(line)) throw new Error('Type y or n.');
    return /^y/i.test(line);
  });
}

const nameOf = (country: string) => new Intl.DisplayNames(['en'], { type: 'region' }).of(country) ?? country;

interface Delivery {
  /** The countries to which the shop ships; null if it ships nothing. */
  reach: Reach | null;
  shipping_options: ShippingOptionInput[];
}

async function askDelivery(prompt: Prompt, country: string, currency: string): Promise<Delivery> {
  const home = nameOf(country);
  const isEu = usualCountry(country)?.in_eu ?? false;
  const choices: [Reach | null, string][] = [
    ['country', `${home} only`],
    ...(isEu ? ([['eu', 'the European Union']] as [Reach, string][]) : []),
    ['world', 'everywhere'],
    [null, 'nowhere: nothing is shipped'],
  ];
  prompt.print(['', 'Where do you deliver to?', ...choices.map(([, words], at) => `  ${at + 1}  ${words}`)].join('\n'));
  const [reach] = await until(prompt, 'Delivery', '1', (line) => {
    const choice = choices[Number(line) - 1];
    if (!choice) throw new Error(`Type a number from 1 to ${choices.length}.`);
    return choice;
  });
  if (reach === null) return { reach, shipping_options: [] };
  const price = (where: string) =>
    until(prompt, `Price of a parcel, ${where}`, undefined, (line) => readAmount(line, currency));
  const shipping_options: ShippingOptionInput[] = [
    { name: 'Standard', price: await price(home), countries: [country] },
  ];
  const neighbours = EU_COUNTRIES.filter((code) => code !== country);
  if (isEu && reach !== 'country') {
    shipping_options.push({ name: 'EU', price: await price('rest of the European Union'), countries: neighbours });
  }
  if (reach === 'world') shipping_options.push({ name: 'International', price: await price('rest of the world') });
  return { reach, shipping_options };
}

function readAmount(line: string, currency: string): string {
  const amount = line.replace(',', '.');
  if (!/^\d{1,9}(?:\.\d{1,3})?$/.test(amount)) throw new Error('Type an amount such as 4.90, or 0.');
  return canonicalAmount(amount, currencyDigits(currency), ['body', 'price']);
}

type Taxes = Pick<SettingsPatch, 'prices_include_tax' | 'default_tax_rate' | 'tax_rates'>;

async function askTaxes(
  prompt: Prompt,
  country: string,
  reach: Reach,
  usual: UsualCountry | undefined,
): Promise<Taxes> {
  prompt.print('');
  if (usual) {
    const { standard, reduced } = usual;
    const rates = reduced === null ? `${standard} %` : `${standard} %, reduced ${reduced} % (tax class "reduced")`;
    prompt.print(`Tax in ${nameOf(country)}, as of ${RATES_AS_OF}: ${rates}. Prices include it.`);
    if (reach !== 'country' && usual.in_eu) {
      prompt.print('The same rates apply in the whole EU for shops that sell for less than 10,000 EUR a year abroad.');
    }
    if (await agree(prompt, 'Take this'))
      return { prices_include_tax: true, ...taxesOf(country, reach, standard, reduced) };
  }
  const standard = await until(prompt, 'Tax rate in %, 0 for none', usual ? String(usual.standard) : '0', readPercent);
  const reduced = await until(prompt, 'Reduced rate in % (empty for none)', '', (line) =>
    line === '' ? null : readPercent(line),
  );
  const prices_include_tax = standard === 0 || (await agree(prompt, 'Do your prices include it'));
  return { prices_include_tax, ...taxesOf(country, reach, standard, reduced) };
}

function readPercent(line: string): number {
  const text = line.replace(',', '.').replace(/\s*%$/, '');
  if (!/^\d{1,2}(?:\.\d{1,2})?$/.test(text)) throw new Error('Type a percentage such as 19 or 5.5.');
  return Number(text);
}

async function askBankDetails(prompt: Prompt, shop: string): Promise<BankDetails | null> {
  prompt.print('\nBank transfer: shoppers who choose it see your account.');
  const iban = await until(prompt, 'IBAN (empty for no bank transfers)', '', readIbanOrNone);
  if (!iban) return null;
  return { account_holder: await until(prompt, 'Account holder', shop, required(255)), iban };
}

function readIbanOrNone(line: string): string | null {
  const iban = line.replaceAll(/\s/g, '').toUpperCase();
  if (iban === '') return null;
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) || !hasValidCheckDigits(iban)) {
    throw new Error('Invalid IBAN: its form or its check digits are wrong.');
  }
  return iban;
}

const LEAST_PASSWORD = 8;

/** Asks for a password; null if one should be generated. */
async function askPassword(prompt: Prompt): Promise<string | null> {
  for (;;) {
    const password = await prompt.secret('Password, not shown (empty to generate one)');
    if (password === '') return null;
    const mistake = await mistakeIn(password);
    if (mistake) prompt.print(`  ${mistake}`);
    else if ((await prompt.secret('Repeat the password')) === password) return password;
    else prompt.print('  The passwords differ.');
  }
}

async function mistakeIn(password: string): Promise<string | undefined> {
  if (password.length < LEAST_PASSWORD) return `Type ${LEAST_PASSWORD} characters or more.`;
  return refuseCommonPassword(password, 'password').then(
    () => undefined,
    (error: ValidationError) => error.detail[0]?.msg,
  );
}
