import type { Handlers } from '../http/contract.ts';
import * as audit from './audit.ts';
import * as consent from './consent.ts';
import * as customer from './customer.ts';
import * as pending from './pending.ts';
import * as token from './token.ts';

export const agent: Handlers<'agent'> = {
  ...audit,
  ...consent,
  ...customer,
  ...pending,
  ...token,
};
