/** Filters and formats lines of the server's log. */

import { readContract } from '../contract.ts';
import type { Paint } from '../output.ts';
import { plain } from '../output.ts';

export interface LogLine {
  level: string;
  time: string;
  msg?: string;
  method?: string;
  operation_id?: string;
  status?: number;
  duration_ms?: number;
  request_id?: string;
  error?: string;
  job?: string;
  cause?: { message?: string };
}

export interface LogFilter {
  /** A status such as 404, or a class such as 4xx. */
  status?: string;
  /** A path of the contract, in which * matches anything. */
  path?: string;
  surface?: string;
  /** Minimum severity. */
  level?: string;
}

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/**
 * Returns a function that tests whether a log line matches. The log contains no URLs, so `path` is compared with the
 * path of the line's operation in the contract.
 */
export async function filterOf({ status, path, surface, level }: LogFilter): Promise<(line: LogLine) => boolean> {
  const paths = path === undefined ? undefined : await pathsOfOperations();
  const pattern = path === undefined ? undefined : globOf(path);
  const least = level === undefined ? 0 : LEVELS.indexOf(level);
  return (line) =>
    LEVELS.indexOf(line.level) >= least &&
    (status === undefined || fitsStatus(status, line.status)) &&
    (surface === undefined || line.operation_id?.startsWith(`${surface}.`) === true) &&
    (pattern === undefined || pattern.test(paths?.get(line.operation_id ?? '') ?? ''));
}

function fitsStatus(wanted: string, status: number | undefined): boolean {
  return status !== undefined && (wanted.endsWith('xx') ? wanted[0] === String(status)[0] : wanted === String(status));
}

async function pathsOfOperations(): Promise<Map<string, string>> {
  const { operations } = await readContract();
  return new Map(operations.map(({ operationId, path }) => [operationId, path]));
}

function globOf(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** Parses a log line; undefined for other text. */
export function parseLine(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text) as LogLine;
    return typeof line === 'object' && line !== null && typeof line.level === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a log line. Texts from callers are escaped before colours are added. */
export function lineInWords(line: LogLine, paint: Paint): string {
  const { level, time, method, operation_id, status, job, msg, error, cause } = line;
  const at = paint('dim', new Date(time).toTimeString().slice(0, 8));
  const what =
    status === undefined
      ? [paint(colourOf(level), plain(level)), ...[job, msg].map(harmless)]
      : [
          paint(status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green', String(status)),
          ...[method, operation_id ?? 'a page', error].map(harmless),
          paint('dim', plain(`${line.duration_ms ?? '–'} ms  ${line.request_id ?? ''}`.trim())),
        ];
  const words = what.filter((part) => part !== undefined).join('  ');
  return `${at}  ${words}${cause?.message ? `\n          ${plain(cause.message)}` : ''}`;
}

function harmless(part: string | undefined): string | undefined {
  return part === undefined ? undefined : plain(part);
}

function colourOf(level: string): 'red' | 'yellow' | undefined {
  if (LEVELS.indexOf(level) >= LEVELS.indexOf('error')) return 'red';
  return level === 'warn' ? 'yellow' : undefined;
}
