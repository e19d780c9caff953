/** What the process that reads pictures is told, and what it answers. */

export interface Task {
  id: number;
  path: string;
  /** What the file was announced as. */
  content_type: string;
  /** Where the pictures go, as `{width}.webp`. */
  folder: string;
}

export interface Picture {
  /** The name of the picture's file is this width; the picture itself may be narrower. */
  size: number;
  width: number;
  height: number;
}

export type Unusable = 'unreadable' | 'wrong_type' | 'too_large';

export type Rendered = { pictures: Picture[] } | { unusable: Unusable };

export type Answer = { id: number } & (Rendered | { broken: string });
