import type { operations } from '@commerce-backend/spec';
import type { Command } from 'commander';

/** An operation of the dashboard, by its id in the contract. */
export type OperationId = keyof operations & `dashboard.${string}`;

const CALLED = new WeakMap<Command, OperationId[]>();

/** Says which operations a command is there for; a test compares them with the contract, and with the calls in the code. */
export function calls(command: Command, ...ids: OperationId[]): Command {
  CALLED.set(command, ids);
  return command;
}

/** The operations that a command is there for. */
export function calledBy(command: Command): readonly OperationId[] {
  return CALLED.get(command) ?? [];
}
