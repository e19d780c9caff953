import type { Inputs } from '../../api.ts';

/** The contract's staff roles (`x-roles`), and their permissions in words. */
export const roles: [role: Inputs['StaffRole'], words: string, about: string][] = [
  ['owner', 'Owner', 'Everything, including adding owners.'],
  ['manager', 'Manager', 'Everything except payments.'],
  ['fulfilment', 'Fulfilment', 'Orders and stock: pack, ship, count.'],
  ['support', 'Support', 'Orders, customers and refunds.'],
  ['viewer', 'Viewer', 'Read-only access.'],
];
