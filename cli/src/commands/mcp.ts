import type { Command } from 'commander';
import { readAgents } from '../config.ts';
import { CommandError, EXIT } from '../errors.ts';
import { checkAddress } from '../mcp/consent.ts';
import { MessageRefused, shopTools } from '../mcp/shop.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { addMcpLogin, loginRemedy, tokenFor } from './mcp-login.ts';

const EXAMPLES = `
It reads MCP messages from the standard input and writes them to the standard output, for assistants on this machine that
start their servers themselves. The token is that of COMMERCE_AGENT_TOKEN (agt_…) or, without it, the one that
"commerce mcp login" stored for the address. An address that ends in /mcp/public needs none. Assistants that reach the shop over the network need no command: give them the address.

Examples:
  $ commerce mcp login https://shop.example/mcp --budget-cents 5000
  $ commerce mcp https://shop.example/mcp
  $ COMMERCE_AGENT_TOKEN=agt_… commerce mcp http://localhost:8080/sites/$SITE/mcp`;

/** `mcp`: runs a local MCP server with the shop's tools. */
export function addMcp(program: Command, terminal: Terminal): void {
  const mcp = program
    .command('mcp')
    .argument('<address>', 'the address of the shop for MCP')
    .description("Serve a shop's tools to an assistant on this machine, over MCP on stdin and stdout.")
    .addHelpText('after', EXAMPLES)
    .action((address: string) => serve(address, terminal));
  addMcpLogin(mcp, terminal);
}

/** The endpoint that needs no token. */
const PUBLIC = /\/mcp\/public$/;

async function serve(address: string, terminal: Terminal): Promise<void> {
  checkAddress(address);
  const token = terminal.env.COMMERCE_AGENT_TOKEN || tokenFor(await readAgents(terminal.env), address);
  if (!token && !PUBLIC.test(address)) {
    const remedy = `${loginRemedy(address)}, or set COMMERCE_AGENT_TOKEN to the token of an agent (agt_…).`;
    throw new CommandError(EXIT.notLoggedIn, 'no_token', 'There is no token for this address.', remedy);
  }
  const tools = shopTools(address, token);
  // Called first, so that a wrong token or URL is reported immediately.
  const { instructions } = await tools.discover();
  const { Server, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const passed = async <Result>(answer: Promise<Result>): Promise<Result> =>
    answer.catch((error: unknown) => {
      if (error instanceof MessageRefused) throw new ProtocolError(error.code, error.message);
      const message =
        error instanceof CommandError ? `${error.message} ${error.remedy ?? ''}` : 'The shop did not answer.';
      throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    });
  const server = serveStdio(
    () => {
      const one = new Server(
        { name: 'commerce', version },
        { capabilities: { tools: {} }, ...(instructions && { instructions }) },
      );
      one.setRequestHandler('tools/list', () => passed(tools.list()));
      one.setRequestHandler('tools/call', ({ params }) => passed(tools.call(params)));
      return one;
    },
    { transport: new StdioServerTransport(terminal.stdin, terminal.stdout) },
  );
  await new Promise<void>((ended) => {
    for (const event of ['end', 'close']) terminal.stdin.once(event, () => ended());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) terminal.once(signal, ended);
  });
  await server.close();
}
