/** Throws an Error with instructions for a text that is not a site_id. */
export function refuseNoSiteId(text: string): void {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return;
  throw new Error(`"${text}" is not a site_id: use the UUID that site create printed.`);
}
