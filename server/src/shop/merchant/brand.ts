import { createHash } from 'node:crypto';
import type { Brand, LegalLinks } from '@commerce-backend/spec';

/** A brand with all fields. A field that is not set is null. */
export type WholeBrand = Brand;
export type WholeLegal = LegalLinks;

export const NO_BRAND: WholeBrand = { logo_url: null, accent_color: null, support_email: null, support_phone: null };
export const NO_LEGAL: WholeLegal = {
  terms_url: null,
  privacy_url: null,
  imprint_url: null,
  withdrawal_url: null,
  terms_required: false,
};

export const LEAST_CONTRAST = 4.5;

/** Contrast of a colour with white by WCAG 2, from 1 to 21. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

/** Returns the style sheet of a brand, and a version for its file name; undefined for default colours. */
export function brandStyle({ accent_color }: Pick<WholeBrand, 'accent_color'>) {
  if (!accent_color) return undefined;
  const strong = accent_color.toLowerCase();
  const dark = `#${channelsOf(strong)
    .map((channel) =>
      Math.round(channel * 0.7)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
  const css = `:root{--strong:${strong};--strong-dark:${dark}}\n`;
  const hash = createHash('sha256').update(css).digest('hex').slice(0, 8);
  return { css, version: `${strong.slice(1)}-${hash}` };
}

/** Returns the style sheet for a version, or undefined for an invalid version. The version contains the colour. */
export function styleOfVersion(version: string): string | undefined {
  const accent_color = `#${version.slice(0, 6)}`;
  if (!/^#[0-9a-f]{6}$/.test(accent_color) || contrastWithWhite(accent_color) < LEAST_CONTRAST) return undefined;
  const style = brandStyle({ accent_color });
  return style?.version === version ? style.css : undefined;
}
