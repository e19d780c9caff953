import type { ReactNode } from 'react';
import type { Column } from '../../ui/data-table.tsx';

/** Fields that all kinds of keys have. */
export interface KeyRow {
  id: string;
  description: string;
  secret_prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  /** When a rotated key stops working. */
  expires_at: string | null;
  created_by: { name: string | null } | null;
}

/** API calls for one kind of key. Calls that create or rotate a key resolve to its secret. */
export interface KeyKind<Row extends KeyRow> {
  title: string;
  about: string;
  /** Name of one key, such as "API key". */
  noun: string;
  queryKey: string;
  list: (signal: AbortSignal) => Promise<Row[]>;
  create: (form: FormData) => Promise<string>;
  /** Rotates a key. The old key works for another `grace_hours` hours. */
  rotate: (id: string, grace_hours: number) => Promise<string>;
  revoke: (id: string) => Promise<unknown>;
  columns: Column<Row>[];
  /** Form fields of a new key in addition to its description. */
  fields?: (error: unknown) => ReactNode;
}
