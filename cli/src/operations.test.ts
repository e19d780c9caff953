import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from './main.ts';
import { calledBy } from './operations.ts';

/** All dashboard operations by method and path. */
const OPERATIONS = new Map(
  Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId = '' }]: [string, { operationId?: string }]) => operationId.startsWith('dashboard.'))
      .map(([verb, { operationId }]: [string, { operationId: string }]) => [
        `${verb.toUpperCase()} ${path}`,
        operationId,
      ]),
  ),
);

const { env, cwd, stdin, stdout, stderr, once, off } = process;
const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
const COMMANDS = leaves(createProgram({ env, cwd, stdin, stdout, stderr, once, off }));
const DECLARED = new Set<string>(COMMANDS.flatMap((command) => calledBy(command)));

/** Operations that the code calls, found by literal methods and paths in the source. */
function calledInCode(): Set<string> {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = files
    // Pages of the mock call the mock, not the dashboard.
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('mock/'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const calls = texts.flatMap((text) => [
    ...[...text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g)].map(([, verb, path]) => `${verb} ${path}`),
    ...[...text.matchAll(/paginate\(\s*client,\s*'([^']+)'/g)].map(([, path]) => `GET ${path}`),
    // For `addCall`, the operation is named by its id.
    ...[...text.matchAll(/^ +operation: '(dashboard\.\w+)'/gm)].map(([, id = '']) => id),
  ]);
  return new Set(calls.map((call) => OPERATIONS.get(call) ?? call));
}

test('every operation of the dashboard has a command', () => {
  expect([...OPERATIONS.values()].filter((id) => !DECLARED.has(id))).toEqual([]);
});

test('every command with a DELETE call, except `listen`, has the option --yes', () => {
  const deletes = new Set([...OPERATIONS].flatMap(([call, id]) => (call.startsWith('DELETE ') ? [id] : [])));
  const asked = (command: Command) => command.options.some(({ long }) => long === '--yes');
  const silent = COMMANDS.filter((command) => calledBy(command).some((id) => deletes.has(id)) && !asked(command));
  // `listen` deletes its own listener, which needs no confirmation.
  expect(silent.map((command) => command.name())).toEqual(['listen']);
});

test('all commands together call exactly the operations that they declare', () => {
  expect([...calledInCode()].sort()).toEqual([...DECLARED].sort());
});
