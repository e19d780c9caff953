/** How what belongs to a file is called in the store and in addresses: `{site_id}/{name}/{part}`. */

/** The widths in which a picture is kept; a narrower picture keeps its own. */
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

/** All keys that a file may have. */
export function keysOf(site_id: string, name: string): string[] {
  return [ORIGINAL, ...PARTS].map((part) => `${site_id}/${name}/${part}`);
}

/** Whether a key is of a picture that the server made: nothing else is ever served. */
export function isServed(key: string): boolean {
  return SERVED.test(key);
}

/** Whether a text is a key, and of the site if one is given: what comes from a file is not trusted. */
export function isKey(text: string, site_id?: string): boolean {
  return KEPT.test(text) && (site_id === undefined || text.startsWith(`${site_id}/`));
}
