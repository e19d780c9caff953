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
  shadow,
  shape,
  solid,
  stroke,
  turned,
  WOOD,
} from './pen.ts';

export const notebook: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    turned(
      -9,
      200,
      200,
      faint(0.14, box(120, 74, 184, 268, 10, INK)),
      box(116, 66, 184, 268, 8, CREAM),
      stroke('M298 76v248M294 74v252', '#D8CCB6', 2),
      solid(
        'M112 62h168a12 12 0 0 1 12 12v248a12 12 0 0 1-12 12H112z',
        main,
        box(96, 50, 44, 300, 0, dark),
        box(140, 50, 4, 300, 0, deep),
      ),
      box(256, 62, 11, 272, 0, deep),
      box(164, 108, 74, 48, 4, CREAM),
      stroke('M178 126h46M178 140h30', light, 5),
      stroke('M204 334v24l-7-6-7 8v-26', '#B25B3B', 5),
    ),
  ],
};

export const ballpoint: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    turned(
      40,
      200,
      200,
      faint(0.13, box(196, 60, 36, 280, 16, INK)),
      box(192, 34, 16, 30, 5, dark),
      solid('M182 60h36v210l-12 46h-12l-12-46z', main, box(204, 50, 30, 300, 0, dark), box(187, 60, 5, 210, 2, light)),
      shape('M195 314h10l-5 26z', DARK_STEEL),
      box(180, 176, 40, 9, 2, deep),
      shape('M214 66h14v92a7 7 0 0 1-14 0z', deep),
    ),
    stroke('M62 320c30-50 50 30 76-6s24 18 44 2', INK, 4),
  ],
};

export const pencils: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 110),
    ...[
      ['#4F7384', -9],
      ['#B25B3B', -3],
      ['#CF9A3B', 3],
      ['#76936A', 9],
    ].map(([colour, degrees], index) =>
      turned(
        Number(degrees),
        200,
        330,
        box(134 + index * 36, 110, 24, 180, 0, String(colour)),
        box(150 + index * 36, 110, 8, 180, 0, '#00000022'),
        shape(`M${134 + index * 36} 111l12-40 12 40z`, '#EBD3AC'),
        shape(`M${142 + index * 36} 84l4-13 4 13z`, String(colour)),
      ),
    ),
    solid(
      'M98 196h204v108a14 14 0 0 1-14 14H112a14 14 0 0 1-14-14z',
      main,
      box(250, 190, 60, 140, 0, dark),
      box(98, 196, 204, 10, 0, light),
    ),
    box(152, 232, 96, 52, 4, CREAM),
    stroke('M170 250h60M184 266h32', dark, 4),
  ],
};

export const deskTray: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 146),
    turned(-7, 140, 220, box(86, 190, 120, 66, 3, CREAM), stroke('M104 208h84M104 224h60', '#CBBFA9', 4)),
    turned(16, 270, 190, box(262, 120, 13, 130, 4, BRASS), shape('M262 121l6.500-20 6.500 20z', INK)),
    turned(4, 236, 200, box(226, 140, 15, 110, 3, '#4F7384'), shape('M226 141l7.500-24 7.500 24z', '#EBD3AC')),
    shape('M88 226h224l34 40H54z', deep),
    solid(
      'M54 252h292v52a14 14 0 0 1-14 14H68a14 14 0 0 1-14-14z',
      main,
      box(54, 252, 300, 12, 0, light),
      stroke('M80 284h70M110 298h120M240 280h80', dark, 3),
      box(306, 264, 50, 60, 0, dark),
    ),
  ],
};

export const planner: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) => [
    faint(0.13, box(76, 92, 260, 240, 8, INK)),
    box(70, 82, 260, 240, 8, CREAM),
    solid('M78 82h244a8 8 0 0 1 8 8v42H70V90a8 8 0 0 1 8-8z', main, box(200, 82, 140, 60, 0, dark)),
    stroke('M200 150v158', '#D8CCB6', 3),
    ...[168, 206, 244, 282].map((y) => stroke(`M90 ${y}h90M220 ${y}h90`, '#D8CCB6', 3)),
    box(90, 178, 62, 16, 4, light),
    box(220, 216, 78, 16, 4, '#E7C789'),
    box(220, 254, 46, 16, 4, light),
    oval(160, 263, 11, '#B25B3B'),
    ...[104, 136, 168, 232, 264, 296].map((x) => stroke(`M${x} 70v28`, INK, 6)),
    stroke('M112 112h70', CREAM, 6),
  ],
};

export const penRoll: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    ...[
      ['#C9A24B', 108],
      ['#4F7384', 140],
      ['#B25B3B', 172],
      ['#3B3F42', 204],
    ].map(([colour, x]) => box(Number(x), 84, 14, 120, 5, String(colour))),
    box(234, 92, 24, 110, 3, WOOD),
    solid(
      'M84 142h220v176a12 12 0 0 1-12 12H96a12 12 0 0 1-12-12z',
      main,
      box(84, 142, 220, 16, 0, light),
      ...[98, 130, 162, 194, 228, 266].map((x) => stroke(`M${x} 158v160`, deep, 3)),
    ),
    solid('M292 142h34c24 0 24 188 0 188h-34z', dark, box(300, 142, 8, 190, 0, main)),
    stroke('M306 236c40-14 50 20 30 60M306 236c36 6 56-10 56-34', DARK_WOOD, 7),
    stroke('M84 330h220', deep, 3),
  ],
};

export const letterSet: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    turned(
      9,
      200,
      180,
      faint(0.1, box(112, 62, 186, 210, 4, INK)),
      box(108, 56, 186, 210, 4, '#FFFBF2'),
      stroke('M132 92h112M132 118h138M132 144h90', '#D8CCB6', 5),
    ),
    turned(
      -6,
      200,
      250,
      faint(0.13, box(86, 172, 240, 160, 6, INK)),
      solid('M80 164h240v160H80z', main, shape('M80 324l90-84h60l90 84z', light), shape('M60 150h280L200 262z', dark)),
      oval(200, 252, 27, '#A5473A'),
      oval(200, 252, 18, '#BF5E4F'),
      stroke('M200 264v-22m0 10c-6 0-10-4-10-10m10 6c6 0 10-4 10-10', '#8B382D', 3),
      stroke('M80 164h240', deep, 2),
    ),
  ],
};

export const deskPad: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    faint(0.13, box(48, 104, 316, 208, 14, INK)),
    box(42, 94, 316, 208, 14, dark),
    box(46, 94, 308, 200, 12, main),
    faint(0.5, stroke('M60 108h280v172H60z', light, 2)),
    box(92, 130, 104, 134, 5, CREAM),
    stroke('M108 154h72M108 176h72M108 198h46', '#CBBFA9', 4),
    turned(28, 230, 200, box(222, 140, 11, 120, 4, BRASS), shape('M222 259l5.500 18 5.500-18z', INK)),
    oval(302, 160, 32, deep),
    oval(302, 158, 29, CREAM),
    oval(302, 158, 22, '#5B4032'),
    stroke('M334 158h12', CREAM, 9),
  ],
};
