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

const WHITE: Channels = [255, 255, 255];

/** The lightest ground of dark pages: `--fill` in pages/parts/style.css. */
const LIGHTEST_DARK_GROUND = '#2b323a';

type Channels = [red: number, green: number, blue: number];

/** Contrast of a colour with white by WCAG 2, from 1 to 21. */
export function contrastWithWhite(color: string): number {
  return contrast(WHITE, channelsOf(color));
}

function contrast(light: Channels, dark: Channels): number {
  return (luminance(light) + 0.05) / (luminance(dark) + 0.05);
}

function luminance(channels: Channels): number {
  const [red, green, blue] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): Channels {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as Channels;
}

function mixed(from: Channels, to: Channels, share: number): Channels {
  return from.map((channel, n) => Math.round(channel + ((to[n] ?? 0) - channel) * share)) as Channels;
}

function hex(channels: Channels): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** The accent colour, mixed with as much white as text on dark pages needs. Buttons have dark text on it. */
function lightened(color: Channels): Channels {
  const ground = channelsOf(LIGHTEST_DARK_GROUND);
  let percent = 0;
  while (contrast(mixed(color, WHITE, percent / 100), ground) < LEAST_CONTRAST) percent += 1;
  return mixed(color, WHITE, percent / 100);
}

/** Returns the style sheet of a brand, and a version for its file name; undefined for default colours. */
export function brandStyle({ accent_color }: Pick<WholeBrand, 'accent_color'>) {
  if (!accent_color) return undefined;
  const strong = channelsOf(accent_color);
  const light = lightened(strong);
  const rule = (color: Channels, hovered: Channels) => `:root{--strong:${hex(color)};--strong-dark:${hex(hovered)}}`;
  const dark = `@media screen and (prefers-color-scheme:dark){${rule(light, mixed(light, WHITE, 0.3))}}`;
  const css = `${rule(strong, mixed(strong, [0, 0, 0], 0.3))}\n${dark}\n`;
  const hash = createHash('sha256').update(css).digest('hex').slice(0, 8);
  return { css, version: `${accent_color.slice(1).toLowerCase()}-${hash}` };
}

/** Returns the style sheet for a version, or undefined for an invalid version. The version contains the colour. */
export function styleOfVersion(version: string): string | undefined {
  const accent_color = `#${version.slice(0, 6)}`;
  if (!/^#[0-9a-f]{6}$/.test(accent_color) || contrastWithWhite(accent_color) < LEAST_CONTRAST) return undefined;
  const style = brandStyle({ accent_color });
  return style?.version === version ? style.css : undefined;
}
