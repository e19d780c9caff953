import { C16 } from './processes/c16-behind-pooler.ts';
import { shortForm } from './short-form.ts';

shortForm(C16);
