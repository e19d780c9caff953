/** Settings that can be changed, and their format on the command line. */

import type { SettingsPatch } from '@commerce-backend/spec';
import { propertiesOf, type Schema, typesOf } from '../contract.ts';
import { usageError } from '../errors.ts';
import { bankCode, readRate, webAddress, webOrigin } from '../formats/typed-text.ts';
import { bodyFields, REQUESTS, schemaName } from '../request-fields.ts';

export type SettingName = keyof SettingsPatch;

/** The command-line format of a setting's value. Optional kinds and lists also accept "none". */
export type Kind =
  | 'text'
  | 'code'
  | 'bank code'
  | 'switch'
  | 'number'
  | 'rate'
  | 'texts'
  | 'origins'
  | 'rates'
  | 'synonyms'
  | Optional;
type Optional = 'optional text' | 'optional number' | 'optional bank code' | 'optional address';
/** Fields of a setting that is an object. The object is always sent as a whole, with unnamed fields unchanged. */
export type Fields = Record<string, Kind>;

/**
 * Value formats by schema name, or by field name for unnamed schemas. For lists, the schema of the elements is used.
 */
const KINDS: Partial<Record<string, Kind>> = {
  Currency: 'code',
  TaxRate: 'rate',
  UrlOrNull: 'optional address',
  iban: 'bank code',
  bic: 'optional bank code',
  Origin: 'origins',
  CountryTaxRate: 'rates',
  SearchSynonyms: 'synonyms',
};

function kindIn(name: string, schema: Schema): Kind {
  const named = KINDS[schemaName(schema.items ?? schema)] ?? KINDS[name];
  if (named) return named;
  const types = typesOf(REQUESTS, schema);
  if (types.includes('boolean')) return 'switch';
  if (types.includes('array')) return 'texts';
  const kind = types.includes('integer') ? 'number' : 'text';
  return types.includes('null') ? `optional ${kind}` : kind;
}

/** All settings of the contract, with their value format, or the format of each of their fields. */
export const SETTINGS = Object.fromEntries(
  bodyFields('dashboard.updateSettings').map(([name, schema]) => {
    const fields = Object.entries(propertiesOf(REQUESTS, schema).properties);
    const kinds = fields.map(([own, of]) => [own, kindIn(own, of)]);
    return [name, fields.length > 0 ? Object.fromEntries(kinds) : kindIn(name, schema)];
  }),
) as Record<SettingName, Kind | Fields>;

const NONE = 'none';

/** A setting as named on the command line: `brand.accent-color` is a field of `brand`. */
export interface Named {
  name: SettingName;
  /** The field, if the setting is an object. */
  field?: string;
}

/** Finds a setting by its key. Throws a usage error if there is no such setting. */
export function settingOf(key: string): Named {
  const [name = '', field, ...rest] = key.toLowerCase().replaceAll('-', '_').split('.');
  if (!isSetting(name)) throw usageError(`There is no setting ${key}.`, `The settings are: ${NAMES.join(', ')}.`);
  const kind = SETTINGS[name];
  if (field === undefined) return { name };
  if (rest.length === 0 && typeof kind !== 'string' && Object.hasOwn(kind, field)) return { name, field };
  const fields = typeof kind === 'string' ? 'It has none.' : `They are: ${Object.keys(kind).join(', ')}.`;
  throw usageError(`The setting ${name} has no field ${[field, ...rest].join('.')}.`, fields);
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

const NAMES = Object.keys(SETTINGS);

/** Returns the setting's new value. For an object, the value contains only the named fields. */
export function valueIn({ name, field }: Named, values: string[]): unknown {
  const kind = SETTINGS[name];
  if (typeof kind === 'string') return parse(name, kind, values);
  if (field !== undefined) return { [field]: parse(`${name}.${field}`, kind[field] ?? 'text', values) };
  if (values.length === 1 && values[0] === NONE) return name === 'bank_details' ? null : {};
  return Object.fromEntries(
    values.map((value) => {
      const [own = '', text] = split(value);
      const known = own.toLowerCase().replaceAll('-', '_');
      if (text === undefined || !Object.hasOwn(kind, known)) {
        throw usageError(
          `"${value}" sets no field of ${name}.`,
          `Give FIELD=VALUE, with: ${Object.keys(kind).join(', ')}.`,
        );
      }
      return [known, parse(`${name}.${known}`, kind[known] ?? 'text', [text])];
    }),
  );
}

/** Splits a text at the first `=`. */
function split(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parse(key: string, kind: Kind, values: string[]): unknown {
  if (kind === 'texts' || kind === 'origins' || kind === 'rates' || kind === 'synonyms') {
    return values.length === 1 && values[0] === NONE ? [] : values.map(ELEMENTS[kind](key));
  }
  const [text = ''] = values;
  if (values.length > 1) throw usageError(`${key} takes one value.`, 'Put a value with spaces in quotes.');
  return one(key, kind, text);
}

type ListKind = 'texts' | 'origins' | 'rates' | 'synonyms';

const ELEMENTS: Record<ListKind, (key: string) => (text: string) => unknown> = {
  texts: () => (text: string) => text,
  origins: () => webOrigin,
  rates: (key: string) => (text: string) => rateEntry(key, text),
  synonyms: (key: string) => (text: string) => synonymEntry(key, text),
};

function one(key: string, kind: Exclude<Kind, ListKind>, text: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'optional text':
      return text === NONE ? null : text;
    case 'code':
      return text.toUpperCase();
    case 'bank code':
      return bankCode(text);
    case 'optional bank code':
      return text === NONE ? null : bankCode(text);
    case 'optional address':
      return text === NONE ? null : webAddress(text);
    case 'switch':
      return switchOf(key, text);
    case 'rate':
      return rateOf(key, text);
    case 'number':
      return numberOf(key, text, 'Give a whole number.');
    case 'optional number':
      return text === NONE ? null : numberOf(key, text, 'Give a whole number, or none.');
  }
}

function numberOf(key: string, text: string, remedy: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw usageError(`${key} cannot be "${text}".`, remedy);
  return Number(text);
}

const SWITCHES: Record<string, boolean> = { yes: true, true: true, on: true, no: false, false: false, off: false };

function switchOf(key: string, text: string): boolean {
  const found = Object.hasOwn(SWITCHES, text.toLowerCase()) ? SWITCHES[text.toLowerCase()] : undefined;
  if (found === undefined) throw usageError(`${key} cannot be "${text}".`, 'Give yes or no.');
  return found;
}

/** Parses a rate: a fraction below 1 such as 0.19, or a percentage such as 19, 19% or 7.25%. */
function rateOf(key: string, text: string): string {
  if (/^0(?:\.\d{1,4})?$/.test(text)) return text;
  const { amount, problem } = readRate(text);
  if (amount === undefined)
    throw usageError(`${key} cannot be "${text}". ${problem}`, 'Give a rate such as 19% or 0.19.');
  return amount;
}

/** Parses a tax rate: COUNTRY[/STATE][:CLASS]=RATE */
function rateEntry(key: string, text: string): object {
  const [place, rate] = split(text);
  const [, country = '', state, tax_class] = /^([A-Za-z]{2})(?:\/([^:]+))?(?::(.+))?$/.exec(place) ?? [];
  if (!country || rate === undefined) {
    throw usageError(
      `"${text}" is not a tax rate.`,
      'Give COUNTRY=RATE, such as DE=19%, DE:reduced=7% or US/CA=7.25%.',
    );
  }
  const where = { country: country.toUpperCase(), ...(state && { state }), ...(tax_class && { class: tax_class }) };
  return { ...where, rate: rateOf(key, rate) };
}

/** Parses synonyms: TERM=WORD,WORD */
function synonymEntry(key: string, text: string): object {
  const [term, words] = split(text);
  const synonyms = (words ?? '').split(',').map((word) => word.trim());
  if (term && synonyms.every(Boolean)) return { term, synonyms };
  throw usageError(`"${text}" is not an entry of ${key}.`, 'Give TERM=WORD,WORD, such as sofa=couch,settee.');
}

/** Formats a value as it is typed on the command line. */
export function written(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (kind === 'switch') return value ? 'yes' : 'no';
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return NONE;
  return value
    .map((entry) => (typeof entry === 'string' ? entry : writtenEntry(entry as Record<string, unknown>)))
    .join(' ');
}

function writtenEntry({ country, state, class: tax_class, rate, term, synonyms }: Record<string, unknown>): string {
  if (Array.isArray(synonyms)) return `${term}=${synonyms.join(',')}`;
  return `${country}${state ? `/${state}` : ''}${tax_class ? `:${tax_class}` : ''}=${rate}`;
}
