import type { SettingsPatch, ValidationErrorItem } from '@commerce-backend/spec';
import { bodyMistake } from '../errors.ts';
import { safeUrl } from '../return-urls.ts';
import { contrastWithWhite, LEAST_CONTRAST } from './brand.ts';

/** Reports mistakes in public settings that the schema cannot detect. */
export function publicMistakes(patch: SettingsPatch, baseUrl: string): ValidationErrorItem[] {
  const { brand, legal, storefront_url, product_url_template, time_zone } = patch;
  const addresses: [(string | number)[], string | null | undefined][] = [
    [['brand', 'logo_url'], brand?.logo_url],
    [['legal', 'terms_url'], legal?.terms_url],
    [['legal', 'privacy_url'], legal?.privacy_url],
    [['legal', 'imprint_url'], legal?.imprint_url],
    [['legal', 'withdrawal_url'], legal?.withdrawal_url],
    [['storefront_url'], storefront_url],
  ];
  const mistakes = addresses
    .filter(([, address]) => address && !safeUrl(address, baseUrl))
    .map(([field]) => bodyMistake(field, 'value_error', 'Give an https address without user name and password.'));
  if (product_url_template && !isUrlTemplate(product_url_template, baseUrl)) {
    const message =
      'Give an https address that has {slug} or {id} once behind the host, such as https://shop.example/products/{slug}.';
    mistakes.push(bodyMistake(['product_url_template'], 'value_error', message));
  }
  if (time_zone !== undefined && !isTimeZone(time_zone)) {
    const message = 'Unknown time zone. Send an IANA name such as Europe/Berlin.';
    mistakes.push(bodyMistake(['time_zone'], 'value_error', message));
  }
  return brand?.accent_color ? [...mistakes, ...contrastMistakes(brand.accent_color)] : mistakes;
}

function isUrlTemplate(template: string, baseUrl: string): boolean {
  const [before = '', ...others] = template.split(/\{(?:slug|id)\}/);
  // A misspelt placeholder would appear in every product URL.
  if (/[{}<>"]/.test(before + others.join(''))) return false;
  return others.length === 1 && /^https?:\/\/[^/]+\//.test(before) && !!safeUrl(template.replace(/[{}]/g, ''), baseUrl);
}

function contrastMistakes(color: string): ValidationErrorItem[] {
  const contrast = contrastWithWhite(color);
  if (contrast >= LEAST_CONTRAST) return [];
  const told = (Math.floor(contrast * 100) / 100).toFixed(2);
  const message = `The contrast of ${color} against white is ${told}; at least ${LEAST_CONTRAST} is required for readability. Choose a darker colour.`;
  return [bodyMistake(['brand', 'accent_color'], 'value_error', message)];
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
