import type { DemoCredentials } from '../demo/stored.ts';

export interface Greeting {
  version: string;
  baseUrl: string;
  /** The database in words, without a password. */
  database: string;
  /** The destination of mails, in words. */
  mails: string;
  demo: DemoCredentials | undefined;
  /** File with the demo credentials. */
  demoFile: string;
  /** A checkout page to try, if any. */
  checkoutUrl: string | undefined;
  /** Seconds since the process started. */
  seconds: number;
}

/** The text that a person at a terminal sees after a start. */
export function greeting({ version, baseUrl, database, mails, seconds, ...shop }: Greeting): string {
  const head = [
    `Commerce Backend ${version} is ready, after ${seconds.toFixed(1)} s.`,
    '',
    ...table({
      Panel: `${baseUrl}/panel`,
      API: `${baseUrl}/api`,
      Documentation: `${baseUrl}/docs`,
      Contract: `${baseUrl}/openapi.json`,
      Health: `${baseUrl}/readyz`,
      Database: database,
      Mails: mails,
    }),
  ];
  const foot = ['', 'Ctrl-C stops the server.'];
  return indent([...head, ...(shop.demo ? demoLines(shop.demo, shop) : []), ...foot]);
}

type Shown = Pick<Greeting, 'demoFile' | 'checkoutUrl'>;

function demoLines(demo: DemoCredentials, { demoFile, checkoutUrl }: Shown): string[] {
  const [customer] = demo.customers;
  return [
    '',
    `The demo shop, whose credentials are also in ${demoFile}:`,
    ...table({
      'Site id': demo.site_id,
      'Merchant id': demo.merchant_id,
      'Storefront token': demo.storefront_token,
      'API key': demo.api_key,
      'Sync secret': demo.sync_secret,
      'Staff login': `${demo.staff.email}  ${demo.staff.password}`,
      ...(customer && { 'Customer login': `${customer.email}  ${customer.password}` }),
    }),
    '',
    'Try it:',
    `  curl '${demo.base_url}/api/storefront/products?limit=3' \\`,
    `    -H 'X-Site-ID: ${demo.site_id}' \\`,
    `    -H 'X-Service-Token: ${demo.storefront_token}'`,
    ...(checkoutUrl
      ? ['', 'Buy something (the stock of this checkout is reserved for 15 minutes):', `  ${checkoutUrl}`]
      : []),
  ];
}

function table(entries: Record<string, string>): string[] {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
}

function indent(lines: string[]): string {
  return ['', ...lines.map((line) => (line ? `  ${line}` : '')), '', ''].join('\n');
}
