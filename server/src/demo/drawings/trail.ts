import {
  BRASS,
  box,
  CREAM,
  DARK_STEEL,
  DARK_WOOD,
  type Drawing,
  faint,
  INK,
  oval,
  STEEL,
  shadow,
  shape,
  solid,
  stroke,
  turned,
  WOOD,
} from './pen.ts';

export const backpack: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    stroke('M174 92c0-40 52-40 52 0', deep, 10),
    shadow(200, 104),
    stroke('M118 180c-30 30-30 80-14 112M282 180c30 30 30 80 14 112', deep, 15),
    solid(
      'M200 78c60 0 90 40 90 104v106a30 30 0 0 1-30 30H140a30 30 0 0 1-30-30V182c0-64 30-104 90-104z',
      main,
      box(250, 60, 60, 280, 0, dark),
    ),
    solid(
      'M108 178c0-66 34-106 92-106s92 40 92 106c0 14-184 14-184 0z',
      light,
      shape('M240 60c20 30 26 80 24 140h50V60z', main),
    ),
    box(136, 216, 128, 84, 16, dark),
    box(136, 216, 128, 26, 12, deep),
    ...[160, 226].flatMap((x) => [box(x, 160, 14, 70, 3, '#9C6840'), box(x - 3, 216, 20, 14, 3, BRASS)]),
  ],
};

export const tent: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    faint(0.3, shape('M0 292l70-70 50 44 66-92 80 90 40-36 94 70z', '#8FA08C')),
    shadow(200, 172),
    stroke('M200 112l-8-16M200 112l10-16', DARK_WOOD, 7),
    stroke('M86 288l-46 28M314 288l46 28', INK, 3),
    shape('M200 110l140 206H60z', main),
    shape('M200 110l140 206h-80z', dark),
    shape('M200 110l18 0 122 206h-30z', light),
    shape('M200 148l58 168H142z', deep),
    shape('M200 148l-58 168h36c20-40 26-100 22-168z', light),
    shape('M200 148l58 168h-26c-22-40-32-100-32-168z', CREAM),
  ],
};

export const bottle: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light, deep }) => [
    shadow(200, 64),
    stroke('M178 62c0-30 44-30 44 0', INK, 8),
    box(168, 60, 64, 44, 8, INK),
    box(174, 100, 52, 22, 0, STEEL),
    solid(
      'M170 116h60c2 26 28 30 28 62v118a22 22 0 0 1-22 22h-72a22 22 0 0 1-22-22V178c0-32 26-36 28-62z',
      main,
      box(222, 100, 50, 230, 0, dark),
      box(156, 150, 9, 150, 4, light),
      box(130, 296, 140, 40, 0, deep),
    ),
    stroke('M180 240l18-30 12 18 8-10 14 22z', CREAM, 4),
  ],
};

export const enamelMug: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 92),
    stroke('M276 190c56 0 56 84-2 84', main, 13),
    solid(
      'M122 152h156l-8 150a16 16 0 0 1-16 16H146a16 16 0 0 1-16-16z',
      main,
      shape('M234 140h60v190h-66z', dark),
      shape('M138 150h12l6 160h-12z', light),
    ),
    oval(200, 152, 80, deep, 15),
    oval(200, 155, 70, CREAM, 10),
    stroke('M150 270l34-54 22 30 14-18 32 42z', CREAM, 5),
    oval(228, 208, 9, CREAM),
  ],
};

export const pocketKnife: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep }) => [
    turned(
      -24,
      200,
      210,
      solid('M196 206L62 190c-20-2-34-22-36-42l174 22z', STEEL, shape('M26 148l180 24v14L40 164z', '#E4E8EA')),
      solid(
        'M186 170h150c30 0 44 18 40 40-2 20-18 26-40 24l-150-12c-32-6-32-50 0-52z',
        main,
        shape('M160 204h230v40H160z', dark),
      ),
      oval(190, 196, 12, BRASS),
      oval(340, 204, 7, BRASS),
      stroke('M232 190h72', deep, 4),
      stroke('M352 206c30 10 36 40 16 60', WOOD, 6),
    ),
  ],
};

export const headlamp: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 104),
    '<g transform="translate(20 0)">',
    stroke('M80 220c0-90 190-90 200 0', deep, 20),
    stroke('M80 220c10 100 190 100 200 0', main, 24),
    stroke('M84 232c14 84 178 84 192 0', light, 4),
    solid(
      'M128 206h104a18 18 0 0 1 18 18v54a18 18 0 0 1-18 18H128a18 18 0 0 1-18-18v-54a18 18 0 0 1 18-18z',
      INK,
      box(214, 190, 50, 120, 0, '#2C3033'),
    ),
    oval(180, 250, 36, STEEL),
    oval(180, 250, 28, '#FFF3CC'),
    oval(172, 242, 9, '#FFFFFF'),
    box(156, 198, 48, 12, 5, dark),
    '</g>',
  ],
};

export const hammock: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 100),
    box(36, 40, 30, 276, 6, DARK_WOOD),
    box(334, 40, 30, 276, 6, '#80583A'),
    stroke('M66 96l34 44M66 96l22 60M334 96l-34 44M334 96l-22 60', INK, 4),
    shape('M84 150c10-16 28-14 40 0 36 34 116 34 152 0 12-14 30-16 40 0 0 30-40 90-116 90S84 180 84 150z', deep),
    solid(
      'M84 148c32 62 70 82 116 82s84-20 116-82c10 56-36 126-116 126S74 204 84 148z',
      main,
      ...[-60, 0, 60].map((shift) =>
        stroke(`M${200 + shift * 1.5} 180q${-shift * 0.3} 60 ${-shift * 0.7} 110`, shift === 0 ? light : dark, 15),
      ),
    ),
    stroke('M84 148c32 62 70 82 116 82s84-20 116-82', light, 4),
    turned(32, 140, 190, oval(140, 190, 30, CREAM, 14)),
  ],
};

export const sleepingBag: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    turned(
      18,
      200,
      200,
      faint(0.13, shape('M206 44c60 0 84 50 76 110l-30 190c-4 20-84 20-88 0l-34-190c-8-60 16-110 76-110z', INK)),
      solid(
        'M200 34c60 0 84 50 76 110l-30 196c-4 20-88 20-92 0l-30-196c-8-60 16-110 76-110z',
        main,
        box(226, 20, 80, 360, 0, dark),
        ...[170, 206, 242, 278, 314].map((y) => stroke(`M110 ${y}q90 22 180 0`, deep, 3)),
        box(130, 60, 10, 280, 5, light),
      ),
      oval(200, 96, 46, deep, 40),
      solid('M160 112c0-34 80-34 80 0 0 24-80 24-80 0z', CREAM, box(210, 80, 40, 60, 0, '#E6DCC8')),
      stroke('M244 136l-16 190', BRASS, 4),
    ),
  ],
};

export const stove: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 84),
    solid(
      'M140 246h120a10 10 0 0 1 10 10v44a18 18 0 0 1-18 18H148a18 18 0 0 1-18-18v-44a10 10 0 0 1 10-10z',
      main,
      box(228, 240, 60, 90, 0, dark),
      box(120, 276, 160, 12, 0, CREAM),
    ),
    shape('M144 246c4-18 108-18 112 0z', deep),
    box(190, 196, 20, 38, 3, DARK_STEEL),
    stroke('M200 204h46', DARK_STEEL, 7),
    stroke('M200 206l-52-26v-14M200 206l52-26v-14M200 200v-34', INK, 7),
    shape('M168 184c4-10 10-14 8-24 14 10 14 18 24 6 10 12 14 4 24-6-2 10 4 14 8 24z', '#6FA3C8'),
    stroke('M272 118h64', DARK_WOOD, 11),
    solid(
      'M124 78h152v70a14 14 0 0 1-14 14H138a14 14 0 0 1-14-14z',
      STEEL,
      box(230, 70, 60, 100, 0, DARK_STEEL),
      box(138, 86, 10, 66, 5, light),
    ),
    box(116, 70, 168, 13, 6, DARK_STEEL),
  ],
};

export const dryBag: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 76),
    stroke('M150 112c0-74 100-74 100 0', deep, 9),
    solid(
      'M142 118h116c6 30 18 60 18 100v76c0 16-34 26-76 26s-76-10-76-26v-76c0-40 12-70 18-100z',
      main,
      box(232, 110, 60, 220, 0, dark),
      shape('M156 130h12l-10 180h-16z', light),
    ),
    box(132, 96, 136, 30, 10, deep),
    box(138, 104, 124, 6, 3, main),
    box(186, 92, 28, 40, 5, INK),
    stroke('M168 236q16-16 32 0t32 0M168 260q16-16 32 0t32 0', CREAM, 5),
  ],
};

export const poles: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) =>
    [-1, 1].map((side) =>
      turned(
        side * 21,
        200,
        210,
        box(196, 110, 8, 150, 2, main),
        box(197, 250, 6, 100, 2, STEEL),
        shape('M198 346h4l-2 24z', INK),
        oval(200, 336, 21, INK, 6),
        box(192, 250, 16, 18, 4, dark),
        solid('M188 46h24a8 8 0 0 1 8 8l-6 68h-28l-6-68a8 8 0 0 1 8-8z', WOOD, box(202, 40, 30, 90, 0, DARK_WOOD)),
        stroke('M214 62c28 10 26 46 0 50', light, 6),
      ),
    ),
};
