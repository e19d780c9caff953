import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Loaded on first use, because the module contains a table of all letters. */
const slugifier = () => require('@sindresorhus/slugify') as typeof import('@sindresorhus/slugify');

const MAX_LENGTH = 240; // Leaves room for a suffix within the 255 of the contract.

/** Converts a name to lower-case ASCII words joined by hyphens; `fallback` if nothing is left. */
export function slugOf(name: string, fallback: string): string {
  const { default: slugify } = slugifier();
  const slug = slugify(name.slice(0, MAX_LENGTH), { decamelize: false }).replaceAll(/[^a-z0-9-]/g, '');
  return slug.slice(0, MAX_LENGTH).replaceAll(/^-+|-+$/g, '') || fallback;
}

/** Yields the slug, then the slug with -2, -3 and so on. Skips those that are taken. */
export function* candidates(slug: string, taken: Set<string>): Generator<string> {
  if (!taken.has(slug)) yield slug;
  for (let suffix = 2; suffix < 100_000; suffix += 1) {
    if (!taken.has(`${slug}-${suffix}`)) yield `${slug}-${suffix}`;
  }
}
