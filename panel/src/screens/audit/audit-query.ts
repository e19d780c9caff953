import type { DashboardPaths } from '@commerce-backend/sdk';

export type AuditQuery = NonNullable<DashboardPaths['/api/dashboard/audit-events']['get']['parameters']['query']>;

const FILTERS = ['actor_type', 'actor_id', 'assistant', 'action', 'created_from', 'created_to'] as const;

/**
 * Converts the filters in the URL to the API's query. Without a filter that names other callers, only changes by staff,
 * their assistants and keys are listed. The API rejects unknown values, and the list shows the error.
 */
export function auditQueryOf(params: URLSearchParams): AuditQuery {
  const given = FILTERS.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []));
  return { ...Object.fromEntries(given), ...(!showsAll(params) && { view: 'changes' }) } as AuditQuery;
}

/** Whether the list also shows agents, customers, guests and logins. */
export function showsAll(params: URLSearchParams): boolean {
  const type = params.get('actor_type');
  return params.has('all') || (type !== null && type !== 'staff' && type !== 'api_key');
}
