import { shortForm } from '../testing/short-form.ts';
import { C7 } from './database-unreachable.ts';
import { C9 } from './full-disk.ts';
import { J5 } from './health.ts';

shortForm(C7, C9, J5);
