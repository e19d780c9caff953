import { shortForm } from '../testing/short-form.ts';
import { C14 } from './clocks.ts';
import { C6 } from './database-restarts.ts';
import { C12 } from './embedded-database.ts';
import { C1 } from './killed-servers.ts';
import { J4 } from './misconfiguration.ts';
import { C13 } from './rolling-restarts.ts';

shortForm(C1, C6, C12, C13, C14, J4);
