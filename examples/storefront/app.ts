import { CommerceError, isError } from '@commerce-backend/sdk';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { addToCart, applyCode, changeLine, goToCheckout } from './actions.ts';
import { layout, type Storefront } from './layout.ts';
import { accountPage, logOut, orderPage, thanksPage } from './pages/account.ts';
import { addressesPage, deleteAddress, saveAddress } from './pages/addresses.ts';
import { cartPage } from './pages/cart.ts';
import { collectionsPage, homePage } from './pages/home.ts';
import { collectionPage, searchPage, suggestions } from './pages/listing.ts';
import { logIn, loginPage, register, sendReset } from './pages/login.ts';
import { messagePage, notFoundPage } from './pages/message.ts';
import type { Page } from './pages/page.ts';
import { productPage } from './pages/product.ts';
import { changePassword, profilePage, saveProfile } from './pages/profile.ts';
import { requestReturn } from './pages/returns.ts';
import { robots, sitemap } from './search-engines.ts';
import { openVisit, piecesIn, type Visit } from './visit.ts';
import { isLanguage, LANGUAGES, type Language } from './words.ts';

const PAGES: Record<string, (visit: Visit) => Promise<Page>> = {
  '/': homePage,
  '/search': searchPage,
  '/collections': collectionsPage,
  '/collections/:handle': collectionPage,
  '/products/:slug': productPage,
  '/cart': cartPage,
  '/login': loginPage,
  '/register': loginPage,
  '/account': accountPage,
  '/account/orders/:id': orderPage,
  '/account/profile': profilePage,
  '/account/password': profilePage,
  '/account/addresses': addressesPage,
  '/thanks': thanksPage,
};

/** Actions of forms. Each redirects to a page, so that a reload does not repeat it. */
const ACTIONS: Record<string, (visit: Visit) => Promise<void>> = {
  '/cart/add': addToCart,
  '/cart/line': changeLine,
  '/cart/code': applyCode,
  '/checkout': goToCheckout,
  '/forgotten': sendReset,
  '/logout': logOut,
  '/account/addresses/delete': deleteAddress,
  '/account/orders/:id/return': requestReturn,
};

/** Forms that are shown again with their input if it is invalid. */
const FORMS: Record<string, (visit: Visit) => Promise<Page | undefined>> = {
  '/login': logIn,
  '/register': register,
  '/account/profile': saveProfile,
  '/account/password': changePassword,
  '/account/addresses': saveAddress,
};

export function openStorefront(storefront: Storefront): Express {
  const app = express();
  app.disable('x-powered-by');
  // A proxy on this machine passes on the client's IP address and whether it used https.
  app.set('trust proxy', 'loopback');
  app.use(safeHeaders(storefront.baseUrl), express.static(`${import.meta.dirname}/public`));
  app.get('/robots.txt', (req, res) => res.type('text/plain').send(robots(req)));
  app.get('/sitemap.xml', async (req, res) => {
    res.type('application/xml').send((await sitemap(req, storefront.shop)).text);
  });
  app.get('/', (req, res) => res.redirect(`/${req.acceptsLanguages(Object.keys(LANGUAGES)) || 'en'}/`));
  for (const language of Object.keys(LANGUAGES).filter(isLanguage))
    app.use(`/${language}`, inOne(language, storefront));
  app.use((_req, res) => res.redirect('/'));
  app.use(withoutDetails);
  return app;
}

function inOne(language: Language, storefront: Storefront): express.Router {
  const router = express.Router();
  const visited = (work: (visit: Visit) => Promise<unknown>): RequestHandler => {
    return async (req, res) => {
      const visit = openVisit(req, res, language, storefront);
      // Pages may be cached only by the shopper's browser, and pages of a logged-in customer not at all.
      res.set('Cache-Control', visit.isCustomer ? 'private, no-store' : 'private, no-cache');
      try {
        visit.pieces = await piecesIn(visit);
        await work(visit);
      } catch (error) {
        await answerError(error, visit, storefront);
      }
    };
  };
  for (const [path, page] of Object.entries(PAGES))
    router.get(
      path,
      visited(async (visit) => visit.res.send((await layout(visit, storefront, await page(visit))).text)),
    );
  router.get(
    '/suggest',
    visited(async (visit) => visit.res.send((await suggestions(visit)).text)),
  );
  const posted = [ownForms, express.urlencoded({ extended: false })];
  for (const [path, act] of Object.entries(ACTIONS)) router.post(path, posted, visited(act));
  for (const [path, save] of Object.entries(FORMS))
    router.post(
      path,
      posted,
      visited(async (visit) => {
        const refused = await save(visit);
        if (refused) visit.res.status(422).send((await layout(visit, storefront, refused)).text);
      }),
    );
  router.use(visited((visit) => sendNotFound(visit, storefront)));
  return router;
}

/** Rejects forms posted by other websites, in addition to SameSite cookies. */
const ownForms: RequestHandler = (req, res, next) => {
  const { origin, host } = req.headers;
  if (origin && URL.parse(origin)?.host !== host) res.sendStatus(403);
  else next();
};

/** Redirects to the login if the session has ended. Other errors become a page in the shopper's language. */
async function answerError(error: unknown, visit: Visit, storefront: Storefront): Promise<void> {
  if (isError(error, 'unauthorized', 'invalid_token')) {
    visit.logOut();
    return visit.goTo('/login');
  }
  if (error instanceof CommerceError && [404, 410, 422].includes(error.status)) return sendNotFound(visit, storefront);
  console.error(error);
  visit.res.status(500).send((await layout(visit, storefront, messagePage(visit, 'failed'))).text);
}

async function sendNotFound(visit: Visit, storefront: Storefront): Promise<void> {
  visit.res.status(404).send((await layout(visit, storefront, await notFoundPage(visit))).text);
}

/** Handles errors outside of pages, such as an invalid URL, without showing a stack trace. */
const withoutDetails: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error);
  const { status = 500 } = error as { status?: number };
  if (status >= 500) console.error(error);
  res.sendStatus(status);
};

function safeHeaders(baseUrl: string): RequestHandler {
  const { origin } = new URL(baseUrl);
  const policy = `default-src 'self'; img-src 'self' ${origin}; form-action 'self' ${origin}; frame-ancestors 'none'`;
  return (_req, res, next) => {
    res.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin', 'Cache-Control': 'no-cache' });
    next();
  };
}
