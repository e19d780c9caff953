import { readFile } from 'node:fs/promises';
import type { ProductImport, SettingsPatch, ShippingOptionInput, ValidationErrorItem } from '@commerce-backend/spec';
import { type OperationId, operationTable } from '../../http/contract/contract.ts';
import { detailOf } from '../../http/contract/mistakes.ts';
import { valueErrors } from '../../http/contract/validator.ts';
import { isCountry } from '../../shop/countries.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import { usualSettings } from '../../shop/merchant/opening.ts';
import { usualCountry } from '../../shop/merchant/usual-taxes.ts';

/**
 * A shop as a file, with the field names of the contract. `country` provides the usual settings, which `settings` can
 * override. The file contains no password: one is generated and shown once.
 */
export interface ShopFile {
  name: string;
  currency: string;
  country?: string;
  staff?: { email?: string; name?: string };
  settings: SettingsPatch;
  shipping_options: ShippingOptionInput[];
  products: ProductImport[];
}

const FIELDS = ['name', 'currency', 'country', 'staff', 'settings', 'shipping_options', 'products'];
const MOST_PRODUCTS = 100;

/** Reads a shop from a file. Throws an error with a line for each mistake, which names the field. */
export async function readShopFile(path: string): Promise<ShopFile> {
  return shopIn(path, await readText(path));
}

/** A shop from a file that contains many, with its line number. */
interface ShopLine {
  line: number;
  shop: ShopFile;
}

/**
 * Parses a file with one shop per line, in JSON. Throws an error that lists the mistakes of all lines, each with line
 * and field.
 */
export async function readShopLines(path: string): Promise<ShopLine[]> {
  const lines = (await readText(path)).split('\n').map((text, index) => ({ text, line: index + 1 }));
  const mistakes: string[] = [];
  const shops = lines.flatMap(({ text, line }) => {
    if (text.trim() === '') return [];
    try {
      return [{ line, shop: shopIn(`${path}:${line}`, text) }];
    } catch (error) {
      mistakes.push((error as Error).message);
      return [];
    }
  });
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  if (shops.length === 0) throw new Error(`${path} contains no shop.`);
  return shops;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read: ${error.code}.`);
  });
}

function shopIn(path: string, text: string): ShopFile {
  const given = asObject(path, text);
  const mistakes = [...ownMistakes(given), ...contractMistakes(given)];
  if (mistakes.length > 0) throw new Error(mistakes.map((mistake) => `${path}: ${mistake}`).join('\n'));
  const file = given as Partial<ShopFile>;
  const usual = file.country ? usualCountry(file.country) : undefined;
  const settings = { ...(file.country && usualSettings(file.country, file)), ...file.settings };
  const { shipping_options = [], products = [] } = file;
  const currency = file.currency ?? usual?.currency ?? '';
  return { ...(file as ShopFile), currency, settings, shipping_options, products };
}

/** Converts an error so that its messages name the fields of the file. */
export function inFile(path: string, at: string, error: unknown): unknown {
  if (error instanceof ValidationError) {
    return new Error(error.detail.map((mistake) => `${path}: ${sentenceOf(at, mistake)}`).join('\n'));
  }
  const addsPlace = error instanceof ShopError || at.startsWith('products.');
  return addsPlace ? new Error(`${path}: ${at}: ${(error as Error).message}`) : error;
}

type Given = Record<string, unknown>;

function asObject(path: string, text: string): Given {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}.`);
  }
  if (isObject(parsed)) return parsed;
  throw new Error(`${path} must contain a JSON object.`);
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownMistakes(given: Given): string[] {
  const { country, currency, name, products, staff } = given;
  const mistakes = Object.keys(given)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => `${field}: Unknown field. The known ones are ${FIELDS.join(', ')}.`);
  if (typeof name !== 'string' || name.trim() === '') mistakes.push('name: Enter the name of the shop.');
  if (country !== undefined && (typeof country !== 'string' || !isCountry(country))) {
    mistakes.push('country: Enter an ISO 3166 code such as DE.');
  }
  const known = typeof country === 'string' ? usualCountry(country) : undefined;
  if (typeof currency !== 'string' && (currency !== undefined || !known)) {
    mistakes.push('currency: Enter an ISO 4217 code such as EUR.');
  }
  const isStaff = isObject(staff) && Object.entries(staff).every(([field, text]) => isStaffField(field, text));
  if (staff !== undefined && !isStaff) mistakes.push('staff: Enter an object with email and name.');
  if (Array.isArray(products) && products.length > MOST_PRODUCTS) {
    mistakes.push(`products: At most ${MOST_PRODUCTS}; import the others with commerce products import.`);
  }
  return mistakes;
}

function isStaffField(field: string, text: unknown): boolean {
  return ['email', 'name'].includes(field) && typeof text === 'string';
}

function contractMistakes({ settings, shipping_options = [], products = [] }: Given): string[] {
  const lists: [string, unknown, string, OperationId][] = [
    ['shipping_options', shipping_options, 'ShippingOptionInput', 'dashboard.createShippingOption'],
    ['products', products, 'ProductImport', 'dashboard.importProducts'],
  ];
  return [
    ...(settings === undefined ? [] : mistakesIn('settings', settings, 'SettingsPatch', 'dashboard.updateSettings')),
    ...lists.flatMap(([at, list, schema, id]) =>
      Array.isArray(list)
        ? list.flatMap((value, index) => mistakesIn(`${at}.${index}`, value, schema, id))
        : [`${at}: Must be a list.`],
    ),
  ];
}

function mistakesIn(at: string, value: unknown, schema: string, id: OperationId): string[] {
  const operation = operationTable.find((one) => one.id === id);
  if (!operation) throw new Error(`There is no operation ${id}.`);
  const errors = valueErrors(schema, value);
  return errors.length === 0 ? [] : detailOf(operation, errors).map((mistake) => sentenceOf(at, mistake));
}

function sentenceOf(at: string, { loc, msg }: ValidationErrorItem): string {
  return `${[at, ...loc.slice(1)].join('.')}: ${msg}`;
}
