import type { Handlers } from '../http/contract.ts';

export const sync: Partial<Handlers<'sync'>> = {};
