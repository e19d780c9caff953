import { stringify } from 'csv-stringify/sync';
import { openTable, readText } from '../formats/text-file.ts';

/** Old and new path of a page. Both start with a slash. */
export interface Redirect {
  from: string;
  to: string;
}

/** Redirects from the old product URLs to new ones by `pattern`, such as `/products/{slug}`. */
export function productRedirects(slugs: ReadonlyMap<string, string>, pattern: string): Redirect[] {
  return [...slugs].flatMap(([handle, slug]) => {
    const from = `/products/${encodeURIComponent(handle)}`;
    const to = pattern.replaceAll('{slug}', slug);
    return from === to ? [] : [{ from, to }];
  });
}

/** The old shop's own redirects, from Shopify's export. A redirect to an old product URL leads to the new one. */
export async function ownRedirects(path: string, known: Redirect[], encoding?: string): Promise<Redirect[]> {
  const { header, rows } = await openTable(path, (await readText(path, encoding)).replace(/^\uFEFF/, ''));
  const names = header.map((name) => name.trim().toLowerCase());
  const [from, to] = [names.indexOf('redirect from'), names.indexOf('redirect to')];
  const onward = new Map(known.map((redirect) => [redirect.from, redirect.to]));
  const found: Redirect[] = [];
  for await (const { cells } of rows) {
    const [source = '', target = ''] = [cells[from]?.trim(), cells[to]?.trim()];
    if (source.startsWith('/') && target !== '') found.push({ from: source, to: onward.get(target) ?? target });
  }
  return found;
}

/**
 * Formats redirects as CSV with the columns `from` and `to`, or for a file named `_redirects` in the format of static
 * hosts.
 */
export function redirectsFile(redirects: Redirect[], path: string): string {
  const each = [...new Map(redirects.map((redirect) => [redirect.from, redirect])).values()];
  if (/(?:^|[\\/])_redirects$/.test(path)) {
    return each.map(({ from, to }) => `${inLine(from)} ${inLine(to)} 301\n`).join('');
  }
  return stringify([['from', 'to'], ...each.map(({ from, to }) => [from, to])]);
}

/** Encodes characters that end a URL or a line. */
function inLine(address: string): string {
  return address.replace(/\s/g, encodeURIComponent);
}
