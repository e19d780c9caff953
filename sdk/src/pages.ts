import type { Client } from './client.ts';
import type { AnswerOf, OperationOf, OptionsOf, PathsWith } from './contract.ts';
import { unwrap } from './errors.ts';

/** The GET paths that return pages, by number or by cursor. */
export type ListPaths<Paths> = {
  [Path in PathsWith<Paths, 'get'>]: AnswerOf<OperationOf<Paths, Path, 'get'>> extends Page ? Path : never;
}[PathsWith<Paths, 'get'>];

type Page = { page: number; pages: number } | { next_cursor: string | null };

/** The type of a list's elements: those of the array in its pages. */
export type ElementOf<Paths, Path extends keyof Paths> = Elements<AnswerOf<OperationOf<Paths, Path, 'get'>>>;

type Elements<Body> = { [Field in keyof Body]-?: Body[Field] extends (infer Element)[] ? Element : never }[keyof Body];

interface LooseClient {
  GET(path: unknown, options: object): Promise<{ data?: unknown; error?: unknown; response: Response }>;
}

interface LooseOptions {
  params?: { query?: Record<string, unknown> };
}

/**
 * The elements of a list in order, from the page or cursor in the options to the end. It fetches pages on demand, 100
 * elements at a time unless `limit` is set; leaving the loop stops it. In lists by page number, elements that change
 * during the loop may be missed or repeated. Throws the errors of `unwrap`.
 *
 *     for await (const product of paginate(storefront, '/api/storefront/products')) console.log(product.slug, product.price);
 */
export async function* paginate<Paths, Path extends ListPaths<Paths>>(
  client: Client<Paths>,
  path: Path,
  ...options: OptionsOf<OperationOf<Paths, Path, 'get'>>
): AsyncGenerator<ElementOf<Paths, Path>, void, undefined> {
  const first = (options[0] ?? {}) as LooseOptions;
  let query: Record<string, unknown> = { limit: 100, ...first.params?.query };
  for (;;) {
    const call = (client as unknown as LooseClient).GET(path, { ...first, params: { ...first.params, query } });
    const body = (await unwrap(call)) as unknown as Page;
    const elements = Object.values(body).find(Array.isArray) ?? [];
    yield* elements as ElementOf<Paths, Path>[];
    const next = nextOf(body, elements.length);
    if (!next) return;
    query = { ...query, ...next };
  }
}

/** The query for the next page; undefined at the end of the list, and after an empty page of a list by page number. */
function nextOf(page: Page, length: number): { page: number } | { cursor: string } | undefined {
  if ('next_cursor' in page) return page.next_cursor === null ? undefined : { cursor: page.next_cursor };
  return page.page < page.pages && length > 0 ? { page: page.page + 1 } : undefined;
}
