import { Command, CommanderError } from 'commander';
import { addAccount } from './commands/account.ts';
import { addAgents } from './commands/agents.ts';
import { addApi } from './commands/api.ts';
import { addApiKeys } from './commands/api-keys.ts';
import { addAssistants } from './commands/assistants.ts';
import { addAudit } from './commands/audit.ts';
import { addCollections } from './commands/collections.ts';
import { addCompletion } from './commands/completion.ts';
import { addCustomers } from './commands/customers.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDev } from './commands/dev.ts';
import { addDiscounts } from './commands/discounts.ts';
import { addDraftOrders } from './commands/draft-orders.ts';
import { addFiles } from './commands/files.ts';
import { addInit } from './commands/init.ts';
import { addInventory } from './commands/inventory.ts';
import { addInvoices } from './commands/invoices.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addMock } from './commands/mock.ts';
import { addMoveIn } from './commands/move-in.ts';
import { addNotifications } from './commands/notifications.ts';
import { addOpen } from './commands/open.ts';
import { addOrders } from './commands/orders.ts';
import { addOverview } from './commands/overview.ts';
import { addPayments } from './commands/payments.ts';
import { addProductParts } from './commands/product-parts.ts';
import { addProducts } from './commands/products.ts';
import { addProfiles } from './commands/profiles.ts';
import { addReturns } from './commands/returns.ts';
import { addSales } from './commands/sales.ts';
import { addSettings } from './commands/settings.ts';
import { addSetup } from './commands/setup.ts';
import { addShippingOptions } from './commands/shipping-options.ts';
import { addStaff } from './commands/staff.ts';
import { addStatus } from './commands/status.ts';
import { addStorefrontTokens } from './commands/storefront-tokens.ts';
import { addSyncKeys } from './commands/sync-keys.ts';
import { addTrigger } from './commands/trigger.ts';
import { addUse } from './commands/use.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { addWhoami } from './commands/whoami.ts';
import { addWithdrawals } from './commands/withdrawals.ts';
import { EXIT, type Report, reportOf } from './errors.ts';
import { flagOf } from './flags.ts';
import { asCalled, painter, plain } from './output.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

const FOOT = `
Environment:
  COMMERCE_API_KEY   an API key to call with, in place of the profile's login
  COMMERCE_URL       the server, in place of the profile's
  COMMERCE_PROFILE   the profile to use when --profile names none (default: that of the folder, see commerce use)
  COMMERCE_CONFIG    the file of the profiles (default: ~/.config/commerce/config.json)
  NO_COLOR           any value: no colours

Exit codes:
  0  done
  1  the server rejected the command; the message gives the reason
  2  the command line or an input file is invalid
  3  not logged in, or the login has ended
  4  the server cannot be reached
  5  an import read the whole file, and some records were rejected

Examples:
  $ commerce init my-shop
  $ commerce login --demo
  $ commerce products import products.csv --dry-run
  $ commerce products list --q lamp
  $ commerce inventory adjust MUG-1 --delta 24 --reason received
  $ commerce orders mark-paid 1001
  $ commerce listen --forward-to http://localhost:4000`;

/**
 * Runs a command line and resolves to its exit code. Results go to stdout, everything else to stderr. Throws only for
 * bugs.
 */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  let running: Command | undefined;
  const program = createProgram(terminal).hook('preAction', (_program, command) => {
    running = command;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    // The command was incomplete. Commander has already printed its help to stderr.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
    const report = withFlags(reportOf(error), running);
    if (error instanceof CommanderError) report.remedy = `See the usage: ${nameIn(program, args)} --help`;
    terminal.stderr.write(args.includes('--json') ? `${JSON.stringify(report)}\n` : inWords(report, terminal));
    return report.exit_code;
  }
}

/** The name of the command, as far as the arguments contain one. */
function nameIn(program: Command, args: string[]): string {
  let [command, name] = [program, program.name()];
  for (const arg of args.filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((one) => one.name() === arg);
    if (!next) break;
    [command, name] = [next, `${name} ${arg}`];
  }
  return name;
}

/** Adds the flags or arguments with which the user set the fields that have errors. */
function withFlags(report: Report, command: Command | undefined): Report {
  if (!report.detail) return report;
  const detail = report.detail.map((mistake) => {
    const flag = flagOf(command, mistake.field);
    return { ...mistake, ...(flag && { flag }) };
  });
  return { ...report, detail };
}

/** All commands by the headings of the help text, in the order of the help. */
const COMMANDS: Record<string, ((program: Command, terminal: Terminal) => unknown)[]> = {
  Start: [addInit, addDev, addOpen, addStatus, addSetup, addCompletion],
  Logins: [addLogin, addLogout, addWhoami, addAccount, addProfiles, addUse],
  Catalogue: [addProducts, addProductParts, addFiles, addCollections, addInventory],
  Orders: [addOrders, addDraftOrders, addReturns, addWithdrawals, addInvoices],
  'Customers and sales': [addCustomers, addDiscounts, addOverview, addSales],
  Settings: [addSettings, addPayments, addShippingOptions, addStaff, addNotifications, addMoveIn],
  Agents: [addAgents, addAssistants, addMcp],
  Integrations: [
    addApiKeys,
    addStorefrontTokens,
    addSyncKeys,
    addWebhooks,
    addDeliveries,
    addListen,
    addTrigger,
    addMock,
    addApi,
  ],
  'Audit and logs': [addAudit, addLogs],
};

/** Creates all commands. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('commerce')
    .description("The merchant's command line of the commerce backend.")
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .option('--profile <name>', 'the remembered login to use')
    .option('--url <address>', 'the server')
    .option('--json', 'print JSON, for programs; errors, too, as one object on stderr')
    .addHelpText('after', FOOT)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
      // `run` prints the error once, as text or JSON.
      outputError: () => {},
    })
    .exitOverride();
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${heading}:`);
    for (const add of commands) add(program, terminal);
  }
  program.commandsGroup('Start:').helpCommand(true);
  return program;
}

function inWords(report: Report, terminal: Terminal): string {
  const paint = painter(terminal, terminal.stderr);
  const { message, error, status, detail = [], remedy, request_id } = report;
  const code = status === undefined ? '' : ` (${status} ${error})`;
  const lines = [
    `${paint('red', 'Error:')} ${plain(message)}${plain(code)}`,
    ...detail.map((mistake) => `  ${plain(mistake.flag ?? mistake.field)}: ${plain(mistake.message)}`),
    ...(remedy ? [`  What to do: ${plain(asCalled(remedy, terminal))}`] : []),
    ...(request_id ? [`  Request id: ${plain(request_id)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
