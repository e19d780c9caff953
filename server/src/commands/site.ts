import type { Config } from '../config.ts';
import { inventedEmail, type Opened, type Opening } from '../shop/merchant/opening.ts';
import { mintPassword, type NewPassword } from '../shop/merchant/sites.ts';
import { hashPassword } from '../shop/passwords/passwords.ts';
import { withPool } from './database.ts';
import { type Given, interview } from './opening/interview.ts';
import { asJson, openIn } from './opening/open-in.ts';
import { canAsk, openPrompt } from './opening/prompt.ts';
import { readShopFile } from './opening/shop-file.ts';

export interface SiteOptions extends Given {
  file?: string;
  /** Whether questions may be asked; false with --no-input. */
  input: boolean;
}

/**
 * Opens a shop from a dialog, a file, or flags. Prints its credentials as JSON, or as text after a dialog if stdout is
 * a terminal. The secrets are shown only once.
 */
export async function createSite(config: Config, options: SiteOptions): Promise<void> {
  const asks = options.input && !options.file && canAsk(process);
  const opening = asks ? await askAll(options) : await openingOf(options);
  const password = await passwordOf(opening);
  const opened = await withPool(config, (db) => openIn(db, config, { ...opening, password }, options.file));
  // If BASE_URL is not set, the server's base URL may differ from the assumed one, so none is printed.
  const baseUrl = config.baseUrlAssumed ? null : config.baseUrl;
  const typed = opening.password !== null;
  if (asks && process.stdout.isTTY) {
    process.stdout.write(`${inWords(opening.name, opened, baseUrl, typed)}\n`);
    return;
  }
  process.stdout.write(`${JSON.stringify(asJson(opened, config), null, 2)}\n`);
  if (asks) process.stderr.write(`\n${nextSteps(opened, baseUrl).join('\n')}\n`);
}

async function askAll(options: SiteOptions): Promise<Opening> {
  const prompt = openPrompt(process);
  try {
    return await interview(prompt, options);
  } finally {
    prompt.close();
  }
}

/** The shop from the file, if one is given, with the flags taking precedence. */
async function openingOf({ file, name, currency, staffEmail, staffName }: SiteOptions): Promise<Opening> {
  const given = file ? await readShopFile(file) : undefined;
  const called = name ?? given?.name;
  const paid = currency ?? given?.currency;
  if (!called || !paid)
    throw new Error('Set --name and --currency, or --file. At a terminal, the command asks for missing values.');
  return {
    name: called,
    currency: paid,
    staff: {
      email: staffEmail ?? given?.staff?.email ?? inventedEmail(called),
      name: staffName ?? given?.staff?.name ?? `${called} (owner)`,
    },
    password: null,
    settings: given?.settings ?? {},
    shipping_options: given?.shipping_options ?? [],
    products: given?.products ?? [],
  };
}

async function passwordOf({ password }: Opening): Promise<NewPassword> {
  return password === null ? mintPassword() : { text: password, hash: await hashPassword(password) };
}

function inWords(name: string, opened: Opened, baseUrl: string | null, typed: boolean): string {
  const { credentials } = opened;
  const { staff } = credentials;
  const kept = typed ? 'the password that you typed' : staff.password;
  const facts: Record<string, string> = {
    Panel: baseUrl ? `${baseUrl}/panel` : '/panel, where the server runs',
    API: baseUrl ? `${baseUrl}/api` : '/api',
    Account: `${baseUrl ?? ''}/account?site_id=${credentials.site_id}`,
    Login: `${staff.email}  ${staff.password === null ? 'the existing password of this login' : kept}`,
    'Site id': credentials.site_id,
    'Storefront token': credentials.storefront_token,
    'API key': credentials.api_key,
    'Sync secret': credentials.sync_secret,
  };
  const width = Math.max(...Object.keys(facts).map((label) => label.length));
  return [
    '',
    `${name} is open. Store the secrets: they are not shown again.`,
    '',
    ...Object.entries(facts).map(([label, value]) => `  ${label.padEnd(width)}  ${value}`),
    '',
    ...nextSteps(opened, baseUrl),
  ].join('\n');
}

function nextSteps({ can_sell, missing, credentials }: Opened, baseUrl: string | null): string[] {
  const url = baseUrl ? ` --url ${baseUrl}` : '';
  return [
    can_sell ? 'The shop can sell.' : 'The shop can sell once the steps marked ✗ are done.',
    ...missing.map(({ blocking, message }) => `  ${blocking ? '✗' : '–'} ${message}`),
    '',
    baseUrl
      ? `Next: log in at ${baseUrl}/panel while the server runs (commerce-server start),`
      : 'Next: start the server with commerce-server start, log in at /panel,',
    `or with the command line: commerce login --email ${credentials.staff.email}${url}, then commerce setup`,
  ];
}
