import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brandStyle } from '../../shop/merchant/brand.ts';

const css = readFileSync(new URL('./style.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, rules]) => rules);

const GROUNDS = ['paper', 'ground', 'wrong-ground', 'note-ground', 'good-ground', 'chosen', 'fill'];

/** Colours of text, and the grounds below it. */
const TEXTS: Record<string, string[]> = {
  ink: GROUNDS,
  quiet: ['paper', 'ground', 'chosen'],
  strong: GROUNDS,
  'strong-dark': GROUNDS,
  wrong: ['paper', 'ground', 'wrong-ground'],
  'note-ink': ['paper', 'ground', 'note-ground'],
  good: ['paper', 'ground', 'good-ground'],
};
/** Grounds of buttons, whose text has the colour of the paper. */
const BUTTONS = ['strong', 'strong-dark', 'wrong'];

const colorsOf = (rules: string) =>
  Object.fromEntries(
    [...rules.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name = '', color = '']) => [name, color]),
  );

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function unreadable(colors: Record<string, string>): string[] {
  const pairs = [
    ...Object.entries(TEXTS).flatMap(([text, grounds]) => grounds.map((ground) => [text, ground])),
    ...BUTTONS.map((button) => ['paper', button]),
  ];
  return pairs.flatMap(([text = '', ground = '']) => {
    const found = contrast(colors[text], colors[ground]);
    return found >= 4.5 ? [] : [`${text} on ${ground}: ${found.toFixed(2)}`];
  });
}

test('texts and buttons have a contrast of at least 4.5 in light and in dark colours', () => {
  expect(Object.keys(colorsOf(dark))).toEqual(Object.keys(colorsOf(light)));
  expect([unreadable(colorsOf(light)), unreadable(colorsOf(dark))]).toEqual([[], []]);
});

test('accent colours that a shop may choose are readable in dark colours', () => {
  const steps = ['00', '33', '66', '99', 'cc', 'ff'];
  const all = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)));
  const allowed = all.filter((color) => contrast('#ffffff', color) >= 4.5);
  expect(allowed.length).toBeGreaterThan(50);
  for (const accent_color of [...allowed, '#767676']) {
    const [own = '', ownInDark = ''] =
      brandStyle({ accent_color })?.css.split('@media screen and (prefers-color-scheme:dark)') ?? [];
    expect(colorsOf(own).strong).toBe(accent_color);
    expect([accent_color, unreadable({ ...colorsOf(dark), ...colorsOf(ownInDark) })]).toEqual([accent_color, []]);
  }
});
