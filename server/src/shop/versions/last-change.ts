import type { Shop } from '../shop.ts';

/** What a refused change is told of the change before it, as far as it is known. */
export interface LastChange {
  changed_at: string | null;
  changed_by: { type: string; id: string | null; name: string | null } | null;
  changed_fields: string[] | null;
}

/** The last change of a resource, which its caller has locked. */
export async function lastChange(_shop: Shop, _noun: string, _id: string, shown: object): Promise<LastChange> {
  const changed_at = 'updated_at' in shown ? String(shown.updated_at) : null;
  return { changed_at, changed_by: null, changed_fields: null };
}
