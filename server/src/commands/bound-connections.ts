import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the connections of a server so that those who ask nothing keep nobody out. Node's `maxConnections` refuses whoever
 * comes last; here one that the server waits for has to go: the one that has said nothing, or no more than part of its
 * headers, for longest, then the one that has been idle for longest after a request, then the oldest whose body is still on
 * its way. What has arrived is never cut off: when nothing else is left, the newcomer is refused.
 */
export function boundConnections(server: Server, most: number): void {
  // Each in the order in which its connections came to it.
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
      // Another request of the same connection may be under way already.
      if (busy.get(socket) !== request) return;
      busy.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
