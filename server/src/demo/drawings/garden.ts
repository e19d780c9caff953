import {
  BRASS,
  box,
  CREAM,
  DARK_LEAF,
  DARK_STEEL,
  DARK_WOOD,
  type Drawing,
  faint,
  INK,
  LEAF,
  oval,
  STEEL,
  shadow,
  shape,
  solid,
  stroke,
  turned,
  WOOD,
} from './pen.ts';

function leaf(degrees: number, length: number, fill: string): string {
  const half = length / 2;
  return turned(
    degrees,
    200,
    196,
    shape(
      `M200 196c-${length / 3.2} -${half} -${length / 4} -${length} 0 -${length}s${length / 3.2} ${half} 0 ${length}z`,
      fill,
    ),
  );
}

export const plantPot: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 84),
    ...[-74, 74].map((degrees) => leaf(degrees, 104, DARK_LEAF)),
    ...[-48, 50].map((degrees) => leaf(degrees, 128, LEAF)),
    ...[-22, 26].map((degrees) => leaf(degrees, 142, DARK_LEAF)),
    leaf(2, 150, LEAF),
    stroke('M200 190V70', DARK_LEAF, 3),
    solid(
      'M132 216h136l-16 102H148z',
      main,
      shape('M228 210h50v120h-60z', dark),
      shape('M142 210h14l14 110h-14z', light),
    ),
    solid('M122 186h156v36H122z', main, box(236, 180, 60, 60, 0, dark)),
  ],
};

export const planter: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 104),
    ...[-46, -16, 14, 44].map((shift, index) =>
      stroke(
        `M${200 + shift} 196c${shift / 2}-40 ${shift}-60 ${shift * 1.4}-${104 + (index % 2) * 26}`,
        index % 2 ? LEAF : DARK_LEAF,
        7,
      ),
    ),
    ...[
      [134, 92],
      [170, 68],
      [222, 92],
      [262, 66],
      [200, 116],
      [150, 124],
      [250, 122],
    ].map(([x, y], index) =>
      [oval(x ?? 0, y ?? 0, 17, index % 2 ? '#C9B4D0' : '#97839F'), oval(x ?? 0, y ?? 0, 6, '#F3DE9C')].join(''),
    ),
    stroke('M146 300v18M254 300v18', DARK_WOOD, 14),
    solid(
      'M104 190h192v66c0 34-30 52-96 52s-96-18-96-52z',
      main,
      box(246, 180, 60, 140, 0, dark),
      box(120, 180, 14, 140, 0, light),
      stroke('M90 232q14-14 28 0t28 0 28 0 28 0 28 0 28 0 28 0 28 0', light, 5),
    ),
    oval(200, 190, 96, deep, 12),
  ],
};

export const wateringCan: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(190, 104),
    stroke('M262 190c70-40 96 60 10 96', dark, 13),
    stroke('M144 178c8-62 104-62 112 0', deep, 10),
    shape('M128 276c-40-20-46-90-78-118l-14 16c30 40 30 110 92 132z', dark),
    turned(-40, 44, 158, oval(44, 158, 30, main, 11)),
    solid(
      'M130 178h140l10 124a16 16 0 0 1-16 16H136a16 16 0 0 1-16-16z',
      main,
      shape('M232 170h60v160h-50z', dark),
      shape('M144 170h14l-4 160h-16z', light),
      box(110, 250, 190, 6, 0, deep),
    ),
    oval(200, 178, 70, deep, 13),
  ],
};

export const trowel: Drawing = {
  setting: 'wall',
  parts: ({ main, dark }) => [
    turned(
      35,
      200,
      200,
      faint(0.12, shape('M160 230c0-30 20-40 50-40s50 10 50 40c0 60-20 110-50 136-30-26-50-76-50-136z', INK)),
      box(193, 140, 14, 60, 4, DARK_STEEL),
      solid(
        'M150 220c0-26 20-34 50-34s50 8 50 34c0 60-20 104-50 130-30-26-50-70-50-130z',
        STEEL,
        shape('M200 180h60v180h-60z', DARK_STEEL),
        stroke('M200 200v110', '#E4E8EA', 4),
      ),
      solid('M182 40h36c8 30 8 80 0 112h-36c-8-32-8-82 0-112z', main, box(204, 30, 30, 140, 0, dark)),
      box(180, 130, 40, 18, 4, BRASS),
      oval(200, 54, 6, CREAM),
    ),
  ],
};

export const secateurs: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) => [
    turned(
      -30,
      200,
      190,
      shape('M190 190c-36-30-44-84-22-130 26 34 44 78 46 122z', STEEL),
      shape('M210 190c34-20 48-56 40-94-24 18-46 46-54 80z', DARK_STEEL),
      stroke('M184 196c-26 50-40 90-36 140', dark, 24),
      stroke('M216 196c26 50 40 90 36 140', main, 24),
      stroke('M214 206c22 44 34 76 34 110', light, 5),
      stroke('M188 232l12 10-12 10 20 8', BRASS, 4),
      oval(200, 190, 19, INK),
      oval(200, 190, 8, BRASS),
    ),
  ],
};

export const gloves: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) =>
    [-1, 1].map((side) =>
      turned(
        side * 10,
        200 + side * 62,
        220,
        `<g transform="translate(${200 + side * 66} 0) scale(${side} 1)">`,
        solid(
          'M-48 330V220c-14-26-40-48-44-60-4-14 14-20 22-10l24 28-10-72c-2-18 22-20 26-2l8 50 2-66c0-18 26-18 26 0l2 66 10-56c4-16 26-14 24 4l-6 62 12-30c6-14 24-8 20 8-8 40-12 60-20 84v104z',
          main,
          box(24, 60, 60, 290, 0, dark),
          box(-100, 296, 220, 50, 0, light),
          box(-100, 296, 220, 6, 0, deep),
        ),
        '</g>',
      ),
    ),
};

export const birdhouse: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 60),
    box(188, 250, 24, 68, 0, DARK_WOOD),
    solid(
      'M126 152l74-74 74 74v104H126z',
      main,
      box(222, 60, 70, 220, 0, dark),
      ...[182, 210, 238].map((y) => box(120, y, 160, 3, 0, deep)),
    ),
    stroke('M106 162l94-92 94 92', deep, 18),
    oval(200, 168, 26, INK),
    stroke('M200 212v4', WOOD, 12),
    box(110, 250, 180, 14, 5, light),
    shape('M232 250c-4-22 12-36 30-34 14 0 20 10 20 18l12 4-14 6c-4 10-14 14-26 14z', '#B25B3B'),
    oval(270, 226, 3, INK),
  ],
};

export const seeds: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) => [
    turned(
      -7,
      200,
      200,
      faint(0.13, box(120, 74, 176, 268, 6, INK)),
      solid(
        'M112 62h176v272H112z',
        CREAM,
        box(112, 62, 176, 34, 0, main),
        box(112, 270, 176, 70, 0, main),
        stroke('M112 82h176', light, 2),
      ),
      stroke(
        'M200 262c0-50-6-70 0-110M200 240c-22-4-34-16-36-34 22 2 34 14 36 34M202 222c20-6 28-18 30-34-20 4-30 16-30 34M168 262c-2-30-10-50-18-62M234 262c0-26 8-48 16-58',
        LEAF,
        5,
      ),
      ...[
        [200, 140, 22],
        [148, 192, 15],
        [252, 196, 15],
      ].flatMap(([x, y, r]) => [
        ...[0, 60, 120, 180, 240, 300].map((degrees) =>
          turned(
            degrees,
            x ?? 0,
            y ?? 0,
            oval(x ?? 0, (y ?? 0) - (r ?? 0) * 0.7, (r ?? 0) * 0.42, main, (r ?? 0) * 0.6),
          ),
        ),
        oval(x ?? 0, y ?? 0, (r ?? 0) * 0.4, '#F3DE9C'),
      ]),
      stroke('M150 294h100M168 312h64', CREAM, 6),
      shape('M112 62h176v8H112z', dark),
    ),
  ],
};

export const deckchair: Drawing = {
  setting: 'table',
  parts: ({ main, dark }) => [
    shadow(200, 126),
    stroke('M306 150L110 316', DARK_WOOD, 11),
    shape('M96 92l34-12c20 80 50 130 158 178l-16 32C160 246 116 180 96 92z', main),
    shape('M108 88l10-4c24 86 56 136 160 188l-6 12C164 232 126 166 108 88z', CREAM),
    shape('M122 83l8-3c20 80 50 130 158 178l-4 10C178 242 142 170 122 83z', dark),
    stroke('M92 86l196 230', WOOD, 12),
    stroke('M80 90l58-18', WOOD, 12),
    stroke('M262 294l34-44', WOOD, 12),
  ],
};

export const fireBowl: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep }) => [
    shadow(200, 116),
    faint(0.25, oval(200, 150, 90, '#FFC66B')),
    shape('M200 60c52 58 66 96 40 140h-84c-26-40 0-64 10-88 8 12 12 20 14 28 14-20 22-48 20-80z', '#E0803C'),
    shape('M206 118c30 34 34 60 20 84h-54c-14-22 2-40 10-54 6 8 8 12 10 18 8-12 14-28 14-48z', '#F2B84B'),
    turned(14, 200, 196, box(120, 188, 160, 20, 10, DARK_WOOD)),
    turned(-12, 200, 196, box(120, 190, 160, 20, 10, '#80583A')),
    stroke('M142 270l-24 46M258 270l24 46M200 290v28', deep, 11),
    solid(
      'M76 206h248c-4 54-54 90-124 90S80 260 76 206z',
      main,
      shape('M250 200h90v110H200c34-24 52-64 50-110z', dark),
    ),
    box(68, 198, 264, 15, 7, deep),
  ],
};
