import { crc32 } from 'node:zlib';

/** The tones of one picture: the product's colour, a lighter and two darker ones. */
export interface Tones {
  light: string;
  main: string;
  dark: string;
  deep: string;
}

/** A drawing of a product on a canvas of 400 × 400, standing on a table or hanging on a wall. */
export interface Drawing {
  setting: 'table' | 'wall';
  parts: (tones: Tones) => string[];
}

export const WOOD = '#C99F6B';
export const DARK_WOOD = '#A57B4C';
export const BRASS = '#C9A24B';
export const STEEL = '#C3C9CC';
export const DARK_STEEL = '#949DA2';
export const INK = '#3B3F42';
export const CREAM = '#F8F2E6';
export const LEAF = '#76936A';
export const DARK_LEAF = '#557350';

/** A filled outline. */
export function shape(d: string, fill: string): string {
  return `<path d="${d}" fill="${fill}"/>`;
}

/** A drawn line with round ends. */
export function stroke(d: string, colour: string, width: number): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

/** A rectangle with corners of the given radius. */
export function box(x: number, y: number, width: number, height: number, radius: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`;
}

/** An ellipse; a circle when only one radius is given. */
export function oval(cx: number, cy: number, rx: number, fill: string, ry = rx): string {
  return `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${fill}"/>`;
}

/** A filled outline with parts painted on it that never show outside of it: shade, stripes, pockets. */
export function solid(d: string, fill: string, ...inside: string[]): string {
  const id = `c${crc32(d).toString(36)}`;
  return `<clipPath id="${id}"><path d="${d}"/></clipPath>${shape(d, fill)}<g clip-path="url(#${id})">${inside.join('')}</g>`;
}

/** The parts turned by degrees about a point. */
export function turned(degrees: number, cx: number, cy: number, ...parts: string[]): string {
  return `<g transform="rotate(${degrees} ${cx} ${cy})">${parts.join('')}</g>`;
}

/** The parts seen through: 0 is invisible, 1 is solid. */
export function faint(opacity: number, ...parts: string[]): string {
  return `<g opacity="${opacity}">${parts.join('')}</g>`;
}

/** The soft shadow of something standing on the table. */
export function shadow(cx: number, halfWidth: number, y = 318): string {
  return faint(0.16, oval(cx, y, halfWidth, INK, 11));
}

/** A colour between two, both `#rrggbb`: share 0 is the first, 1 the second. */
export function mix(from: string, to: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const start = Number.parseInt(from.slice(at, at + 2), 16);
    const end = Number.parseInt(to.slice(at, at + 2), 16);
    return Math.round(start + (end - start) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

/** The tones that go with a product's colour. */
export function tonesOf(colour: string): Tones {
  return {
    light: mix(colour, '#fffaf0', 0.38),
    main: colour,
    dark: mix(colour, '#33261c', 0.17),
    deep: mix(colour, '#2a211b', 0.4),
  };
}
