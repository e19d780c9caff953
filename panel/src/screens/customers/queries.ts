import type { DashboardPaths } from '@commerce-backend/sdk';

export const GUESTS_PATH = '/api/dashboard/customers/guests';

export type CustomerQuery = NonNullable<DashboardPaths['/api/dashboard/customers']['get']['parameters']['query']>;
export type GuestQuery = NonNullable<DashboardPaths[typeof GUESTS_PATH]['get']['parameters']['query']>;

/** Value of the account filter that lists guests instead of customers. */
export const GUESTS = 'guest';

const GUEST_SORTS = ['last_order', 'email_asc', 'orders_desc', 'spent_desc'] as const;

/** Converts the filters in the URL to the query of the guest list; undefined if the list shows customers. */
export function guestQueryOf(params: URLSearchParams): GuestQuery | undefined {
  if (params.get('has_account') !== GUESTS) return undefined;
  const q = params.get('q') ?? undefined;
  const sort = GUEST_SORTS.find((value) => value === params.get('sort'));
  const page = Math.max(1, Number(params.get('page')) || 1);
  return { page, limit: 20, ...(q && { q }), ...(sort && { sort }) };
}
