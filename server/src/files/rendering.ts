/** Messages to and from the process that reads images. */

export interface Task {
  id: number;
  path: string;
  /** The content type that was announced for the upload. */
  content_type: string;
  /** Directory for the images, named `{width}.webp`. */
  folder: string;
}

export interface Picture {
  /** The width in the file name; the image itself may be narrower. */
  size: number;
  width: number;
  height: number;
}

export type Unusable = 'unreadable' | 'wrong_type' | 'too_large';

export type Rendered = { pictures: Picture[] } | { unusable: Unusable };

export type Answer = { id: number } & (Rendered | { broken: string });
