import { type CommerceError, ConnectionError, createDashboardClient, type Schemas } from '@commerce-backend/sdk';
import type { components } from '@commerce-backend/spec';
import { notifyManager, QueryClient } from '@tanstack/react-query';
import { label } from './format.ts';
import { confirmIdentity } from './session/step-up.ts';

export type { Schemas };

/** The nouns of the contract as they are sent, with closed enums: `Inputs['ProductPatch']`. */
export type Inputs = components['schemas'];

/**
 * The panel's client of the dashboard. The session is a cookie, so no script has a token. A call that needs a recent
 * password (403 `step_up_required`) asks for it and is then sent again, with its own Idempotency-Key. Any other error about
 * the session or its role may mean that they changed, so the panel fetches the session again.
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
 * Whether a 401 of this path concerns a password or a code of the second factor, or itself says who is logged in. The confirm
 * path is an exception: it needs a session, so its 401 may also mean that the session has ended.
 */
function isAboutSession(path: string): boolean {
  if (path === '/api/dashboard/auth/confirm') return false;
  return path === '/api/dashboard/me' || path.startsWith('/api/dashboard/auth/');
}

/** The query key of the logged-in member of staff and the role's permissions. */
export const meKey = ['me'];

async function refusalOf(response: Response): Promise<{ error?: unknown; second_factor?: unknown }> {
  try {
    const body: unknown = await response.clone().json();
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

// Updates are delivered before the next key press, not some tasks later: a form is locked by the press that saves it.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a connection a call fails with an error, instead of waiting behind a form that cannot be used.
      networkMode: 'always',
      // The API client itself retries.
      retry: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/**
 * Resolves once these queries were fetched again. A change awaits it before its form closes and reports success: otherwise
 * the old values would appear once more, to be edited and compared with. If a fetch fails, the displayed values stay.
 */
export async function readAgain(...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/** A response with its ETag, which `If-Match` sends back, so that nobody's change is overwritten unseen. */
export interface Versioned<Data> {
  data: Data;
  etag: string | undefined;
}

/** The data of a call with its ETag. Throws like `unwrap`. */
export async function versioned<Result extends { response: Response; error?: unknown; data?: unknown }>(
  call: Promise<Result>,
  unwrapped: (call: Promise<Result>) => Promise<NonNullable<Result['data']>>,
): Promise<Versioned<NonNullable<Result['data']>>> {
  const result = await call;
  const data = await unwrapped(Promise.resolve(result));
  return { data, etag: result.response.headers.get('ETag') ?? undefined };
}

/** The headers of a change that must not overwrite a newer state than the displayed one. */
export function ifMatch(etag: string | undefined): Record<string, string> {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/** An error in words for people: the mistake of each field, or the server's sentence. */
export function inWords(error: unknown): string {
  const detail = (error as Partial<CommerceError> | null)?.detail;
  if (Array.isArray(detail) && detail.length > 0) return detail.map(mistakeInWords).join(' ');
  const told = FOR_PEOPLE[(error as Partial<CommerceError> | null)?.code ?? ''];
  if (told) return told;
  if (error instanceof ConnectionError) return NO_CONNECTION;
  if (error instanceof Error) return error.message;
  return 'Something went wrong. Try again.';
}

const NO_CONNECTION = 'The server cannot be reached. Check the connection and try again; your input is still here.';

/** Errors of the role, which the server words for programs. */
const FOR_PEOPLE: Record<string, string> = {
  insufficient_scope: 'Your role does not allow this. An owner can change it under Settings › Staff and roles.',
  merchant_not_allowed: 'You no longer have access to this shop.',
};

export function mistakeInWords({ loc, msg }: { loc: readonly (string | number)[]; msg: string }): string {
  const field = loc.slice(1).findLast((part) => typeof part === 'string');
  return field === undefined ? msg : `${label(String(field))}: ${msg}`;
}

/** The message of a 422 for one field of the body, by its path such as `brand.name`. */
export function fieldError(error: unknown, field: string): string | undefined {
  const detail = (error as Partial<CommerceError> | null)?.detail;
  if (!Array.isArray(detail)) return undefined;
  const path = field.split('.');
  return detail.find(({ loc }) => loc[0] === 'body' && path.every((part, i) => String(loc[i + 1]) === part))?.msg;
}
