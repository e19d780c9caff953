import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy for PostgreSQL that reads every message of the wire protocol (version 3). For each message, `verdictOn`
 * decides whether the proxy forwards it, drops it or cuts the connection. Set `away` to reject new connections.
 */
export class DatabaseProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Called for each message of any connection, in the order of arrival. */
  verdictOn: (message: Message) => Verdict = () => 'pass';
  /** Returns the bytes to forward for a message. */
  rewrite: (message: Message) => Buffer = ({ bytes }) => bytes;
  /** While true, the proxy closes each new connection immediately, as if the database were gone. */
  away = false;
  readonly #server: Server;
  readonly #database: { host: string; port: number };
  readonly #open = new Set<Socket>();

  private constructor(server: Server, databaseUrl: string) {
    const url = new URL(databaseUrl);
    this.#server = server;
    this.#database = { host: url.hostname, port: Number(url.port || 5432) };
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.url = url.href;
    server.on('connection', (socket) => this.#join(socket));
  }

  static async before(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new DatabaseProxy(server, databaseUrl);
  }

  /**
   * Whether PostgreSQL has closed all cut connections. Until then, a statement that was cut off may still take effect.
   */
  get settled(): boolean {
    return [...this.#open].every(({ writable }) => writable);
  }

  /** Closes all connections and stops listening. */
  async end(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #join(client: Socket): void {
    if (this.away) {
      client.on('error', () => {}).destroy();
      return;
    }
    const database = connect(this.#database);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        other.end();
      });
    }
    this.#carry('server', client, database);
    this.#carry('database', database, client);
  }

  #carry(from: Message['from'], source: Socket, target: Socket): void {
    const messages = new MessageReader(from);
    source.on('data', (chunk: Buffer) => {
      for (const message of messages.read(chunk)) {
        if (source.destroyed || !target.writable) return;
        const verdict = this.verdictOn(message);
        if (verdict === 'pass' || verdict === 'cut after') target.write(this.rewrite(message));
        if (verdict === 'pass' || verdict === 'swallow') continue;
        // The target still gets the bytes that were forwarded before the cut; the sender gets nothing more.
        target.end();
        if (from === 'database') source.end();
        else source.destroy();
      }
    });
  }
}

export interface Message {
  /** The sender: the shop's server, or PostgreSQL. */
  from: 'server' | 'database';
  /** The letter of the message's type, such as Q for a query; empty for the first message of a connection. */
  type: string;
  /** All bytes of the message, including its type and length. */
  bytes: Buffer;
}

/**
 * `cut after` forwards the message and ends the connection; `cut before` ends it without forwarding; `swallow` only
 * drops the message.
 */
export type Verdict = 'pass' | 'cut after' | 'cut before' | 'swallow';

const LENGTH_BYTES = 4;

/** Splits a stream of bytes into messages. */
class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #opening: boolean;
  readonly #from: Message['from'];

  constructor(from: Message['from']) {
    this.#from = from;
    this.#opening = from === 'server';
  }

  /** Adds a chunk, and returns the messages that it completes. */
  read(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const head = this.#opening ? 0 : 1;
      if (this.#rest.length < head + LENGTH_BYTES) return messages;
      const size = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < size) return messages;
      const bytes = this.#rest.subarray(0, size);
      messages.push({ from: this.#from, type: head === 0 ? '' : String.fromCharCode(bytes[0] ?? 0), bytes });
      this.#rest = this.#rest.subarray(size);
      this.#opening = false;
    }
  }
}

/** Whether a message is a COMMIT: as text, or by binding a prepared statement with that name. */
export function isCommit({ from, type, bytes }: Message): boolean {
  const body = bytes.subarray(1 + LENGTH_BYTES).toString('latin1');
  return (
    from === 'server' && ((type === 'Q' && /^commit\0$/i.test(body)) || (type === 'B' && body.startsWith('\0commit\0')))
  );
}
