import { bankCode, webAddress, webOrigin } from '../../../../cli/src/formats/typed-text.ts';
import type { Schemas } from '../../api.ts';
import { trimmed } from '../../ui/form/changes.ts';

type Settings = Schemas['Settings'];

/** Normalizes pasted settings for the API, such as an IBAN with spaces or a URL with a space. */
export function cleaned(typed: Partial<Settings>): Partial<Settings> {
  const {
    bank_details,
    brand,
    legal,
    storefront_url,
    product_url_template,
    allowed_origins,
    tax_rates,
    invoicing,
    ...rest
  } = trimmed(typed);
  return {
    ...rest,
    ...(bank_details !== undefined && { bank_details: bank_details && cleanedBank(bank_details) }),
    ...(brand && {
      brand: { ...brand, logo_url: addressOrNull(brand.logo_url), accent_color: colour(brand.accent_color) },
    }),
    ...(legal && { legal: cleanedLegal(legal) }),
    ...(invoicing && {
      invoicing: {
        ...invoicing,
        country: invoicing.country || null,
        vat_id: invoicing.vat_id && bankCode(invoicing.vat_id),
      },
    }),
    ...(storefront_url !== undefined && { storefront_url: addressOrNull(storefront_url) }),
    ...(product_url_template !== undefined && { product_url_template: product_url_template || null }),
    ...(allowed_origins && { allowed_origins: allowed_origins.map(webOrigin) }),
    ...(tax_rates && {
      tax_rates: tax_rates.map(({ country, rate, state, class: name }) => ({
        ...{ country, rate, ...(state && { state }), ...(name && { class: name.toLowerCase() }) },
      })),
    }),
  };
}

/** Returns the bank details. If IBAN and account holder are empty, returns null, which disables bank transfer. */
function cleanedBank({ iban, bic, ...rest }: NonNullable<Settings['bank_details']>) {
  if (iban === '' && rest.account_holder === '') return null;
  return { ...rest, iban: bankCode(iban), ...(bic !== undefined && { bic: bic && bankCode(bic) }) };
}

function cleanedLegal({ terms_required, ...addresses }: Settings['legal']): Settings['legal'] {
  const entries = Object.entries(addresses).map(([field, address]) => [field, addressOrNull(address)]);
  return { terms_required, ...(Object.fromEntries(entries) as typeof addresses) };
}

function addressOrNull(address: string | null): string | null {
  return address && webAddress(address);
}

/** Accepts a colour without `#`. */
function colour(typed: string | null): string | null {
  return typed && /^[0-9a-f]{6}$/i.test(typed) ? `#${typed}` : typed;
}
