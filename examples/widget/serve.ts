import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { readDemo } from '../demo-shop.ts';

/**
 * A page of another site with a buy button of the demo shop: `node examples/widget/serve.ts`, then open the address
 * that it prints. A page of your own needs the same three parts: the import map, the script, and the element. PORT is
 * 3001 by default.
 */
const { PORT = '3001', DEMO_FILE = '.data/demo.json' } = process.env;
const demo = readDemo(DEMO_FILE);

const FILES: Record<string, string> = {
  '/buy-button.js': fileURLToPath(new URL('buy-button.js', import.meta.url)),
  '/openapi-fetch.js': fileURLToPath(import.meta.resolve('openapi-fetch')),
};
/** The SDK's files, which import each other by relative paths. */
const SDK = new URL('.', import.meta.resolve('@commerce-backend/sdk'));

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8')
  .replaceAll('SHOP', demo.base_url)
  .replaceAll('SITE_ID', demo.site_id)
  .replaceAll('TOKEN', demo.storefront_token);

createServer((req, res) => {
  const path = req.url ?? '/';
  const [, module] = /^\/sdk\/([\w/-]+\.js)$/.exec(path) ?? [];
  const file = module ? fileURLToPath(new URL(module, SDK)) : FILES[path];
  if (path === '/') return void res.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  if (!file) return void res.writeHead(404).end();
  res.setHeader('Content-Type', 'text/javascript; charset=utf-8');
  createReadStream(file)
    .once('error', () => res.writeHead(404).end())
    .pipe(res);
}).listen(Number(PORT), () => console.log(`The page is at http://localhost:${PORT}`));
