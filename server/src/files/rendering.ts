/** Messages between the server and the process that decodes images. */

export interface Task {
  id: number;
  path: string;
  /** Content type that the client announced for the upload. */
  content_type: string;
  /** Output directory for `{width}.webp`. */
  folder: string;
}

export interface Picture {
  /** Width in the file name. The image may be narrower. */
  size: number;
  width: number;
  height: number;
}

export type Unusable = 'unreadable' | 'wrong_type' | 'too_large';

export type Rendered = { pictures: Picture[] } | { unusable: Unusable };

export type Answer = { id: number } & (Rendered | { broken: string });
