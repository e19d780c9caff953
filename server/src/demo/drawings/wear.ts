import {
  BRASS,
  box,
  CREAM,
  DARK_WOOD,
  type Drawing,
  faint,
  INK,
  oval,
  shadow,
  shape,
  solid,
  stroke,
  turned,
  WOOD,
} from './pen.ts';

export const jacket: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    stroke('M200 62c0-30 26-26 22-8', INK, 5),
    solid('M132 108c-34 8-46 24-52 60L58 300c-2 12 40 22 44 8l32-130z', dark, box(50, 276, 80, 14, 0, deep)),
    solid('M268 108c34 8 46 24 52 60l22 132c2 12-40 22-44 8l-32-130z', dark, box(270, 276, 80, 14, 0, deep)),
    solid(
      'M150 96h100l34 20v212a14 14 0 0 1-14 14H130a14 14 0 0 1-14-14V116z',
      main,
      box(204, 90, 100, 270, 0, dark),
      box(196, 90, 14, 270, 0, light),
    ),
    shape('M148 100c-2-52 104-52 104 0-16 22-88 22-104 0z', deep),
    shape('M158 98c4-34 80-34 84 0-16 14-68 14-84 0z', light),
    ...[140, 190, 240, 290].map((y) => oval(203, y, 5, BRASS)),
    box(132, 244, 48, 54, 6, dark),
    box(132, 244, 48, 16, 5, deep),
    box(224, 244, 48, 54, 6, deep),
  ],
};

export const beanie: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 112),
    oval(200, 94, 30, CREAM),
    oval(212, 100, 18, '#E6DCC8'),
    solid(
      'M200 104c70 0 104 60 104 150H96c0-90 34-150 104-150z',
      main,
      shape('M240 90c36 40 46 100 44 170h60V90z', dark),
      ...[-3, -2, -1, 0, 1, 2, 3].map((rib) => stroke(`M${200 + rib * 8} 110q${rib * 22} 40 ${rib * 24} 150`, deep, 2)),
    ),
    solid(
      'M96 238h208a16 16 0 0 1 16 16v48a16 16 0 0 1-16 16H96a16 16 0 0 1-16-16v-48a16 16 0 0 1 16-16z',
      light,
      ...Array.from({ length: 12 }, (_, index) => box(88 + index * 20, 238, 8, 90, 3, main)),
    ),
  ],
};

export const socks: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) =>
    [0, 1].map(
      (index) =>
        `<g transform="translate(${index * 66 - 16} ${index * 26 - 10})">` +
        solid(
          'M118 70h84v150c0 16 8 24 22 34l44 32c26 20 6 64-30 58-40-8-84-34-106-62-12-16-14-34-14-60z',
          index ? main : dark,
          box(100, 60, 120, 40, 0, CREAM),
          box(100, 112, 120, 10, 0, light),
          box(100, 132, 120, 10, 0, light),
          oval(128, 268, 36, light),
          oval(268, 322, 44, light),
          ...[126, 142, 158, 174, 190].map((x) => box(x, 60, 3, 40, 0, dark)),
        ) +
        '</g>',
    ),
};

export const sweater: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    solid('M128 100c-40 14-50 40-58 80L48 288c-4 16 44 28 50 10l36-118z', dark, box(30, 268, 90, 50, 0, deep)),
    solid('M272 100c40 14 50 40 58 80l22 108c4 16-44 28-50 10l-36-118z', dark, box(280, 268, 90, 50, 0, deep)),
    solid(
      'M146 86h108l32 20v216a14 14 0 0 1-14 14H128a14 14 0 0 1-14-14V106z',
      main,
      box(110, 306, 180, 40, 0, dark),
      ...[150, 200, 250].map((x) =>
        stroke(
          `M${x - 12} 120q24 14 0 28t0 28 0 28 0 28 0 28 0 28M${x + 12} 120q-24 14 0 28t0 28 0 28 0 28 0 28 0 28`,
          x === 200 ? light : dark,
          5,
        ),
      ),
      ...Array.from({ length: 10 }, (_, index) => box(120 + index * 18, 308, 4, 40, 0, deep)),
    ),
    shape('M150 90c6-24 94-24 100 0-14 30-86 30-100 0z', deep),
    stroke('M150 90c8 32 92 32 100 0', light, 10),
  ],
};

export const boots: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(205, 138),
    ...[0, 1].map(
      (index) =>
        `<g transform="translate(${index * 104 - 10} 0)">` +
        solid(
          'M92 90h78v130c10 24 62 30 66 62v24H92z',
          index ? main : dark,
          box(146, 80, 30, 150, 0, index ? dark : deep),
          box(102, 100, 9, 120, 4, light),
          box(90, 84, 90, 22, 0, light),
        ) +
        box(84, 302, 156, 16, 6, INK) +
        '</g>',
    ),
  ],
};

export const scarf: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => {
    const fringe = [0, 1, 2, 3, 4, 5].map((index) => `M${152 + index * 12} 316v30`).join('');
    return [
      solid('M214 170l66-10 22 150h-70z', dark, box(200, 250, 120, 12, 0, CREAM), box(200, 274, 120, 24, 0, light)),
      stroke('M238 310l2 24M252 310l2 24M266 310l2 24M280 310l2 24M294 310l2 24', dark, 5),
      solid(
        'M146 176h74v142h-74z',
        main,
        box(140, 246, 90, 12, 0, CREAM),
        box(140, 270, 90, 24, 0, light),
        box(200, 170, 30, 160, 0, dark),
      ),
      stroke(fringe, main, 5),
      solid(
        'M110 118c0-50 180-50 180 0 0 46-30 78-90 78s-90-32-90-78z',
        main,
        shape('M230 60c40 40 30 100-20 140h90V60z', dark),
        stroke('M120 130c30 40 130 40 160 0', deep, 3),
      ),
      oval(200, 112, 62, deep, 22),
      shape('M140 108c20-24 100-24 120 0-30-8-90-8-120 0z', light),
    ];
  },
};

export const vest: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    solid(
      'M152 80h96l38 24c-8 34-4 60 8 84v132a14 14 0 0 1-14 14H120a14 14 0 0 1-14-14V188c12-24 16-50 8-84z',
      main,
      box(200, 60, 120, 300, 0, dark),
      ...[142, 184, 226, 268, 308].map((y) => stroke(`M90 ${y}q55 16 110 0 55 16 110 0`, deep, 3)),
      box(118, 110, 8, 210, 4, light),
    ),
    shape('M150 84c8-26 92-26 100 0l-14 32c-20 10-52 10-72 0z', light),
    shape('M164 86c8-14 64-14 72 0l-10 20c-16 6-36 6-52 0z', deep),
    stroke('M200 112v216', BRASS, 5),
    stroke('M138 246l28 34M262 246l-28 34', deep, 5),
  ],
};

export const umbrella: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    turned(
      -14,
      200,
      200,
      stroke('M200 60v-18M200 190v122c0 40 48 40 48 2', WOOD, 10),
      stroke('M248 314v-6', DARK_WOOD, 12),
      solid(
        'M200 60c90 0 150 66 156 142-14-20-40-20-52 0-14-22-40-22-52 0-14-22-90-22-104 0-12-22-38-22-52 0-12-20-38-20-52 0C50 126 110 60 200 60z',
        main,
        shape('M200 50c40 40 56 90 52 160h120V50z', dark),
        shape('M200 50c-40 40-56 90-52 160h-52c6-70 40-120 104-160z', light),
      ),
      stroke('M200 62c-34 40-50 84-52 138M200 62c34 40 50 84 52 138', deep, 2.5),
    ),
  ],
};

export const cap: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(205, 130),
    shape('M214 262c70-14 126 2 142 34 6 14-6 18-22 16-50-8-90-6-140-2z', deep),
    shape('M214 262c70-14 126 2 142 34-60-14-110-12-150-4z', dark),
    solid(
      'M190 128c74 0 110 60 110 164-70-10-150-8-226 8-12-104 42-172 116-172z',
      main,
      shape('M220 120c44 40 60 110 50 190h60V120z', dark),
      turned(20, 124, 210, oval(124, 210, 10, light, 50)),
    ),
    stroke('M190 130c-30 40-36 110-32 160M196 130c34 40 44 100 42 158', deep, 3),
    oval(192, 126, 11, deep, 7),
  ],
};

export const tote: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 104),
    stroke('M150 150c-6-130 106-130 100 0', DARK_WOOD, 12),
    shape('M186 140c-26-30-16-60 4-76 14 26 14 54-4 76z', '#76936A'),
    shape('M214 140c30-20 34-46 26-66-22 14-32 40-26 66z', '#557350'),
    solid(
      'M108 136h184l14 168a14 14 0 0 1-14 14H108a14 14 0 0 1-14-14z',
      main,
      shape('M246 130h70v200h-50z', dark),
      box(90, 130, 220, 18, 0, light),
    ),
    stroke('M200 278v-76m0 34c-24-2-36-16-36-34 24 2 36 16 36 34m0 22c24-4 34-18 34-36-22 4-34 16-34 36', '#557350', 6),
    faint(0.3, stroke('M122 160l-6 130', INK, 2)),
  ],
};
