import {
  box,
  CREAM,
  DARK_WOOD,
  type Drawing,
  faint,
  INK,
  LEAF,
  oval,
  shadow,
  shape,
  solid,
  stroke,
  turned,
  WOOD,
} from './pen.ts';

export const blanket: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 124),
    ...[0, 1, 2].map((fold) =>
      solid(
        `M98 ${256 - fold * 56}h200c34 0 34 60 0 60H98c-18 0-18-60 0-60z`,
        main,
        box(250, 140 - fold * 20, 12, 200, 0, light),
        box(270, 140 - fold * 20, 24, 200, 0, CREAM),
        box(60, 304 - fold * 56, 280, 20, 0, dark),
        stroke(`M86 ${286 - fold * 56}h150`, deep, 1.5),
      ),
    ),
    ...[104, 120, 136, 152, 168, 184, 200, 216].map((x) => stroke(`M${x} 204v${26 + (x % 3) * 4}`, light, 5)),
  ],
};

export const cushion: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 118),
    solid(
      'M92 112c50 14 166 14 216 0 14 0 18 8 14 20-14 46-14 110 2 164 4 14-4 22-18 20-50-10-162-10-212 0-14 2-22-6-18-20 16-54 16-118 2-164-4-12 0-20 14-20z',
      main,
      shape('M330 90v250H110c100-30 190-110 220-250z', dark),
      ...[116, 140, 164].map((x) => box(x, 90, x === 140 ? 12 : 5, 250, 0, light)),
    ),
    stroke('M92 114c50 14 166 14 216 0', deep, 3),
    oval(232, 214, 8, deep),
  ],
};

export const loungeChair: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(205, 126),
    stroke('M110 236l-20 80M292 240l22 76', DARK_WOOD, 12),
    stroke('M128 120l44 124h130', DARK_WOOD, 10),
    solid(
      'M112 74c26-12 46-6 54 18l44 132c4 14-2 22-16 26-16 4-28 0-34-16L98 104c-4-14 0-24 14-30z',
      main,
      shape('M150 70l60 180h40V70z', dark),
    ),
    solid(
      'M158 218h140c20 0 28 8 28 24s-10 24-28 24H174c-18 0-26-8-26-24s2-24 10-24z',
      main,
      box(140, 246, 200, 30, 0, dark),
      box(180, 222, 110, 8, 4, light),
    ),
    stroke('M136 186h136c16 0 26 6 28 16', WOOD, 13),
    stroke('M286 198l6 50', WOOD, 11),
  ],
};

export const stool: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 96),
    stroke('M200 188v110', dark, 14),
    stroke('M152 184l-34 128M248 184l34 128', main, 16),
    stroke('M138 258h126', dark, 10),
    oval(200, 180, 104, dark, 26),
    oval(200, 170, 104, main, 26),
    faint(0.6, oval(188, 166, 74, light, 14)),
    faint(0.5, oval(188, 166, 52, main, 9)),
  ],
};

export const ladderShelf: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 108),
    stroke('M140 70l-34 244M260 70l34 244', dark, 11),
    ...[118, 184, 250].map((y, index) => box(116 - index * 10, y, 168 + index * 20, 13, 4, main)),
    ...[118, 184, 250].map((y, index) => box(116 - index * 10, y + 9, 168 + index * 20, 5, 2, light)),
    box(150, 76, 14, 42, 2, '#B25B3B'),
    box(166, 70, 16, 48, 2, '#4F7384'),
    box(184, 82, 12, 36, 2, CREAM),
    shape('M216 152h42l-6 32h-30z', '#C4744F'),
    shape('M236 152c-26-6-24-30-20-36 14 8 20 20 20 36zm2 0c22-8 24-26 20-34-14 8-20 20-20 34z', LEAF),
    oval(150, 230, 22, '#DDD0B8', 20),
    box(206, 222, 62, 10, 2, '#6F8FB8'),
    box(212, 232, 54, 9, 2, CREAM),
    box(204, 241, 64, 9, 2, '#CF9A3B'),
    stroke('M104 312h192', dark, 7),
  ],
};

export const basket: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    stroke('M122 190c-36-60 20-76 26-10M278 190c36-60-20-76-26-10', dark, 11),
    shadow(200, 104),
    solid(
      'M150 186c-20-50 80-80 122 0z',
      CREAM,
      box(214, 120, 12, 80, 0, '#8FAFB5'),
      box(234, 120, 5, 80, 0, '#8FAFB5'),
    ),
    solid(
      'M98 182h204l-16 116a24 24 0 0 1-24 20H138a24 24 0 0 1-24-20z',
      main,
      ...[196, 220, 244, 268, 292].flatMap((y, row) =>
        [88, 124, 160, 196, 232, 268, 304].map((x) => oval(x + (row % 2) * 18, y, 17, row % 2 ? light : dark, 8)),
      ),
      faint(0.18, shape('M250 170h70v160h-90c20-50 24-100 20-160z', deep)),
    ),
    box(92, 172, 216, 18, 9, dark),
  ],
};

export const bedding: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 148),
    box(56, 112, 288, 150, 18, DARK_WOOD),
    box(64, 288, 16, 30, 3, DARK_WOOD),
    box(320, 288, 16, 30, 3, DARK_WOOD),
    box(58, 234, 284, 58, 8, WOOD),
    solid('M84 158h104c10 0 14 6 12 16l-8 50H82l-10-50c-2-10 2-16 12-16z', CREAM, box(70, 206, 140, 30, 0, '#E6DCC8')),
    solid(
      'M212 158h104c10 0 14 6 12 16l-10 50H208l-8-50c-2-10 2-16 12-16z',
      CREAM,
      box(190, 206, 140, 30, 0, '#E6DCC8'),
    ),
    solid(
      'M54 214c80-18 212-18 292 0l8 66c-8 14-300 14-308 0z',
      main,
      box(30, 196, 340, 36, 0, light),
      shape('M280 232c20 20 34 40 30 70h60v-70z', dark),
      stroke('M120 240c10 20 4 34 10 48M210 240c-8 18 0 30-4 48', dark, 4),
    ),
  ],
};

export const rug: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    ...Array.from({ length: 15 }, (_, index) =>
      stroke(`M${98 + index * 14.6} 70v-18M${98 + index * 14.6} 330v18`, light, 4),
    ),
    solid(
      'M90 66h220v268H90z',
      main,
      box(90, 92, 220, 14, 0, CREAM),
      box(90, 294, 220, 14, 0, CREAM),
      box(90, 114, 220, 5, 0, deep),
      box(90, 281, 220, 5, 0, deep),
      ...[127, 200, 273].flatMap((x) => [
        shape(`M${x} 140l34 60-34 60-34-60z`, dark),
        shape(`M${x} 166l18 34-18 34-18-34z`, CREAM),
      ]),
    ),
  ],
};

export const mirror: Drawing = {
  setting: 'wall',
  parts: ({ main, dark }) => [
    faint(0.13, shape('M112 346V196a94 94 0 0 1 188 0v150z', INK)),
    shape('M104 338V184a96 96 0 0 1 192 0v154z', main),
    shape('M280 338V184a80 80 0 0 0-30-62 96 96 0 0 1 46 62v154z', dark),
    solid(
      'M118 324V186a82 82 0 0 1 164 0v138z',
      '#D6E3E6',
      turned(28, 200, 200, box(120, 40, 34, 360, 0, '#EAF2F3'), box(168, 40, 14, 360, 0, '#EAF2F3')),
    ),
    stroke('M246 324c0-40 6-70 20-96M250 276c-16-2-26-12-28-24 16 0 26 10 28 24', '#9DB59A', 5),
  ],
};
