import { L1 } from './processes/l1-roles.ts';
import { shortForm } from './short-form.ts';

shortForm(L1);
