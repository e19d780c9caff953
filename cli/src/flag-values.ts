/** The form of a contract field on the command line: the flag's name and the format of its value. */

import { InvalidArgumentError } from 'commander';
import * as options from './commands/options.ts';
import { isFound, namedBy } from './finders.ts';
import type { Kind, RequestField } from './request-fields.ts';

/** Published flags whose name differs from the field's. */
const NAMES: Partial<Record<string, string>> = {
  agent_token_id: 'agent',
  allowed_origins: 'origin',
  correlation_id: 'request',
  cost_per_item: 'cost',
  created_from: 'from',
  created_to: 'to',
  ends_at: 'ends',
  expected_quantity: 'expected',
  fulfillment_status: 'fulfillment',
  grace_hours: 'grace',
  has_account: 'account',
  inventory_policy: 'when-sold-out',
  inventory_quantity: 'stock',
  marketing_opt_in: 'newsletter',
  maximum_weight_grams: 'maximum-weight',
  minimum_weight_grams: 'minimum-weight',
  payment_method: 'method',
  payment_status: 'payment',
  postcode_prefixes: 'postcode',
  price_max: 'max-price',
  price_min: 'min-price',
  product_type: 'type',
  received_at: 'received',
  rules_match: 'match',
  starts_at: 'starts',
  tracking_number: 'tracking',
  updated_from: 'changed-from',
  updated_to: 'changed-to',
  // `--url` always means the server, so this field's flag has another name.
  url: 'image-url',
};

/** Name of a field's flag, without dashes. */
export function flagName({ name, isList }: RequestField): string {
  return NAMES[name] ?? singular(name, isList).replaceAll('_', '-');
}

/** `variant_ids` becomes --variant, which may be repeated; `customer_id` becomes --customer. */
function singular(name: string, isList: boolean): string {
  const one = isList
    ? name
        .replace(/_ids$/, '')
        .replace(/ies$/, 'y')
        .replace(/(?<=[sx])es$|s$/, '')
    : name;
  return one.replace(/_id$/, '');
}

const PLACEHOLDERS: Partial<Record<Kind, string>> = {
  amount: 'amount',
  decimal: 'number',
  integer: 'number',
  number: 'number',
  since: 'when',
  until: 'when',
  country: 'code',
  map: 'key=value',
};

/** Placeholders for fields whose name does not indicate the value. */
const NAMED: Partial<Record<string, string>> = {
  correlation_id: 'id',
  option1: 'value',
  option2: 'value',
  option3: 'value',
  q: 'text',
  sort: 'order',
  waiting_for: 'step',
};

/** Placeholder for the value in the help, as in `--price <amount>`. */
export function placeholder({ name, kind, isList }: RequestField): string {
  const [, unit] = /_(grams|hours)$/.exec(name) ?? [];
  if (unit) return unit;
  if (kind === 'id' && !isFound(name)) return 'id';
  return NAMED[name] ?? PLACEHOLDERS[kind] ?? singular(name, isList).split('_').at(-1) ?? name;
}

const NOTES: Partial<Record<Kind, string>> = {
  since: 'a day, or a date and time',
  until: 'a day, inclusive, or a date and time',
  map: 'as key=value',
};

/** Help text of a field's flag: the contract's description, and the format of the value. */
export function helpOf({ name, kind, isList, help, bounds, preset, required }: RequestField): string {
  const repeats = isList || kind === 'map' ? 'may be repeated' : undefined;
  const facts = [bounds, preset && `default: ${preset}`, required && 'required'].filter(Boolean);
  const words = help.replace('before this time', 'until this day, inclusive, or until this time');
  const note = words === help ? NOTES[kind] : undefined;
  const sentence = [words, namedBy(name), note, repeats].filter(Boolean).join('; ');
  return facts.length > 0 ? `${sentence} (${facts.join('; ')})` : sentence;
}

/** Means null, the empty list or the empty map. */
export const NONE = 'none';

/** Parses a flag's value, and adds it to earlier values of a repeated flag. */
export function flagValue(field: RequestField, text: string, earlier: unknown): unknown {
  // Commander has no null, so "none" is converted when the request is built.
  if (text === NONE && field.clears !== undefined) return NONE;
  const before = earlier === NONE ? undefined : earlier;
  if (field.kind === 'map') return { ...(before as object | undefined), ...pairOf(text) };
  const value = elementValue(field, text);
  return field.isList ? [...((before ?? []) as unknown[]), value] : value;
}

export function elementValue({ kind, name, words, isList }: RequestField, text: string): unknown {
  switch (kind) {
    case 'amount':
      return options.amount(text);
    case 'decimal':
      return options.decimal(text);
    case 'number':
      return Number(options.decimal(text));
    case 'integer':
      return options.wholeNumber(text);
    case 'since':
      return options.since(text);
    case 'until':
      return options.until(text);
    case 'country':
      return text.toUpperCase();
    case 'id':
      // The server validates ids in lists. Parameters with a finder accept names too.
      return isList || isFound(name) ? text : options.uuid(text);
    case 'words':
      if (words?.includes(text)) return text;
      throw new InvalidArgumentError(`Allowed choices are ${words?.join(', ')}.`);
    default:
      return text;
  }
}

function pairOf(text: string): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}
