import {
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

export const mug: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(205, 110),
    stroke('M276 196c64-16 70 82-6 84', dark, 19),
    solid(
      'M118 158h164v108a52 52 0 0 1-52 52h-60a52 52 0 0 1-52-52z',
      main,
      box(240, 140, 60, 200, 0, dark),
      box(134, 140, 14, 200, 0, light),
      box(100, 284, 200, 60, 0, CREAM),
      faint(0.12, box(240, 284, 60, 60, 0, INK)),
    ),
    oval(200, 158, 82, deep, 17),
    oval(200, 162, 72, '#5B4032', 12),
    ...[
      [160, 214],
      [188, 244],
      [214, 206],
      [222, 262],
      [172, 266],
    ].map(([x, y]) => oval(x ?? 0, y ?? 0, 2.6, deep)),
  ],
};

export const bowl: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 96),
    box(158, 296, 84, 22, 8, dark),
    solid(
      'M84 190h232c0 74-46 116-116 116s-116-42-116-116z',
      main,
      shape('M250 180h80v140h-120c30-30 44-80 40-140z', dark),
      shape('M84 206c4 8 6 14 8 20h216l8-20z', light),
    ),
    oval(200, 190, 116, deep, 26),
    oval(200, 194, 104, CREAM, 20),
    ...[
      [160, 192],
      [196, 186],
      [232, 196],
      [178, 202],
      [214, 202],
    ].map(([x, y]) => oval(x ?? 0, y ?? 0, 11, '#7A5873', 7)),
    turned(-20, 250, 188, oval(252, 188, 18, '#76936A', 6)),
  ],
};

export const kettle: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(195, 112),
    stroke('M116 262c-46-4-40-76-74-88', dark, 15),
    stroke('M268 172c70-14 78 96 4 108', WOOD, 17),
    solid(
      'M140 166h116c16 48 32 96 36 132a20 20 0 0 1-20 20H124a20 20 0 0 1-20-20c4-36 20-84 36-132z',
      main,
      shape('M226 160h40l40 170h-66z', dark),
      shape('M150 160h14l-28 160h-16z', light),
    ),
    oval(198, 166, 58, deep, 12),
    shape('M148 160c4-26 96-26 100 0z', dark),
    oval(198, 132, 12, WOOD),
  ],
};

export const knife: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, light }) => [
    turned(
      -38,
      200,
      200,
      faint(0.12, shape('M34 180h212v62H166c-66 0-110-26-132-62z', INK)),
      solid(
        'M28 168h212v62H160c-66 0-110-26-132-62z',
        STEEL,
        shape('M28 168c40 40 90 46 140 46h80v30H100z', '#DDE2E4'),
      ),
      box(238, 162, 16, 62, 3, DARK_STEEL),
      solid('M252 166h112c14 0 22 12 20 28-2 14-10 22-24 22-34 0-40-12-108-10z', main, box(240, 192, 160, 40, 0, dark)),
      ...[278, 314, 350].map((x) => oval(x, 188, 5, light)),
    ),
  ],
};

export const board: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(205, 96),
    solid(
      'M186 62h28a12 12 0 0 1 12 12v52h44a22 22 0 0 1 22 22v148a22 22 0 0 1-22 22H130a22 22 0 0 1-22-22V148a22 22 0 0 1 22-22h44V74a12 12 0 0 1 12-12z',
      main,
      box(146, 50, 8, 300, 0, light),
      box(214, 50, 5, 300, 0, light),
      box(180, 50, 3, 300, 0, dark),
      box(252, 50, 3, 300, 0, dark),
      box(276, 50, 30, 300, 0, dark),
    ),
    oval(200, 86, 9, '#F3EADB'),
    solid(
      'M70 300c0-34 24-54 46-54s44 20 44 52c0 14-20 22-44 22s-46-6-46-20z',
      '#B5493B',
      oval(92, 278, 9, '#D9776A', 15),
    ),
    stroke('M114 248c0-14 6-22 14-26', '#5B4032', 5),
  ],
};

export const towels: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light, deep }) => [
    shadow(200, 124),
    ...[0, 1, 2].map((layer) =>
      solid(
        `M88 ${262 - layer * 52}h214c20 0 20 54 0 54H88c-12 0-12-54 0-54z`,
        [main, CREAM, light][layer] ?? main,
        box(118, 190 - layer * 52, 12, 140, 0, layer === 1 ? main : CREAM),
        box(138, 190 - layer * 52, 5, 140, 0, layer === 1 ? main : CREAM),
        box(60, 304 - layer * 52, 280, 14, 0, layer === 1 ? light : dark),
      ),
    ),
    stroke('M206 154c-4 60 6 110 0 164', deep, 5),
    stroke('M206 158c-30-34-60-10-2 0c54-12 34-36 2 0l-18 24m18-24l20 22', deep, 5),
  ],
};

export const teapot: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 110),
    stroke('M138 198c-70-26-104 70-24 84', dark, 17),
    shape('M270 266c40 0 36-70 70-84l-14-18c-44 8-46 40-70 50z', dark),
    solid(
      'M200 156c70 0 100 42 100 86 0 52-42 76-100 76s-100-24-100-76c0-44 30-86 100-86z',
      main,
      shape('M250 140c40 60 20 150-40 190h110V140z', dark),
      oval(142, 226, 12, light, 34),
    ),
    shape('M150 170c4-32 96-32 100 0z', deep),
    shape('M152 166c6-26 90-26 96 0z', main),
    oval(200, 134, 13, DARK_WOOD),
  ],
};

export const jar: Drawing = {
  setting: 'table',
  parts: ({ main, dark }) => [
    shadow(200, 88),
    solid(
      'M132 146c-14 10-16 20-16 34v116a24 24 0 0 0 24 24h120a24 24 0 0 0 24-24V180c0-14-2-24-16-34z',
      '#DDE8E6',
      shape('M110 212c40-14 60 10 96-2s60-6 84 2v120H110z', '#E7C789'),
      ...[
        [140, 246],
        [176, 262],
        [214, 240],
        [250, 268],
        [160, 292],
        [228, 294],
        [264, 300],
        [196, 300],
      ].map(([x, y]) => oval(x ?? 0, y ?? 0, 8, '#CDA45C', 5)),
      box(256, 140, 40, 200, 0, '#00000014'),
      box(130, 150, 12, 160, 6, '#FFFFFFAA'),
    ),
    box(126, 128, 148, 22, 6, STEEL),
    solid('M138 92h124a10 10 0 0 1 10 10v26H128v-26a10 10 0 0 1 10-10z', main, box(232, 80, 60, 60, 0, dark)),
  ],
};

export const casserole: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep, light }) => [
    shadow(200, 124),
    box(56, 214, 56, 22, 11, dark),
    box(288, 214, 56, 22, 11, dark),
    solid(
      'M88 194h224v84a40 40 0 0 1-40 40H128a40 40 0 0 1-40-40z',
      main,
      box(254, 180, 80, 160, 0, dark),
      box(108, 190, 14, 140, 0, light),
    ),
    box(78, 186, 244, 16, 8, deep),
    solid(
      'M88 188c6-40 60-58 112-58s106 18 112 58z',
      main,
      shape('M236 120c30 20 46 44 48 70h40v-70z', dark),
      oval(140, 164, 26, light, 6),
    ),
    box(186, 108, 28, 26, 8, '#C9A24B'),
  ],
};

export const apron: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    stroke('M160 112c-10-70 90-70 80 0', deep, 8),
    stroke('M110 196c-40 6-50 30-54 60M290 196c40 6 50 30 54 60', deep, 7),
    solid(
      'M154 102h92c2 44 24 74 58 86l-8 148a12 12 0 0 1-12 12H116a12 12 0 0 1-12-12l-8-148c34-12 56-42 58-86z',
      main,
      shape('M240 100h80v260h-64c14-80 4-180-16-260z', dark),
      box(150, 100, 100, 14, 0, light),
    ),
    box(140, 226, 120, 72, 8, dark),
    box(140, 226, 120, 12, 4, light),
    stroke('M200 242v52', main, 3),
  ],
};
