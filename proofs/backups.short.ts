import { J6 } from './processes/j6-backups.ts';
import { shortForm } from './short-form.ts';

shortForm(J6);
