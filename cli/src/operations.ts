import type { operations } from '@commerce-backend/spec';
import type { Command } from 'commander';

/** Id of a dashboard operation in the contract. */
export type OperationId = keyof operations & `dashboard.${string}`;

const CALLED = new WeakMap<Command, OperationId[]>();

/** Declares which operations a command calls. A test compares them with the contract and the code. */
export function calls(command: Command, ...ids: OperationId[]): Command {
  CALLED.set(command, ids);
  return command;
}

/** Whether a command asks for confirmation before it calls this operation. */
export function asksFirst(program: Command, id: string | undefined): boolean {
  const isFor = (command: Command): boolean =>
    (calledBy(command).some((own) => own === id) && command.options.some(({ long }) => long === '--yes')) ||
    command.commands.some(isFor);
  return isFor(program);
}

export function calledBy(command: Command): readonly OperationId[] {
  return CALLED.get(command) ?? [];
}
