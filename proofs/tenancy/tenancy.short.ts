import { shortForm } from '../testing/short-form.ts';
import { A10 } from './declared-access.ts';
import { L5 } from './deleted-shops.ts';
import { A1 } from './foreign-ids.ts';
import { A3 } from './foreign-texts.ts';
import { A7 } from './indistinguishable-ids.ts';
import { A4 } from './mixed-credentials.ts';
import { A6 } from './reused-connections.ts';
import { A9 } from './route-confusion.ts';
import { A5 } from './row-level-security.ts';

shortForm(A1, A3, A4, A5, A6, A7, A9, A10, L5);
