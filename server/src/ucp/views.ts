/** Products, lines and totals in UCP's format. Texts of merchants are sanitized, shortened and marked. */

import type { Cart, CartItem, CartWarning, Product, ShippingChoice, Variant } from '@commerce-backend/spec';
import { cents, less, type UcpTotal } from '../shop/agents/ucp-orders.ts';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../shop/merchant-text.ts';
import type { Message } from './protocol.ts';

export function said(words: string | null | undefined, cap: number = CAPS.name): string {
  return sanitizeMerchantText(words, cap) ?? '';
}

export function productOf(product: Product) {
  const { id, slug, currency, product_type, tags, images } = product;
  const variants = product.variants.map((variant) => variantOf(product, variant));
  const amounts = variants.map(({ price }) => price.amount);
  const price = (amount: number) => ({ amount, currency });
  return {
    ...{ id, handle: slug, title: said(product.name) },
    description: { plain: said(product.description, CAPS.description) },
    ...(product_type && { categories: [{ value: said(product_type), taxonomy: 'merchant' }] }),
    price_range: { min: price(Math.min(...amounts)), max: price(Math.max(...amounts)) },
    media: images.filter(({ url }) => URL.canParse(url)).map(({ url, alt }) => mediaOf(url, alt)),
    options: optionsOf(product),
    variants,
    tags: tags.map((tag) => said(tag)),
    metadata: { content_trust: CONTENT_TRUST },
  };
}

function optionsOf({ options }: Product) {
  const named = options.map(({ name, values }) => ({
    name: said(name),
    values: values.map((label) => ({ label: said(label) })),
  }));
  return named.filter(({ values }) => values.length > 0);
}

function mediaOf(url: string, alt: string | null) {
  return { type: 'image', url, ...(alt && { alt_text: said(alt) }) };
}

export function variantOf(product: Product, variant: Variant) {
  const { currency, track_inventory } = product;
  const options = selectedOptions(product, variant);
  const title = options.map(({ label }) => label).join(' / ') || said(product.name);
  const status = variant.available
    ? track_inventory && variant.is_out_of_stock
      ? 'backorder'
      : 'in_stock'
    : 'out_of_stock';
  const { compare_at_price, image_url } = variant;
  return {
    ...{ id: variant.id, ...(variant.sku && { sku: said(variant.sku) }), title, description: { plain: title } },
    price: { amount: cents(variant.price, currency), currency },
    ...(compare_at_price && { list_price: { amount: cents(compare_at_price, currency), currency } }),
    availability: { available: variant.available, status },
    options,
    ...(image_url && URL.canParse(image_url) && { media: [mediaOf(image_url, null)] }),
  };
}

/** Lists the value of each option, in the order of the product's options. */
export function selectedOptions({ options }: Product, { option1, option2, option3 }: Variant) {
  const values = [option1, option2, option3];
  return options.flatMap(({ name }, place) => {
    const label = values[place];
    return label ? [{ name: said(name), label: said(label) }] : [];
  });
}

export function lineOf(item: CartItem, currency: string, off: number) {
  const { id, variant_id, quantity, image_url } = item;
  const subtotal = cents(item.total, currency);
  const name = [said(item.name), said(item.variant_name)].filter(Boolean).join(', ');
  return {
    id,
    item: {
      ...{ id: variant_id ?? id, title: name, price: cents(item.price, currency), content_trust: CONTENT_TRUST },
      ...(image_url && URL.canParse(image_url) && { image_url }),
    },
    quantity,
    totals: [
      { type: 'subtotal', amount: subtotal },
      ...less('items_discount', off),
      { type: 'total', amount: subtotal - off },
    ],
  };
}

export function cartTotals({ subtotal, discount, total, currency }: Cart): UcpTotal[] {
  return [
    { type: 'subtotal', amount: cents(subtotal, currency), display_text: 'Subtotal' },
    ...less('discount', cents(discount, currency), 'Discount'),
    { type: 'total', amount: cents(total, currency), display_text: 'Estimated total' },
  ];
}

export function optionOf(option: ShippingChoice, currency: string) {
  const { id, name, description, cash_on_delivery_fee: fee } = option;
  const words = [description && said(description, CAPS.value), fee !== null && onDelivery(fee, currency)];
  const plain = words.filter(Boolean).join(' ');
  return {
    ...{ id, title: said(name), content_trust: CONTENT_TRUST },
    ...(plain && { description: { plain } }),
    totals: [{ type: 'total', amount: cents(option.price, currency) }],
  };
}

/** UCP has no field for the surcharge, and the total of an option does not contain it. */
function onDelivery(fee: string, currency: string): string {
  return `Payment on delivery costs ${fee} ${currency} more.`;
}

/** A warning in fixed words, because the cart's own warnings contain product names. */
export function messageOfWarning(warning: CartWarning, items: CartItem[]): Message {
  const { code, line_item_id, available } = warning;
  const at = items.findIndex(({ id }) => id === line_item_id);
  const path = at < 0 ? {} : { path: `$.line_items[${at}]` };
  if (code === 'out_of_stock') {
    const content = `There is not enough of this item: ${available ?? 0} can be bought.`;
    return { type: 'error', code, content, severity: 'recoverable', ...path };
  }
  if (code === 'unavailable') {
    const content = 'This item is no longer for sale.';
    return { type: 'error', code: 'item_unavailable', content, severity: 'recoverable', ...path };
  }
  if (code === 'address_undeliverable') {
    const { countries = [] } = warning;
    const where = countries.length === 0 || countries.length > 30 ? '' : ` It delivers to ${countries.join(', ')}.`;
    const content = `The shop does not deliver this to the address.${where}`;
    return { type: 'error', code, content, severity: 'recoverable', path: '$.fulfillment' };
  }
  if (code === 'price_changed') {
    return { type: 'warning', code, content: 'The price of this item has changed since it was added.', ...path };
  }
  if (code === 'discount_not_applied') {
    const content = 'The code takes nothing off: its conditions do not hold any more.';
    return { type: 'warning', code: 'discount_code_user_ineligible', content, path: '$.discounts.codes[0]' };
  }
  return { type: 'info', code, content: `Only ${available ?? 'a few'} of this item in stock.`, ...path };
}
