import { C12 } from './processes/c12-embedded-database.ts';
import { C13 } from './processes/c13-rolling-restarts.ts';
import { J4 } from './processes/j4-misconfiguration.ts';
import { shortForm } from './short-form.ts';

shortForm(C12, C13, J4);
