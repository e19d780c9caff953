/** Adds a query parameter to a path. */
export function withQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

/** Path of an order on the account page. */
export function orderPath(path: string, order_id: string): string {
  return withQuery(path, 'order', order_id);
}

/** The fields of the return form that a `preparedReturnLink` fills in; undefined for anything else. */
export function preparedFields(given: unknown): Record<string, string> | undefined {
  const [, reason = '', pieces = ''] = /^([a-z_]{1,30})((?:\.[0-9a-f-]{36}~\d{1,2}){1,20})$/.exec(String(given)) ?? [];
  if (pieces === '') return undefined;
  const quantities = pieces
    .slice(1)
    .split('.')
    .map((piece) => piece.split('~'));
  return { reason, ...Object.fromEntries(quantities.map(([id, quantity]) => [`quantity-${id}`, quantity])) };
}

/** Sections of the account page, selected by `?view=`. Without one, the page shows the orders. */
export const ACCOUNT_VIEWS = ['addresses', 'address', 'profile', 'delete', 'assistants'] as const;

export type AccountView = (typeof ACCOUNT_VIEWS)[number];

/** Returns the path of a section of the account page. */
export function accountViewPath(path: string, view: AccountView): string {
  return withQuery(path, 'view', view);
}

/**
 * Views on a login page, selected by `?login=`: the forms that request a new password or an account, and the
 * confirmation of each.
 */
export const ACCESS_VIEWS = ['forgot', 'forgot_sent', 'register', 'register_sent'] as const;

export type AccessView = (typeof ACCESS_VIEWS)[number];

/** Returns the path of a login page with this view selected. */
export function accessPath(path: string, view: AccessView): string {
  return withQuery(path, 'login', view);
}
