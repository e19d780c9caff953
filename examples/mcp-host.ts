import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

export function newClient(): Client {
  return new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
}

/** Keeps an MCP host's data about its connection in memory. */
class Connection implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly #state = crypto.randomUUID();
  readonly #kept: Record<string, unknown> = {};
  asked: URL | undefined;

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    const redirect_uris = [this.redirectUrl];
    return { client_name: 'Example assistant', redirect_uris, token_endpoint_auth_method: 'none' as const };
  }

  state = () => this.#state;
  clientInformation = () => this.#kept.client as never;
  saveClientInformation = (client: unknown) => void Object.assign(this.#kept, { client });
  tokens = () => this.#kept.tokens as never;
  saveTokens = (tokens: unknown) => void Object.assign(this.#kept, { tokens });
  codeVerifier = () => this.#kept.verifier as string;
  saveCodeVerifier = (verifier: string) => void Object.assign(this.#kept, { verifier });
  discoveryState = () => this.#kept.discovered as never;
  saveDiscoveryState = (discovered: unknown) => void Object.assign(this.#kept, { discovered });
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}

/**
 * Connects with only the URL of the MCP server: the client discovers the authorization server, registers, and exchanges
 * the authorization code. `onAsked` gets the page that a person opens.
 */
export async function connectHosted(address: string, onAsked: (url: URL | undefined) => void): Promise<Client> {
  let arrived: (url: URL) => void = () => {};
  const returned = new Promise<URL>((resolve) => {
    arrived = resolve;
  });
  const callback = createServer(({ url = '' }, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Connected</title><h1>Connected</h1>');
    if (url.startsWith('/callback')) arrived(new URL(url, redirectUrl));
  });
  await new Promise<void>((listening) => callback.listen(0, '127.0.0.1', listening));
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const authProvider = new Connection(redirectUrl);
  const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const first = transport();
  await newClient()
    .connect(first)
    .catch((error: unknown) => {
      if (!(error instanceof UnauthorizedError)) throw error;
    });
  onAsked(authProvider.asked);
  await first.finishAuth((await returned).searchParams);
  callback.close();
  callback.closeAllConnections();
  const client = newClient();
  await client.connect(transport());
  return client;
}
