import * as desk from './desk.ts';
import * as garden from './garden.ts';
import * as kitchen from './kitchen.ts';
import * as light from './light.ts';
import * as living from './living.ts';
import type { Drawing } from './pen.ts';
import * as trail from './trail.ts';
import * as wear from './wear.ts';

/** Every drawing by its name. */
export const gallery = { ...desk, ...garden, ...kitchen, ...light, ...living, ...trail, ...wear } satisfies Record<
  string,
  Drawing
>;

export type Motif = keyof typeof gallery;
