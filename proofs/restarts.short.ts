import { C12 } from './processes/c12-embedded-database.ts';
import { C13 } from './processes/c13-rolling-restarts.ts';
import { E5 } from './processes/e5-revocation.ts';
import { J4 } from './processes/j4-misconfiguration.ts';
import { M2 } from './processes/m2-all-ways-at-once.ts';
import { shortForm } from './short-form.ts';

shortForm(C12, C13, E5, J4, M2);
