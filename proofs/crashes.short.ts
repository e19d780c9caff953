import { C1 } from './processes/c1-killed-servers.ts';
import { C6 } from './processes/c6-database-restarts.ts';
import { E2 } from './processes/e2-killed-budgets.ts';
import { K1 } from './processes/k1-lost-payments.ts';
import { shortForm } from './short-form.ts';

shortForm(C1, C6, E2, K1);
