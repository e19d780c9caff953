import type { ReactNode } from 'react';
import type { Column } from '../../ui/data-table.tsx';

/** The fields of every kind of key. */
export interface KeyRow {
  id: string;
  description: string;
  secret_prefix: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  /** When a replaced key ends. */
  expires_at: string | null;
  created_by: { name: string | null } | null;
}

/** The calls for one kind of key. Calls that create or replace a key resolve to its secret. */
export interface KeyKind<Row extends KeyRow> {
  title: string;
  about: string;
  /** The noun for one key, such as "API key". */
  noun: string;
  queryKey: string;
  list: (signal: AbortSignal) => Promise<Row[]>;
  create: (form: FormData) => Promise<string>;
  /** Replaces a key. The old one keeps working for this many hours. */
  rotate: (id: string, grace_hours: number) => Promise<string>;
  revoke: (id: string) => Promise<unknown>;
  columns: Column<Row>[];
  /** The fields of a new key, besides its description. */
  fields?: (error: unknown) => ReactNode;
}
