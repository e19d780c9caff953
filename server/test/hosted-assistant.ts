import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

/**
 * An assistant with the client of the MCP SDK, which discovers the authorization server, registers, and exchanges the
 * authorization code. It gets only the URL of the shop and a redirect URI.
 */
export interface HostedAssistant {
  /** The requests of the assistant, with their responses. */
  sent: { method: string; path: string; status: number; challenge: string | null }[];
  /** The URL that the customer must open, after a request needed a token. */
  asked(): URL;
  /** A client that is not connected yet, and its transport. */
  client(): { client: Client; transport: StreamableHTTPClientTransport };
  /** The query string with which the customer's browser returned. */
  returned(): URLSearchParams;
  state: string;
  close(): void;
}

export async function openHostedAssistant(address: string): Promise<HostedAssistant> {
  const { redirect_uri, arrivals, close } = await openCallback();
  const sent: HostedAssistant['sent'] = [];
  const state = randomUUID();
  let asked: URL | undefined;
  const authProvider = memory(redirect_uri, state, (url) => {
    asked = url;
  });
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { method, url } = new Request(input, init);
    const challenge = answer.headers.get('WWW-Authenticate');
    sent.push({ method, path: new URL(url).pathname, status: answer.status, challenge });
    return answer;
  };
  return {
    sent,
    state,
    close,
    asked() {
      if (!asked) throw new Error('The customer was not sent anywhere.');
      return asked;
    },
    client: () => ({
      client: new Client({ name: 'hosted', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
      transport: new StreamableHTTPClientTransport(new URL(address), { authProvider, fetch: watched }),
    }),
    returned() {
      const back = arrivals.find((url) => url.startsWith('/callback'));
      if (!back) throw new Error('The customer has not come back.');
      return new URL(back, redirect_uri).searchParams;
    },
  };
}

/** Stores the data of a client's connection to a shop. */
function memory(redirectUrl: string, state: string, redirectToAuthorization: (url: URL) => void): OAuthClientProvider {
  let client: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let discovered: OAuthDiscoveryState | undefined;
  let verifier = '';
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Hosted assistant',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => tokens,
    saveTokens: (issued) => {
      tokens = issued;
    },
    redirectToAuthorization,
    saveCodeVerifier: (made) => {
      verifier = made;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovered,
    saveDiscoveryState: (found) => {
      discovered = found;
    },
  };
}

/** Starts a server for the redirect URI. */
async function openCallback() {
  const arrivals: string[] = [];
  const server = createServer(({ url = '' }, res) => {
    arrivals.push(url);
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Assistant</title><h1>Connected</h1>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { redirect_uri, arrivals, close };
}
