/** Adds a query parameter to a path. */
export function withQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

/** Path of an order on the account page. */
export function orderPath(path: string, order_id: string): string {
  return withQuery(path, 'order', order_id);
}

/**
 * Views on a login page, selected by `?login=`: the forms that request a new password or an account, and the
 * confirmation of each.
 */
export const ACCESS_VIEWS = ['forgot', 'forgot_sent', 'register', 'register_sent'] as const;

export type AccessView = (typeof ACCESS_VIEWS)[number];

/** Path of such a view on a login page. */
export function accessPath(path: string, view: AccessView): string {
  return withQuery(path, 'login', view);
}
