import { L5 } from './l5-deleted-sites.ts';
import { shortForm } from './short-form.ts';

shortForm(L5);
