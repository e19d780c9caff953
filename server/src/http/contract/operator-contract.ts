import type { operations } from '@commerce-backend/spec/operator';
import contract from '@commerce-backend/spec/operator.json' with { type: 'json' };
import { type ContractDocument, operationsIn } from './contract.ts';

/** The contract of the operators' API, which is a separate document. */
export type OperatorOperationId = keyof operations;

export const operatorDocument = contract as unknown as ContractDocument;

export const operatorOperations = operationsIn(operatorDocument);
