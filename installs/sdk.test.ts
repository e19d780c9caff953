import { randomUUID } from 'node:crypto';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, NO_CHROMIUM, openChromium } from '../server/test/chromium.ts';
import { openShop } from '../server/test/shop.ts';
import { done, emptyFolder, install, NEWEST_TYPESCRIPT, pack, REPOSITORY, ran } from './outside.ts';

/** Tests the SDK as users install it: from its tarball, in a folder outside of the repository. */

/** Oldest TypeScript version that sdk/README.md promises. */
const OLDEST_TYPESCRIPT = '5.6.3';
/** Maximum size of the tarball. Most of it is the contract's types and the mocks' contract. */
const LARGEST_TARBALL = 320_000;

/** The dependency versions with which the repository tests the mocks. */
const {
  ajv: AJV,
  msw: MSW,
  rolldown: ROLLDOWN,
} = JSON.parse(await readFile(join(REPOSITORY, 'sdk/package.json'), 'utf8')).devDependencies;

const chromium = findChromium();
if (!chromium) console.warn(NO_CHROMIUM);

let folder: string;
let remove: () => Promise<void>;
let tarball: string;

beforeAll(async () => {
  ({ folder, remove } = await emptyFolder());
  tarball = await pack('sdk', folder);
  await install(folder, tarball, `typescript@${OLDEST_TYPESCRIPT}`, '@types/node@24');
  await copyFile(join(REPOSITORY, 'installs/program.ts'), join(folder, 'program.ts'));
}, 300_000);

afterAll(() => remove?.());

/** Opens a shop. Returns the arguments for program.ts. */
async function shop(): Promise<string[]> {
  const { baseUrl, credentials } = await openShop();
  return [baseUrl, credentials.site_id, credentials.storefront_token, credentials.api_key, credentials.sync_secret];
}

test("the SDK's tarball contains the contract, and needs none of our other packages", async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@commerce-backend/sdk/package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch']);
  expect((await stat(tarball)).size).toBeLessThan(LARGEST_TARBALL);
});

/** Compiler options that strict projects set in addition to `strict`. */
const STRICTER = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitOverride: true };

const compilers = { [OLDEST_TYPESCRIPT]: 'node_modules/typescript/bin/tsc', newest: NEWEST_TYPESCRIPT };
const forNode = { lib: ['es2022'], types: ['node'] };
const forBrowsers = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
const nodenext = { module: 'nodenext', moduleResolution: 'nodenext', ...forNode };
const resolutions = {
  node16: { module: 'node16', moduleResolution: 'node16', ...forNode },
  bundler: { module: 'esnext', moduleResolution: 'bundler', ...forBrowsers },
};

/** Compiles program.ts. Returns the compiler's output, which is empty without errors. */
async function compiled(compiler: string, options: object): Promise<string> {
  const compilerOptions = { strict: true, ...STRICTER, target: 'es2022', ...options };
  const project = join(folder, `tsconfig.${randomUUID()}.json`);
  await writeFile(project, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  return (await ran(folder, [process.execPath, compiler, '-p', project])).out;
}

describe.each(Object.entries(compilers))('TypeScript %s', (_, compiler) => {
  test.each(Object.entries(resolutions))(
    "a program with the SDK compiles under %s, including the SDK's declarations",
    async (_, options) => {
      expect(await compiled(compiler, { ...options, noEmit: true, skipLibCheck: false })).toBe('');
    },
  );

  test('a program with the SDK compiles with skipLibCheck', async () => {
    expect(await compiled(compiler, { ...resolutions.bundler, noEmit: true, skipLibCheck: true })).toBe('');
  });
});

test('a program compiled with nodenext calls every API of the server', async () => {
  expect(await compiled(NEWEST_TYPESCRIPT, { ...nodenext, outDir: 'out' })).toBe('');
  const out = await done(folder, [process.execPath, 'out/program.js', ...(await shop())]);
  expect(JSON.parse(out)).toEqual({
    names: ['Slate mug'],
    total: '28.00',
    code: 'insufficient_stock',
    changed: true,
    order_number: '1001',
  });
});

/** Each major version of msw that the mocks support, with the oldest TypeScript that this version supports. */
const TOGETHER = [
  { msw: '2', typescript: OLDEST_TYPESCRIPT },
  { msw: MSW, typescript: '5.9.3' },
];

test.each(TOGETHER)('a program tested with the mocks and msw $msw compiles, and runs without a server', async (of) => {
  const mine = await emptyFolder();
  try {
    const tools = [`typescript@${of.typescript}`, '@types/node@24', `msw@${of.msw}`, `ajv@${AJV}`];
    await install(mine.folder, tarball, ...tools);
    await copyFile(join(REPOSITORY, 'installs/mocks-program.ts'), join(mine.folder, 'mocks-program.ts'));
    // msw's own declarations are not checked.
    const compilerOptions = { strict: true, target: 'es2022', ...nodenext, skipLibCheck: true, outDir: 'out' };
    await writeFile(
      join(mine.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['mocks-program.ts'] }),
    );
    const compiler = 'node_modules/typescript/bin/tsc';
    expect((await ran(mine.folder, [process.execPath, compiler, '-p', 'tsconfig.json'])).out).toBe('');
    const out = await done(mine.folder, [process.execPath, 'out/mocks-program.js']);
    expect(JSON.parse(out)).toEqual(['38.20', 'budget_exceeded 7900', '503 Tea']);
  } finally {
    await mine.remove();
  }
});

test.skipIf(!chromium)(
  'a page on another origin calls the storefront API with the installed modules, without a build',
  async () => {
    const { credentials, baseUrl, givenProduct } = await openShop();
    const { variants } = await givenProduct({ name: 'Slate mug', price: '14.00' });
    const options = {
      baseUrl,
      siteId: credentials.site_id,
      storefrontToken: credentials.storefront_token,
    };
    await writeFile(join(folder, 'index.html'), page(options, variants[0]?.id ?? ''));
    expect(await shownIn(folder)).toBe('Slate mug 28.00');
  },
);

test.skipIf(!chromium)("a page with the mocks in msw's service worker works without a server", async () => {
  const mine = await emptyFolder();
  try {
    await install(mine.folder, tarball, `msw@${MSW}`, `ajv@${AJV}`, `rolldown@${ROLLDOWN}`);
    await copyFile(
      join(mine.folder, 'node_modules/msw/lib/mockServiceWorker.js'),
      join(mine.folder, 'mockServiceWorker.js'),
    );
    await writeFile(join(mine.folder, 'page.js'), MOCKED);
    const bundle = ['page.js', '--format', 'esm', '--platform', 'browser', '--file', 'bundle.js'];
    await done(mine.folder, ['npx', '--no', '--', 'rolldown', ...bundle]);
    await writeFile(
      join(mine.folder, 'index.html'),
      '<!doctype html><body></body><script type="module" src="bundle.js"></script>',
    );
    expect(await shownIn(mine.folder)).toBe('41.90');
  } finally {
    await mine.remove();
  }
});

/** A page's program with a cart, bundled as with a build tool. */
const MOCKED = `
import { createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import { createMockShop } from '@commerce-backend/sdk/mocks';
import { setupWorker } from 'msw/browser';

const { handlers, shop } = createMockShop({ baseUrl: 'https://shop.test' });
const show = async () => {
  await setupWorker(...handlers).start({ quiet: true });
  const storefront = createStorefrontClient(shop);
  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const params = { path: { cart_id } };
  const body = { variant_id: shop.variantId('MUG-OAT'), quantity: 2 };
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body }));
  const { id } = await unwrap(storefront.POST('/api/storefront/checkout', { body: { cart_id } }));
  return shop.confirm(id).total;
};
document.body.textContent = await show().catch(String);
document.body.dataset.done = 'yes';
`;

/** Opens index.html in a browser. Returns its text when the program has finished. */
async function shownIn(root: string): Promise<string> {
  const files = await fileServer(root);
  const browser = await openChromium(chromium ?? '');
  try {
    const tab = await browser.newPage();
    const { port } = files.address() as AddressInfo;
    await tab.goto(`http://localhost:${port}/index.html`);
    await tab.waitForFunction("document.body.dataset.done === 'yes'", { timeout: 20_000 });
    return (await tab.evaluate('document.body.textContent.trim()')) as string;
  } finally {
    await browser.close();
    files.close();
  }
}

/** A page that lists products and adds two pieces to a cart. The Idempotency-Key causes a preflight request. */
function page(options: object, variantId: string): string {
  const imports = {
    '@commerce-backend/sdk': '/node_modules/@commerce-backend/sdk/dist/index.js',
    'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
  };
  return `<!doctype html><title>A storefront</title><body></body>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
  import { createStorefrontClient, unwrap } from '@commerce-backend/sdk';
  const show = async () => {
    const shop = createStorefrontClient(${JSON.stringify(options)});
    const { products } = await unwrap(shop.GET('/api/storefront/products'));
    const { id: cart_id } = await unwrap(shop.POST('/api/storefront/cart'));
    const params = { path: { cart_id } };
    const body = { variant_id: '${variantId}', quantity: 2 };
    const { total } = await unwrap(shop.POST('/api/storefront/cart/{cart_id}/items', { params, body }));
    return products[0].name + ' ' + total;
  };
  document.body.textContent = await show().catch(String);
  document.body.dataset.done = 'yes';
</script>`;
}

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript' };

async function fileServer(root: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    const content = await readFile(join(root, path)).catch(() => undefined);
    const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    response.writeHead(content ? 200 : 404, { 'Content-Type': type }).end(content);
  });
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return server;
}
