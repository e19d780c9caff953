import type { operations } from '@commerce-backend/spec';
import type { Command } from 'commander';

/** An operation of the dashboard, by its id in the contract. */
export type OperationId = keyof operations & `dashboard.${string}`;

const CALLED = new WeakMap<Command, OperationId[]>();

/** Declares the operations of a command; a test compares them with the contract and with the calls in the code. */
export function calls(command: Command, ...ids: OperationId[]): Command {
  CALLED.set(command, ids);
  return command;
}

/** Whether an operation is irreversible: its command asks first. */
export function asksFirst(program: Command, id: string | undefined): boolean {
  const isFor = (command: Command): boolean =>
    (calledBy(command).some((own) => own === id) && command.options.some(({ long }) => long === '--yes')) ||
    command.commands.some(isFor);
  return isFor(program);
}

/** The operations of a command. */
export function calledBy(command: Command): readonly OperationId[] {
  return CALLED.get(command) ?? [];
}
