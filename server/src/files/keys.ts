/** Keys of a file's parts in the store and in URLs: `{site_id}/{name}/{part}`. */

/** The stored widths of an image; a narrower image keeps its own. */
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

/** All possible keys of a file. */
export function keysOf(site_id: string, name: string): string[] {
  return [ORIGINAL, ...PARTS].map((part) => `${site_id}/${name}/${part}`);
}

/** Whether a key belongs to an image that the server made. Nothing else is served. */
export function isServed(key: string): boolean {
  return SERVED.test(key);
}

/** Whether a text is a key, optionally of a given site. Keys from files are not trusted. */
export function isKey(text: string, site_id?: string): boolean {
  return KEPT.test(text) && (site_id === undefined || text.startsWith(`${site_id}/`));
}
