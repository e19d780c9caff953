import { shortForm } from '../testing/short-form.ts';
import { B1 } from './account-enumeration.ts';
import { B4 } from './ended-sessions.ts';
import { A2 } from './foreign-accounts.ts';
import { B5 } from './forged-hosts.ts';
import { E9 } from './forged-tokens.ts';
import { B6 } from './login-flood.ts';
import { B2 } from './password-guessing.ts';
import { B3 } from './reset-links.ts';
import { J1 } from './secrets-at-rest.ts';
import { L1 } from './staff-roles.ts';
import { E10 } from './stored-tokens.ts';

shortForm(A2, B1, B2, B3, B4, B5, B6, E9, E10, J1, L1);
