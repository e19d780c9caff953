import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the connections of a server, so that clients that send nothing do not block others. Node's `maxConnections`
 * would reject the newest connection. Here a waiting connection is closed instead: first the one that has been silent,
 * or sent only part of its headers, for longest; then the one that has been idle for longest after a request; then the
 * oldest one whose request body is still arriving. A complete request is never cut off: if there is no such connection
 * to close, the newest connection is rejected.
 */
export function boundConnections(server: Server, most: number): void {
  // The connections in each set are in the order of insertion.
  const silent = new Set<Socket>();
  const idle = new Set<Socket>();
  const busy = new Map<Socket, IncomingMessage>();

  function forget(socket: Socket): void {
    silent.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }

  function leastNeeded(newcomer: Socket): Socket {
    const [longestSilent = newcomer] = silent;
    if (longestSilent !== newcomer) return longestSilent;
    const [longestIdle] = idle;
    if (longestIdle) return longestIdle;
    const [sending] = [...busy].find(([, request]) => !request.complete) ?? [];
    return sending ?? newcomer;
  }

  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => forget(socket));
    if (silent.size + idle.size + busy.size <= most) return;
    const closed = leastNeeded(socket);
    forget(closed);
    closed.destroy();
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    forget(socket);
    busy.set(socket, request);
    response.once('close', () => {
      // The connection may already have another request.
      if (busy.get(socket) !== request) return;
      busy.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
