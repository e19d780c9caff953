/** The request fields that this server uses. Other fields of the published schemas are ignored. */

import { requestErrors } from '../http/contract/validator.ts';
import { ProtocolError } from './protocol.ts';

export interface LineWish {
  id?: string;
  item: { id: string };
  quantity: number;
}

export interface PostalAddress {
  first_name?: string;
  last_name?: string;
  street_address?: string;
  extended_address?: string;
  address_locality?: string;
  address_region?: string;
  address_country?: string;
  postal_code?: string;
  phone_number?: string;
}

export interface Buyer {
  email?: string;
  phone_number?: string;
  consent?: Record<string, { granted?: boolean }>;
}

export interface CartWish {
  line_items?: LineWish[];
  context?: { language?: string; postal_code?: string; address_country?: string };
  attribution?: Record<string, string>;
  discounts?: { codes?: string[] };
}

export interface CheckoutWish extends CartWish {
  cart_id?: string;
  buyer?: Buyer;
  fulfillment?: {
    methods?: {
      type?: string;
      destinations?: PostalAddress[];
      groups?: { selected_option_id?: string | null }[];
    }[];
  };
  /** Not in the published schemas: the URL to which the shop's page returns the buyer. */
  return_url?: string;
  cancel_url?: string;
}

interface Filters {
  categories?: string[];
  price?: { min?: number; max?: number };
  /** Not in the published schemas: the filters of the API, by name. */
  [name: string]: unknown;
}

export interface SearchWish {
  query?: string;
  context?: { currency?: string; intent?: string };
  filters?: Filters;
  pagination?: { cursor?: string; limit?: number };
}

export interface LookupWish {
  ids: string[];
  filters?: Filters;
}

export interface ProductWish {
  id: string;
  selected?: { name: string; label: string }[];
  preferences?: string[];
  filters?: Filters;
}

const text = (maxLength: number) => ({ type: 'string', maxLength });
const amount = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const list = (items: object, maxItems: number, minItems = 0) => ({ type: 'array', items, maxItems, minItems });

const line = object(
  {
    id: text(100),
    item: object({ id: { ...text(500), minLength: 1 } }, ['id']),
    quantity: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
  ['item', 'quantity'],
);
const address = object({
  first_name: text(255),
  last_name: text(255),
  street_address: text(255),
  extended_address: text(255),
  address_locality: text(255),
  address_region: text(255),
  address_country: text(255),
  postal_code: text(32),
  phone_number: text(64),
});
const texts = list(text(601), 50);
const flag = { type: 'boolean' };
/** Only the types of the API's filters are checked here. Their limits are checked where they are applied. */
const filters = object({
  ...{ categories: list(text(255), 20), price: object({ min: amount, max: amount }) },
  ...{ vendor: texts, product_type: texts, tag: texts, option: texts, attribute: texts, in_stock: flag, on_sale: flag },
  ...{ exclude_tag: texts, exclude_type: texts, exclude_attribute: texts, exclude_text: texts },
  ...{ collection: text(255), cheaper_than: text(100) },
});
const cart = {
  line_items: list(line, 100),
  context: object({ language: text(100), postal_code: text(100), address_country: text(100) }),
  attribution: { type: 'object', additionalProperties: text(2_048) },
  discounts: object({ codes: list(text(64), 20) }),
};
const checkout = {
  ...cart,
  cart_id: text(100),
  buyer: object({
    email: text(320),
    phone_number: text(64),
    consent: { type: 'object', additionalProperties: object({ granted: { type: 'boolean' } }) },
  }),
  fulfillment: object({
    methods: list(
      object({
        type: text(100),
        destinations: list(address, 20),
        groups: list(object({ selected_option_id: { type: ['string', 'null'], maxLength: 100 } }), 20),
      }),
      20,
    ),
  }),
  return_url: text(2_048),
  cancel_url: text(2_048),
};

const SCHEMAS = {
  search: object({
    query: text(2_000),
    context: object({ currency: text(100), intent: text(2_000) }),
    filters,
    pagination: object({ cursor: text(100), limit: { type: 'integer', minimum: 1 } }),
  }),
  lookup: object({ ids: list(text(500), 1_000, 1), filters }, ['ids']),
  product: object(
    {
      id: { ...text(500), minLength: 1 },
      selected: list(object({ name: text(255), label: text(255) }, ['name', 'label']), 20),
      preferences: list(text(255), 20),
      filters,
    },
    ['id'],
  ),
  cart: object(cart, ['line_items']),
  new_checkout: object(checkout),
  checkout: object(checkout, ['line_items']),
  nothing: object({}),
};

export type RequestName = keyof typeof SCHEMAS;

export function requestSchema(name: RequestName): object {
  return SCHEMAS[name];
}

/** Throws `invalid_request` with the path of the mistake. */
export function checkRequest(name: RequestName, body: unknown): void {
  const subject = { id: `ucp ${name}`, parameters: [], body: SCHEMAS[name] };
  const { body: errors } = requestErrors(subject, { query: {}, headers: {}, params: {}, body });
  const [first] = errors;
  if (!first) return;
  const place = first.instancePath
    .replace(/^\/body/, '')
    .replaceAll('/', '.')
    .replaceAll(/\.(\d+)/g, '[$1]');
  throw new ProtocolError(400, 'invalid_request', `$${place} ${first.message ?? 'is not as it must be'}.`);
}
