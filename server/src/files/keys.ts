/** Keys of stored files, which are also in their URLs: `{site_id}/{name}/{part}`. */

/** Widths in which an image is stored. Narrower images are not enlarged. */
export const WIDTHS: readonly number[] = [320, 640, 1280];
export const WIDEST = 1280;

const ORIGINAL = 'original';
const PARTS = WIDTHS.map((width) => `${width}.webp`);
const KEPT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{32}\/(?:original|(?:320|640|1280)\.webp)$/;
const SERVED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{32}\/(?:320|640|1280)\.webp$/;

export function keyOfOriginal(site_id: string, name: string): string {
  return `${site_id}/${name}/${ORIGINAL}`;
}

export function keyOfPicture(site_id: string, name: string, width: number): string {
  return `${site_id}/${name}/${width}.webp`;
}

/** All keys that a file can have. */
export function keysOf(site_id: string, name: string): string[] {
  return [ORIGINAL, ...PARTS].map((part) => `${site_id}/${name}/${part}`);
}

/** Whether the key belongs to an image that the server created. No other files are served. */
export function isServed(key: string): boolean {
  return SERVED.test(key);
}

/** Whether a text is a valid key, optionally of this site. Checks keys from untrusted files. */
export function isKey(text: string, site_id?: string): boolean {
  return KEPT.test(text) && (site_id === undefined || text.startsWith(`${site_id}/`));
}
