/**
 * Serves `GET /api/storefront/products` with the contract's example of a page, and nothing else: as a bare Express
 * route (argument `bare`), or behind our routing and validation with N operations mounted (argument N).
 */

import express, { type RequestHandler } from 'express';
import { document, operationTable } from '../server/src/http/contract/contract.ts';
import { createRouting } from '../server/src/http/contract/route.ts';
import { contractMistakes } from '../server/src/http/contract/validate.ts';
import { announce } from './processes.ts';

const MEASURED = 'storefront.listProducts';
const PATH = '/api/storefront/products';
const page = document.components.examples?.ProductPage?.value;
if (!page) throw new Error('The contract has no example of a page of products.');

const answer: RequestHandler = (_req, res) => {
  res.json(page);
};

const [mode = 'bare'] = process.argv.slice(2);
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('query parser', 'simple');
if (mode === 'bare') app.get(PATH, answer);
else app.use(validated(Number(mode)));
announce(app.listen(0, '127.0.0.1'));

function validated(mounted: number): RequestHandler {
  const own = operationTable.filter(({ id }) => id === MEASURED);
  const others = operationTable.filter(({ id }) => id !== MEASURED);
  // The measured operation is mounted last, where a search through all paths would take longest.
  const operations = [...others.slice(0, mounted - 1), ...own];
  const { route } = createRouting(operations);
  // Calls all mounted operations first, so that their validators are compiled, as in a server that has run for a while.
  for (const operation of operations) contractMistakes(operation, { query: {}, headers: {}, params: {}, body: {} });
  return (req, res, next) => {
    const { operation, path } = route(req.method, req.originalUrl);
    const { headers, query, body } = req;
    const mistakes = contractMistakes(operation, { headers, params: path, query, body });
    if (mistakes.length > 0) res.status(422).json({ detail: mistakes });
    else answer(req, res, next);
  };
}
