import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { SettingsPatch } from '@commerce-backend/spec';
import { Argument, type Command } from 'commander';
import { calls } from '../operations.ts';
import { facts, type Paint, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { withWords } from './completion.ts';
import { isJson } from './options.ts';
import { type Named, SETTINGS, type SettingName, settingOf, valueIn, written } from './setting-values.ts';

type Settings = Schemas['Settings'];

const KEYS = Object.keys(SETTINGS);

const EXAMPLES = `
A setting with several fields takes FIELD=VALUE, or is named with the field: brand.accent_color. Fields that are not named stay.
A list replaces the whole old one, and "none" removes a value.

Examples:
  $ commerce settings get                            all settings
  $ commerce settings get storefront_url             one, as set takes it
  $ commerce settings set name "Alder & Finch"
  $ commerce settings set bank_details account_holder="Alder & Finch GmbH" iban="DE89 3704 0044 0532 0130 00"
  $ commerce settings set prices_include_tax yes
  $ commerce settings set tax_rates DE=19% DE:reduced=7% AT=20% US/CA=7.25%
  $ commerce settings set brand.accent_color "#0f4c81"
  $ commerce settings set legal terms_url=https://shop.example/terms terms_required=yes
  $ commerce settings set storefront_url https://shop.example/
  $ commerce settings set allowed_origins https://shop.example https://app.example
  $ commerce settings set default_locale de
  $ commerce settings set search_synonyms sofa=couch,settee

For delivery see commerce shipping-options, for cards commerce payments.`;

/** `settings get|set`: manages the shop's settings. */
export function addSettings(program: Command, terminal: Terminal): void {
  const settings = program
    .command('settings')
    .description('The settings of the whole shop: bank details, taxes, brand, legal links, language, addresses.')
    .addHelpText('after', EXAMPLES);
  calls(settings.command('get'), 'dashboard.getSettings')
    .addArgument(withWords(new Argument('[key]', 'which'), KEYS))
    .description('Show all settings, or one.')
    .addHelpText('after', EXAMPLES)
    .action((key: string | undefined, _options, command: Command) => get(key, command, terminal));
  calls(settings.command('set'), 'dashboard.updateSettings')
    .addArgument(withWords(new Argument('<key>', 'which'), KEYS))
    .argument('<values...>', 'the new value')
    .description('Change a setting.')
    .addHelpText('after', EXAMPLES)
    .action((key: string, values: string[], _options, command: Command) => set(key, values, command, terminal));
}

async function get(key: string | undefined, command: Command, terminal: Terminal): Promise<void> {
  const named = key === undefined ? undefined : settingOf(key);
  const { client } = await openSession(command, terminal);
  const settings = await unwrap(client.GET('/api/dashboard/settings'));
  tell(settings, named, command, terminal);
}

async function set(key: string, values: string[], command: Command, terminal: Terminal): Promise<void> {
  const named = settingOf(key);
  const wanted = valueIn(named, values);
  const { client } = await openSession(command, terminal);
  const isPart =
    typeof SETTINGS[named.name] !== 'string' && wanted !== null && Object.keys(wanted as object).length > 0;
  const before = isPart ? (await unwrap(client.GET('/api/dashboard/settings')))[named.name] : {};
  const value = isPart ? { ...(before as object | null), ...(wanted as object) } : wanted;
  const body = { [named.name]: value } as SettingsPatch;
  tell(await unwrap(client.PATCH('/api/dashboard/settings', { body })), named, command, terminal);
}

function tell(settings: Settings, named: Named | undefined, command: Command, terminal: Terminal): void {
  const isField = named?.field !== undefined;
  const chosen = named ? settings[named.name] : settings;
  const value = isField ? (chosen as Record<string, unknown> | null)?.[named.field ?? ''] : chosen;
  show(terminal, isJson(command), value ?? null, (paint) => {
    if (!named) return everything(settings, paint);
    const kind = SETTINGS[named.name];
    if (typeof kind === 'string') return written(kind, value);
    return named.field ? written(kind[named.field] ?? 'text', value) : facts(entriesOf(settings, named.name), paint);
  });
}

function everything(settings: Settings, paint: Paint): string {
  const names = Object.keys(SETTINGS) as SettingName[];
  return facts(Object.assign({}, ...names.map((name) => entriesOf(settings, name))), paint);
}

/** Returns the setting's values by key: one entry, or one per field of an object. */
function entriesOf(settings: Settings, name: SettingName): Record<string, string> {
  const kind = SETTINGS[name];
  const value: unknown = settings[name];
  if (typeof kind === 'string') return { [name]: written(kind, value) };
  if (value === null) return { [name]: written('optional text', null) };
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(kind).map(([own, of]) => [`${name}.${own}`, written(of, fields[own])]));
}
