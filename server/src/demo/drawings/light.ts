import {
  BRASS,
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

const FLAME = '#F2B84B';

function flame(cx: number, y: number): string[] {
  return [
    faint(0.22, oval(cx, y - 16, 40, '#FFD98A')),
    shape(`M${cx} ${y - 44}c18 24 16 44 0 44s-18-20 0-44z`, FLAME),
    shape(`M${cx} ${y - 22}c8 12 7 22 0 22s-8-10 0-22z`, '#FFF1C9'),
  ];
}

export const tableLamp: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    faint(0.35, shape('M132 190l-52 128h240l-52-128z', '#FFE9B8')),
    shadow(200, 72),
    box(193, 180, 14, 80, 0, BRASS),
    solid(
      'M168 236h64c20 20 26 60 10 82h-84c-16-22-10-62 10-82z',
      WOOD,
      shape('M216 230h40v100h-40c14-30 12-70 0-100z', DARK_WOOD),
    ),
    solid(
      'M150 74h100l46 118H104z',
      main,
      shape('M220 74h40l50 120h-64z', dark),
      shape('M158 70h14l-40 124h-16z', light),
    ),
    box(104, 186, 192, 8, 4, dark),
  ],
};

export const pendant: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep, light }) => [
    stroke('M200 0v118', INK, 5),
    faint(0.4, shape('M96 256L40 400h320l-56-144z', '#FFE9B8')),
    oval(200, 258, 34, '#FFE2A0'),
    box(186, 112, 28, 34, 5, BRASS),
    solid(
      'M200 138c66 0 116 50 120 116H80c4-66 54-116 120-116z',
      main,
      shape('M226 130c44 30 62 80 62 130h60V130z', dark),
      turned(24, 142, 196, oval(142, 196, 12, light, 34)),
    ),
    oval(200, 254, 120, deep, 10),
    oval(200, 256, 96, '#FFE9B8', 6),
  ],
};

export const candle: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    ...flame(200, 150),
    shadow(200, 84),
    stroke('M200 172v-28', INK, 4),
    solid(
      'M122 168h156v130a20 20 0 0 1-20 20H142a20 20 0 0 1-20-20z',
      main,
      box(236, 160, 60, 170, 0, dark),
      box(136, 160, 12, 170, 0, light),
    ),
    oval(200, 168, 78, dark, 14),
    oval(200, 170, 68, CREAM, 10),
    box(154, 212, 92, 68, 4, CREAM),
    stroke('M172 264h56', main, 4),
    stroke('M200 252v-24m0 14c-12-2-18-8-18-16 10 0 16 6 18 16m0-4c10-2 16-8 16-16-10 0-14 6-16 16', dark, 3.5),
  ],
};

export const tapers: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 104),
    ...[138, 200, 262].flatMap((x, index) => {
      const top = 128 - (index === 1 ? 30 : 0);
      return [
        ...flame(x, top - 8),
        stroke(`M${x} ${top}v-12`, INK, 3),
        solid(
          `M${x - 10} ${top + 4}q10-8 20 0l4 ${270 - top}h-28z`,
          main,
          box(x + 3, top - 10, 20, 220, 0, dark),
          box(x - 8, top - 10, 4, 220, 0, light),
        ),
        shape(`M${x - 24} 262h48l-8 30h-32z`, BRASS),
        shape(`M${x - 36} 318c0-16 14-28 36-28s36 12 36 28z`, BRASS),
        faint(0.18, shape(`M${x + 4} 290c20 2 32 12 32 28h-20c0-12-4-20-12-28z`, INK)),
      ];
    }),
  ],
};

export const floorLamp: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    faint(0.35, shape('M92 150l-44 168h220l-44-168z', '#FFE9B8')),
    shadow(262, 66),
    stroke('M262 312V120c0-70-104-90-104-26', INK, 8),
    solid('M206 318c0-14 20-20 56-20s56 6 56 20z', INK),
    solid('M130 82h56l42 72H88z', main, shape('M168 80h40l30 80h-44z', dark), shape('M136 80h12l-34 80H98z', light)),
    oval(158, 156, 22, '#FFE2A0', 10),
  ],
};

export const diffuser: Drawing = {
  setting: 'table',
  parts: ({ main, dark, light }) => [
    shadow(200, 70),
    ...[-24, -12, 0, 11, 23].map((degrees) => turned(degrees, 200, 210, box(197, 60, 6, 160, 3, WOOD))),
    box(178, 164, 44, 40, 6, DARK_WOOD),
    solid(
      'M180 198h40c2 24 58 30 58 66v34a20 20 0 0 1-20 20H142a20 20 0 0 1-20-20v-34c0-36 56-42 58-66z',
      light,
      box(100, 254, 200, 80, 0, main),
      box(244, 190, 50, 140, 0, dark),
      box(136, 260, 10, 46, 5, '#FFFFFF88'),
    ),
    box(166, 262, 60, 40, 3, CREAM),
    stroke('M180 282h32', dark, 4),
  ],
};

export const lantern: Drawing = {
  setting: 'table',
  parts: ({ main, dark, deep }) => [
    stroke('M134 150c-10-120 142-120 132 0', deep, 7),
    shadow(200, 86),
    solid('M142 168h116c26 40 22 70 4 96H138c-18-26-22-56 4-96z', '#F6E3B0', box(146, 150, 12, 120, 6, '#FFFFFF99')),
    ...flame(200, 252),
    stroke('M142 168c-26 40-22 70-4 96M258 168c26 40 22 70 4 96M200 168v20', deep, 5),
    solid('M166 110h68l8 30 22 28H136l22-28z', main, shape('M210 100h40v70h-30z', dark)),
    box(186, 96, 28, 16, 5, deep),
    solid('M128 262h144l14 56H114z', main, shape('M228 260h60v60h-40z', dark)),
    oval(262, 290, 10, BRASS),
  ],
};

export const wallClock: Drawing = {
  setting: 'wall',
  parts: ({ main, dark, deep }) => [
    faint(0.13, oval(206, 212, 124, INK)),
    oval(200, 200, 124, main),
    oval(200, 200, 106, CREAM),
    ...[0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330].map((degrees) =>
      turned(degrees, 200, 200, box(197.5, 104, 5, degrees % 90 === 0 ? 20 : 10, 2, degrees % 90 === 0 ? deep : dark)),
    ),
    turned(-58, 200, 200, box(195, 140, 10, 66, 5, INK)),
    turned(62, 200, 200, box(197, 116, 6, 92, 3, INK)),
    oval(200, 200, 10, main),
    oval(200, 200, 4, LEAF),
  ],
};
