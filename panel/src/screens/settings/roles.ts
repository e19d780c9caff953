import type { Inputs } from '../../api.ts';
import { t } from '../../language/texts.ts';

/** The contract's staff roles (`x-roles`), and their permissions in words. */
export const roles: [role: Inputs['StaffRole'], words: string, about: string][] = [
  ['owner', t('Owner'), t('Everything, including adding owners.')],
  ['manager', t('Manager'), t('Everything except payments.')],
  ['fulfilment', t('Fulfilment'), t('Orders and stock: pack, ship, count.')],
  ['support', t('Support'), t('Orders, customers and refunds.')],
  ['viewer', t('Viewer'), t('Read-only access.')],
];
