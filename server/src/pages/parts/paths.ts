/** The path with one more value in its query. */
export function withQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

/** The path of one order, on the account page with the given path. */
export function orderPath(path: string, order_id: string): string {
  return withQuery(path, 'order', order_id);
}

/**
 * The views next to the login of a page, chosen by `?login=` in its URL: the request for a link to set a new password, the
 * request for an account, and the confirmation of each.
 */
export const ACCESS_VIEWS = ['forgot', 'forgot_sent', 'register', 'register_sent'] as const;

export type AccessView = (typeof ACCESS_VIEWS)[number];

/** The path of such a view, on the login page with the given path. */
export function accessPath(path: string, view: AccessView): string {
  return withQuery(path, 'login', view);
}
