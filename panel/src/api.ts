import { type CommerceError, ConnectionError, createDashboardClient, type Schemas } from '@commerce-backend/sdk';
import type { components } from '@commerce-backend/spec';
import { notifyManager, QueryClient } from '@tanstack/react-query';
import { label } from './format.ts';
import { ERRORS, MISTAKES } from './language/errors.ts';
import { panelLanguage, t } from './language/texts.ts';
import { confirmIdentity } from './session/step-up.ts';

export type { Schemas };

/** The contract's schemas for request bodies, with closed enums: `Inputs['ProductPatch']`. */
export type Inputs = components['schemas'];

/**
 * The panel's client for the dashboard API. The session is in a cookie, so scripts have no token. If a call needs a
 * recently confirmed password (403 `step_up_required`), the panel asks for it and resends the call with the same
 * Idempotency-Key. Any other 401 or 403 makes the panel fetch the session again, because it may have changed;
 * `isAboutSession` names the exceptions.
 */
export const api = createDashboardClient({ baseUrl: '', panel: true, fetch: send });

async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 401 && response.status !== 403) return response;
  const { error, second_factor } = await refusalOf(response);
  if (error === 'step_up_required') {
    return (await confirmIdentity({ secondFactor: second_factor === true })) ? fetch(again) : response;
  }
  if (!isAboutSession(new URL(request.url).pathname)) void queryClient.invalidateQueries({ queryKey: meKey });
  return response;
}

/**
 * Whether the panel keeps the session after a 401 or 403 for this path. A 401 for such a path means a wrong password or
 * second-factor code, or that nobody is logged in. The confirm path is excluded, because its 401 may also mean that the
 * session has ended.
 */
function isAboutSession(path: string): boolean {
  if (path === '/api/dashboard/auth/confirm') return false;
  return path === '/api/dashboard/me' || path.startsWith('/api/dashboard/auth/');
}

/** Query key of the logged-in staff member and the permissions of their role. */
export const meKey = ['me'];

async function refusalOf(response: Response): Promise<{ error?: unknown; second_factor?: unknown }> {
  try {
    const body: unknown = await response.clone().json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

// Delivers updates in a microtask instead of some tasks later, so that saving locks a form before the next key press.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a connection, calls fail with an error instead of waiting, which would keep a form locked.
      networkMode: 'always',
      // The API client retries itself.
      retry: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/**
 * Refetches these queries. Await it before a form closes and reports success; otherwise the old values would be shown
 * and edited once more. If a fetch fails, the shown values stay.
 */
export async function readAgain(...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/** A response with its ETag. Sending the ETag in `If-Match` prevents overwriting changes that the user has not seen. */
export interface Versioned<Data> {
  data: Data;
  etag: string | undefined;
}

/** Unwraps a call's data and ETag. Throws like `unwrap`. */
export async function versioned<Result extends { response: Response; error?: unknown; data?: unknown }>(
  call: Promise<Result>,
  unwrapped: (call: Promise<Result>) => Promise<NonNullable<Result['data']>>,
): Promise<Versioned<NonNullable<Result['data']>>> {
  const result = await call;
  const data = await unwrapped(Promise.resolve(result));
  return { data, etag: result.response.headers.get('ETag') ?? undefined };
}

/** Headers for a change that must fail if the resource is newer than the shown one. */
export function ifMatch(etag: string | undefined): Record<string, string> {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/** The error message for users: a message for each invalid field, or else one message for the error. */
export function inWords(error: unknown): string {
  const detail = (error as Partial<CommerceError> | null)?.detail;
  if (Array.isArray(detail) && detail.length > 0) return detail.map(mistakeInWords).join(' ');
  const code = (error as Partial<CommerceError> | null)?.code ?? '';
  const told = FOR_PEOPLE[code] ?? (panelLanguage() === 'en' ? undefined : ERRORS[code]);
  if (told) return told;
  if (error instanceof ConnectionError) return NO_CONNECTION;
  if (error instanceof Error) return error.message;
  return t('Something went wrong. Try again.');
}

const NO_CONNECTION = t('The server cannot be reached. Check the connection and try again; your input is still here.');

/** Messages that name the screen with the remedy, because the server's messages are for programs. */
const FOR_PEOPLE: Record<string, string> = {
  invoice_seller_missing: t(
    'Enter the seller under Settings › Invoices first: legal name, address, and a VAT ID or tax number.',
  ),
  insufficient_scope: t('Your role does not allow this. An owner can change it under Settings › Staff and roles.'),
  merchant_not_allowed: t('You no longer have access to this shop.'),
};

type Mistake = { loc: readonly (string | number)[]; msg: string; type?: string };

export function mistakeInWords(mistake: Mistake): string {
  const field = mistake.loc.slice(1).findLast((part) => typeof part === 'string');
  const words = mistakeText(mistake);
  return field === undefined ? words : `${label(String(field))}: ${words}`;
}

function mistakeText({ msg, type = '' }: Mistake): string {
  return panelLanguage() === 'en' ? msg : (MISTAKES[type] ?? msg);
}

/** The 422 message for a field of the request body, by its path such as `brand.name`. */
export function fieldError(error: unknown, field: string): string | undefined {
  const detail = (error as Partial<CommerceError> | null)?.detail;
  if (!Array.isArray(detail)) return undefined;
  const path = field.split('.');
  const found = detail.find(({ loc }) => loc[0] === 'body' && path.every((part, i) => String(loc[i + 1]) === part));
  return found && mistakeText(found);
}
