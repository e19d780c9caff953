import type { Request, RequestHandler, Response, Router } from 'express';
import type { Pool } from 'pg';
import type { Egress } from '../../egress/post.ts';
import type { LastUsed } from '../../http/callers/last-used.ts';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';
import { contextOf } from '../../http/express/context.ts';
import { Deadline, type Deadlines } from '../../http/pipeline/deadline.ts';
import { statusOf, translate } from '../../http/pipeline/errors.ts';
import type { Limits } from '../../http/pipeline/limits.ts';
import type { RequestContext } from '../../http/request.ts';
import { type Language, languageFor } from '../../language/language.ts';
import { chooseLocale } from '../../language/locales.ts';
import type { AuditKey } from '../../shop/audit/keys.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { RenderedDocument } from '../../shop/invoices/files.ts';
import type { Front } from '../../shop/merchant/front.ts';
import type { CheckoutDeps } from '../../shop/payments/deps.ts';
import type { Tenant } from '../../shop/shop.ts';
import { noticePage, type Where } from './document.ts';
import { type FormBody, readForm } from './form-body.ts';
import type { Guard } from './guard.ts';
import { pageHeaders } from './headers.ts';
import { COMMON_NOTICES, type Notices, noticeOf } from './notices.ts';

export interface PagesDeps {
  db: Pool;
  limits: Limits;
  hosts: SiteHosts;
  checkoutDeps: CheckoutDeps;
  auditKey: AuditKey;
  lastUsed: LastUsed;
  deadlines: Deadlines;
  /** Fetches the documents that describe OAuth clients. */
  egress: Egress;
}

/** A request for a page. */
export interface PageRequest extends PagesDeps {
  guard: Guard;
  /** Deadline of the request's transactions. Calls of payment providers have their own, longer limits. */
  deadline: Deadline;
  req: Request;
  res: Response;
  context: RequestContext;
  /** Language of the browser, until the shop and the reader are known. */
  language: Language;
  /** The site of the page, once it is known; never set for pages about a staff login. */
  tenant?: Tenant;
  /** The shop's name, branding and links, once the shop is known. */
  front?: Front | undefined;
  /** URL of the storefront, if it differs from the shop's settings. */
  back?: string | undefined;
}

/** The response to a page request. */
export type PageAnswer =
  | {
      status: number;
      html: string;
      /** URL to which the page redirects and links. Never taken from a request. */
      refresh?: string;
      /** A download, which is sent instead of the HTML. */
      file?: RenderedDocument;
    }
  | {
      redirect: string;
      /** Whether the redirect leads to the same page at the shop's primary host. */
      moved?: true;
    };

/**
 * A page that works without JavaScript. GET changes nothing, because link scanners open links. POST runs a form's
 * action. It redirects to GET, or returns a page, for example with mistakes or with data that needs a proof.
 */
export interface PageRoute<Visit extends PageRequest> {
  /** Express paths. */
  path: string | string[];
  where: Where;
  /** Whether the page is served at the requested host even if the shop has its own. */
  stays?: true;
  /** Finds the object that the URL names. Throws `not_found` if there is none. */
  arrive(request: PageRequest): Promise<Visit>;
  /** Identifies the form's subject. A form token for another subject is rejected. */
  formOf(visit: Visit): string;
  show(visit: Visit): Promise<PageAnswer>;
  /** Called only for forms posted by our own pages. */
  post(visit: Visit, body: FormBody): Promise<PageAnswer>;
  /** Notices by error code, in addition to the notices of all pages. */
  notices: Notices;
}

/** Adds a page to the router. Forms posted by other websites are rejected on all pages. */
export function addPage<Visit extends PageRequest>(
  router: Router,
  deps: PagesDeps & { guard: Guard },
  page: PageRoute<Visit>,
): void {
  const handled =
    (handle: (request: PageRequest) => Promise<PageAnswer>): RequestHandler =>
    async (req, res) => {
      const deadline = new Deadline(deps.deadlines.request);
      const context = contextOf(res);
      try {
        const language = browserLanguage(req);
        const answer = await deadline.limit(handle({ ...deps, deadline, req, res, context, language }));
        const { succeeded, refusalIfFailed } = context;
        if (isNoFailure(answer)) await succeeded?.().catch(() => undefined);
        else if (refusalIfFailed) throw refusalIfFailed;
        send(res, answer);
      } catch (error) {
        await fail(deps, page, req, res, error);
      }
    };
  router.get(
    page.path,
    pageHeaders,
    handled(async (request) => {
      const visit = await arrive(page, request);
      return (page.stays ? undefined : moved(visit)) ?? page.show(visit);
    }),
  );
  router.post(
    page.path,
    pageHeaders,
    handled((request) => post(page, request)),
  );
  router.all(page.path, pageHeaders, (req, res) => {
    res.set('Allow', 'GET, HEAD, POST');
    send(
      res,
      refusalPage(
        page,
        { language: browserLanguage(req) },
        new ShopError('method_not_allowed', 'Open this page in a browser.'),
      ),
    );
  });
}

/** Finds the page's object. From then on, error pages use its shop and language. */
async function arrive<Visit extends PageRequest>(page: PageRoute<Visit>, request: PageRequest): Promise<Visit> {
  const visit = await page.arrive(request);
  refuseAtForeignHost(visit);
  const { language, front, back } = visit;
  SEEN.set(request.res, { language, front, back });
  return visit;
}

/** Throws if the page belongs to a shop other than the shop of the host. */
function refuseAtForeignHost({ hosts, req, tenant }: PageRequest): void {
  const site_id = hosts.siteAt(req);
  if (site_id === undefined || !tenant || tenant.site_id === site_id) return;
  throw new ShopError('not_found', 'This link leads nowhere here.');
}

/**
 * Redirects to the shop's primary host if the request came to the configured host. Navigation within this host is not
 * redirected, because it may rely on a session cookie that is valid only here.
 */
function moved({ hosts, checkoutDeps, req, tenant }: PageRequest): PageAnswer | undefined {
  if (!tenant || hosts.siteAt(req) !== undefined || req.headers['sec-fetch-site'] === 'same-origin') return undefined;
  const address = hosts.addressOf(tenant.site_id);
  return address === checkoutDeps.baseUrl ? undefined : { redirect: address + req.originalUrl, moved: true };
}

type Seen = Pick<PageRequest, 'language' | 'front' | 'back'>;
const SEEN = new WeakMap<Response, Seen>();

/** The browser's preferred language, for requests without a shop. */
function browserLanguage(req: Request): Language {
  return languageFor(chooseLocale(req, null, 'en'), 'UTC');
}

/** Whether the form was accepted, or rejected only for missing or invalid input. */
function isNoFailure(answer: PageAnswer): boolean {
  return 'redirect' in answer || answer.status < 400 || answer.status === 422;
}

async function post<Visit extends PageRequest>(page: PageRoute<Visit>, request: PageRequest): Promise<PageAnswer> {
  const visit = await arrive(page, request);
  const { guard, req, res, language, front } = visit;
  const body = await readForm(req, res);
  if (!guard.isOurs(req, page.formOf(visit), body.get('csrf') ?? '')) {
    const notice = noticeOf(language, 'page.foreign_form');
    return { status: 403, html: noticePage(notice, { language, front, where: page.where }) };
  }
  return page.post(visit, body);
}

function send(res: Response, answer: PageAnswer): void {
  if (res.headersSent) return;
  if ('redirect' in answer) {
    res.removeHeader('Content-Type');
    res
      .status(answer.moved ? 302 : 303)
      .set('Location', answer.redirect)
      .end();
    return;
  }
  if (answer.file) {
    const { filename, content_type, bytes } = answer.file;
    res.attachment(filename).set('Content-Type', content_type).send(bytes);
    return;
  }
  if (answer.refresh) res.set('Refresh', `0; url=${answer.refresh}`);
  res.status(answer.status).send(answer.html);
}

type Wording = Pick<PageRoute<PageRequest>, 'where' | 'notices'>;

/** Shows an error page with the next step. */
async function fail({ limits }: PagesDeps, page: Wording, req: Request, res: Response, error: unknown): Promise<void> {
  // A request whose body did not arrive in time has already been answered.
  if (res.headersSent) return;
  const known = error instanceof ShopError;
  const thrown = known ? error : error instanceof ValidationError ? unreadable() : translate(error);
  const refusal = thrown.code === 'not_found' ? await countUnknownLink(limits, req, res, thrown) : thrown;
  const status = statusOf(refusal.code);
  if (status >= 500) contextOf(res).cause = error;
  const { retry_after_seconds = status === 503 ? 1 : undefined } = refusal.context;
  if (retry_after_seconds !== undefined) res.set('Retry-After', String(retry_after_seconds));
  send(res, refusalPage(page, SEEN.get(res) ?? { language: browserLanguage(req) }, refusal));
}

/** Counts a request for an unknown link. Returns 404, or 429 after too many. */
async function countUnknownLink(limits: Limits, req: Request, res: Response, notFound: ShopError): Promise<ShopError> {
  const { headers, refusal } = await limits.countFailure(req, 'link');
  if (refusal) res.set(headers);
  return refusal ?? notFound;
}

function unreadable(): ShopError {
  return new ShopError('invalid_request', 'The form contains an unexpected field or value.');
}

/** The page for an error that concerns the whole page. */
function refusalPage({ where, notices }: Wording, seen: Seen, { code }: ShopError): PageAnswer {
  const all = { ...COMMON_NOTICES, ...notices };
  const notice = noticeOf(seen.language, all[code] ?? all.internal_error ?? 'page.internal_error');
  return {
    status: statusOf(code),
    html: noticePage(notice, { language: seen.language, front: seen.front, back: seen.back, where }),
  };
}
